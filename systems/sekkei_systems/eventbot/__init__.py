"""The event bot: recruiting, members, notices and confirmations in Discord."""

from __future__ import annotations

from starlette.routing import Route

from sekkei.runtime.system import Context, Parts, System
from sekkei_systems.eventbot import design as patterns
from sekkei_systems.eventbot.demo import demo
from sekkei_systems.eventbot.jobs import BotJobs
from sekkei_systems.eventbot.local.simulator import Simulator
from sekkei_systems.eventbot.pages import Pages
from sekkei_systems.eventbot.ports.gateway import Gateway, connect, schedules_of
from sekkei_systems.eventbot.ports.membership import Membership
from sekkei_systems.eventbot.ports.transports import ToChannel, ToInteraction
from sekkei_systems.eventbot.service import Service
from sekkei_systems.eventbot.webhooks import endpoint
from sekkei_systems.eventbot.webhooks.desk import ANSWER_LATE, InteractionDesk, Tools


def build(context: Context) -> Parts:
    gateway = connect(context)
    service = Service(context, schedules_of(context), Membership(gateway.rest))
    jobs = BotJobs(service, gateway.rest, context.jobs)
    desk = InteractionDesk(Tools(service, context.jobs, context.idempotency, context.settings.public_url))
    return Parts(
        service=service,
        routes=[
            *endpoint.routes(service.desk, gateway.verifier, desk),
            *Pages(service, context.jobs, context.live, gateway.local is not None).routes(),
            *_simulator(context, gateway),
        ],
        scheduled={**jobs.scheduled(), ANSWER_LATE: desk.answer_late},
        jobs=jobs.definitions(),
        transports={"discord": ToChannel(gateway.rest), "eventbot.reply": ToInteraction(gateway.rest)},
    )


def _simulator(context: Context, gateway: Gateway) -> list[Route]:
    """Beside a Discord of our own only."""
    if gateway.local is None or gateway.signer is None:
        return []
    url = context.settings.public_url
    made = Simulator(gateway.local, gateway.signer, gateway.application_id, context.clock, context.live, url)
    return made.routes()


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
    pages=[
        ("/simulator", {"ja": "シミュレーター（手元の Discord）", "en": "Simulator: a Discord of your own"}),
        ("/", {"ja": "主催者ページ", "en": "Organisers' pages"}),
    ],
)
