"""The system `eventbot`: how its parts are wired, and how it is called."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.runtime.ends import MAIL, End
from sekkei.runtime.probes import Asking
from sekkei.runtime.system import Context, Parts, System
from sekkei.web import Given
from sekkei_systems.days import ZONE
from sekkei_systems.eventbot import design as patterns
from sekkei_systems.eventbot import pages
from sekkei_systems.eventbot.demo import demo
from sekkei_systems.eventbot.jobs import BotJobs
from sekkei_systems.eventbot.pages import view
from sekkei_systems.eventbot.pages.discord import SignIn
from sekkei_systems.eventbot.ports.discord.rest import API_URL
from sekkei_systems.eventbot.ports.gateway import Gateway, Membership, connect, schedules_of
from sekkei_systems.eventbot.ports.transports import Calls, Directs, ToChannel, ToInteraction
from sekkei_systems.eventbot.service import Actor, Host, Manager, Organiser, Service
from sekkei_systems.eventbot.service.desk import CALL, DIRECT
from sekkei_systems.eventbot.service.guilds import EventPeople
from sekkei_systems.eventbot.webhooks import desk as endpoint
from sekkei_systems.eventbot.webhooks.desk import ANSWER_LATE, InteractionDesk, Tools


def build(context: Context) -> Parts:
    gateway = connect(context)
    service = Service(context, schedules_of(context), Membership(gateway.rest))
    jobs = BotJobs(service, gateway.rest, context.jobs)
    tools = Tools(service, context.jobs, context.idempotency, context.settings.public_url, jobs.settle_event)
    desk, concerned = InteractionDesk(tools), jobs.reminders.concerned
    return Parts(
        service=service,
        routes=_routes(context, gateway, service, desk),
        scheduled={**jobs.scheduled(), ANSWER_LATE: desk.answer_late},
        jobs=jobs.definitions(),
        transports={
            "discord": ToChannel(gateway.rest),
            CALL: Calls(gateway.rest, context.outbox, service.events.trouble, concerned),
            DIRECT: Directs(gateway.rest, context.outbox, service.guilds.no_directs, concerned),
            "eventbot.reply": ToInteraction(gateway.rest, context.clock),
        },
        personal=EventPeople(context.db).personal(),
    )


def _routes(context: Context, gateway: Gateway, service: Service, desk: InteractionDesk) -> list[BaseRoute]:
    given = Given(service.access, service.desk, service.events, service.guilds, service.joining, service.notices)
    given.value(type(service.hands), service.hands).value(type(service.queue), service.queue)
    given.value(SignIn, SignIn(gateway.oauth))
    given.value(InteractionDesk, desk).value(type(gateway.verifier), gateway.verifier)
    given.value(type(context.jobs), context.jobs).value(view.Simulated, view.Simulated(gateway.own is not None))
    given.per_request(Actor, view.actor_of).per_request(Organiser, view.organiser_of)
    given.per_request(Manager, view.manager_of).per_request(Host, view.host_of).per_request(view.View, view.view_of)
    routes = [*endpoint.pages.routes(given), *pages.routes(given)]
    if gateway.own is not None:
        routes += gateway.own.routes(given)
    return routes


SYSTEM = System(
    name="eventbot",
    title={"ja": "イベント Bot", "en": "Event bot"},
    about={
        "ja": "Discord でイベントを募集。定員と補欠、確認ボタン付きの連絡、リマインド、主催者ページ。",
        "en": "Events in Discord: waiting lists, notices with a confirm button, reminders, organisers' pages.",
    },
    design=patterns.design,
    build=build,
    demo=demo,
    settings=("discord_client_secret",),
    zone=ZONE,
    ends=[
        MAIL,
        End(
            "discord",
            ("discord_application_id", "discord_public_key", "discord_bot_token"),
            "messages and reminders stay in the simulator",
            probe=Asking("discord_api_url", API_URL, "/users/@me", "Bot {discord_bot_token}"),
        ),
    ],
    pages=[
        ("/simulator", {"ja": "シミュレーター（手元の Discord）", "en": "Simulator: a Discord of your own"}),
        ("/", {"ja": "主催者ページ", "en": "Organisers' pages"}),
    ],
)
