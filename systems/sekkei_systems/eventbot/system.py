"""The system `eventbot`: how its parts are wired, and how it is called."""

from __future__ import annotations

from sekkei.runtime.ends import MAIL, End
from sekkei.runtime.probes import Asking
from sekkei.runtime.schedules import Schedules, StoredSchedules
from sekkei.runtime.settings import Secrets
from sekkei.runtime.system import Context, Parts, System
from sekkei.runtime.wiring import Wiring
from sekkei.web import Given
from sekkei_systems.days import ZONE
from sekkei_systems.eventbot import design as patterns
from sekkei_systems.eventbot import pages
from sekkei_systems.eventbot.demo import demo
from sekkei_systems.eventbot.jobs import BotJobs
from sekkei_systems.eventbot.pages import view
from sekkei_systems.eventbot.pages.links import SignIn
from sekkei_systems.eventbot.ports.discord.rest import API_URL
from sekkei_systems.eventbot.ports.gateway import connect, schedules_of
from sekkei_systems.eventbot.ports.transports import Calls, Directs, ToChannel, ToInteraction
from sekkei_systems.eventbot.service import Service
from sekkei_systems.eventbot.service.desk import CALL, DIRECT
from sekkei_systems.eventbot.service.guilds import EventPeople, Membership
from sekkei_systems.eventbot.webhooks import desk as endpoint
from sekkei_systems.eventbot.webhooks.desk import ANSWER_LATE, InteractionDesk


def build(context: Context) -> Parts:
    gateway = connect(context)
    rest, outbox = gateway.rest, context.outbox
    wiring = Wiring.of(context, rest, gateway.verifier, Membership(rest), SignIn(gateway.oauth))
    wiring.value(Schedules, schedules_of(context)).value(Secrets, context.settings.secrets)
    wiring.value(StoredSchedules, StoredSchedules(context.runtime, context.clock, context.system))
    service, jobs, desk = wiring.build(Service), wiring.build(BotJobs), wiring.build(InteractionDesk)
    given = Given(wiring=wiring.value(view.Simulated, view.Simulated(gateway.own is not None)))
    for kind, provider in view.PROVIDERS.items():
        given.per_request(kind, provider)
    return Parts(
        service=service,
        routes=[
            *endpoint.pages.routes(given),
            *pages.routes(given),
            *(gateway.own.routes(given) if gateway.own is not None else ()),
        ],
        scheduled={**jobs.scheduled(), ANSWER_LATE: desk.answer_late},
        jobs=jobs.removal.definitions(),
        transports={
            "discord": ToChannel(rest),
            CALL: Calls(rest, outbox, service.events.trouble, jobs.reminders.concerned),
            DIRECT: Directs(rest, outbox, service.guilds.no_directs, jobs.reminders.concerned),
            "eventbot.reply": ToInteraction(rest, context.clock),
        },
        personal=EventPeople(context.db).personal(),
    )


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
