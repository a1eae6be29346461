"""The event bot: recruiting, members, notices and confirmations in Discord."""

from __future__ import annotations

from sekkei.runtime.system import Context, Parts, System
from systems.eventbot import design as patterns
from systems.eventbot import webhook
from systems.eventbot.demo import demo
from systems.eventbot.gateway import connect, schedules_of
from systems.eventbot.interactions.desk import InteractionDesk, Tools
from systems.eventbot.jobs import BotJobs
from systems.eventbot.service import Service
from systems.eventbot.transports import ToChannel, ToInteraction


def build(context: Context) -> Parts:
    gateway = connect(context)
    service = Service(context, schedules_of(context))
    jobs = BotJobs(service, gateway.rest)
    desk = InteractionDesk(Tools(service, context.jobs, context.idempotency, context.settings.public_url))
    return Parts(
        service=service,
        routes=[
            *webhook.routes(service.desk, context.idempotency, gateway.verifier, desk),
        ],
        scheduled=jobs.scheduled(),
        jobs=jobs.definitions(),
        transports={"discord": ToChannel(gateway.rest), "eventbot.reply": ToInteraction(gateway.rest)},
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
    pages=[
        ("/simulator", {"ja": "シミュレーター（手元の Discord）", "en": "Simulator: a Discord of your own"}),
        ("/", {"ja": "主催者ページ", "en": "Organisers' pages"}),
    ],
)
