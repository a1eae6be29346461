"""ちいポチ🐾: donate to a prefecture on LINE by typing one of its specialities."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Transport
from sekkei.runtime.system import Context, Parts, System
from sekkei_systems.chiipochi import api, jobs, pages
from sekkei_systems.chiipochi.demo import demo
from sekkei_systems.chiipochi.design import design
from sekkei_systems.chiipochi.local import chat_pages, payment_pages
from sekkei_systems.chiipochi.local.callbacks import LocalCallbacks
from sekkei_systems.chiipochi.local.chat import Chat
from sekkei_systems.chiipochi.local.payments import LocalProvider
from sekkei_systems.chiipochi.ports.line.api import LineApi
from sekkei_systems.chiipochi.ports.line.signatures import is_local
from sekkei_systems.chiipochi.ports.payments.port import Provider
from sekkei_systems.chiipochi.ports.payments.stripe import Stripe
from sekkei_systems.chiipochi.reactions import Rewards
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.service.exports import Exports
from sekkei_systems.chiipochi.service.refunds import REFUNDS, RefundTransport
from sekkei_systems.chiipochi.webhooks import line, payments


def build(context: Context) -> Parts:
    settings = context.settings
    http = Http()
    provider = _provider(context, http)
    chat = Chat(context)
    line_api = LineApi.configured(settings, http, context.clock)
    service = Service(context, provider, line_api or chat)
    exports = Exports(
        settings.data / "exports" / "chiipochi", service.reports, settings.secrets.key("chiipochi/exports")
    )
    transports: dict[str, Transport] = {"line": line_api or chat, REFUNDS: RefundTransport(service.refunds)}
    if isinstance(provider, LocalProvider):
        transports["chiipochi.callback"] = LocalCallbacks(provider, service.settling)
    return Parts(
        service=service,
        routes=[
            *line.routes(service, settings),
            *payments.routes(service),
            *_local_routes(context, service, chat, provider),
            *pages.routes(context, service, exports),
            *api.routes(service),
        ],
        reactions=[Rewards(context, service)],
        scheduled=jobs.scheduled(context, service, exports),
        recurring=jobs.RECURRING,
        jobs=jobs.jobs(context),
        transports=transports,
    )


def _provider(context: Context, http: Http) -> Provider:
    """Stripe Checkout where its key is set, otherwise the local provider."""
    return Stripe.configured(context.settings, http, context.clock) or LocalProvider(
        context.settings, context.db, context.clock
    )


def _local_routes(context: Context, service: Service, chat: Chat, provider: Provider) -> list[BaseRoute]:
    """Where a LINE channel is set up, there is no simulator; where another provider is, there is no local one."""
    found: list[BaseRoute] = []
    if is_local(context.settings):
        found += chat_pages.routes(context, service, chat)
    if isinstance(provider, LocalProvider):
        found += payment_pages.routes(context, provider)
    return found


SYSTEM = System(
    name="chiipochi",
    title={"ja": "ちいポチ🐾", "en": "Chiipochi🐾"},
    about={
        "ja": "特産品をつぶやくと、その都道府県に寄付できる LINE ボット。",
        "en": "A LINE bot: type a prefecture's speciality, and donate to it.",
    },
    design=design,
    build=build,
    demo=demo,
    pages=[
        ("/", {"ja": "みんなの寄付", "en": "Everybody's donations"}),
        ("/chat", {"ja": "チャットで寄付", "en": "Donate in the chat"}),
        ("/operator", {"ja": "決済の突き合わせ", "en": "Reconciliation"}),
        ("/docs", {"ja": "API", "en": "API"}),
    ],
)
