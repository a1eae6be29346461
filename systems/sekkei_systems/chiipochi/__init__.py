"""ちいポチ🐾: donate to a prefecture on LINE by typing one of its specialities."""

from __future__ import annotations

from sekkei.runtime.design import Message
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Transport, Undeliverable
from sekkei.runtime.system import Context, Parts, System
from sekkei_systems.chiipochi import api, chat_pages, jobs, operator_pages, pages, payments, webhook
from sekkei_systems.chiipochi.chat import Chat
from sekkei_systems.chiipochi.demo import demo
from sekkei_systems.chiipochi.design import design
from sekkei_systems.chiipochi.exports import Exports
from sekkei_systems.chiipochi.line_api import LineApi
from sekkei_systems.chiipochi.payments.local import LocalProvider
from sekkei_systems.chiipochi.payments.port import RefundRefused
from sekkei_systems.chiipochi.reactions import Rewards
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.settling import REFUNDS


class LocalCallbacks:
    """Carries the local provider's notices to where a real one would post them; tried again until they are taken."""

    def __init__(self, provider: LocalProvider, service: Service) -> None:
        self._provider, self._service = provider, service

    async def send(self, message: Message) -> str:
        payment = await self._provider.payment(message.to)
        if payment is None:
            raise Undeliverable("there is no such payment")
        return await self._service.settling.receive("local", *self._provider.callback(payment))


class Refunds:
    """Gives money back through the provider; tried again until it is done or refused for good."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def send(self, message: Message) -> str:
        try:
            return await self._service.settling.give_back(message.body["order"], message.body["tx_id"])
        except RefundRefused as refused:
            raise Undeliverable(str(refused)) from refused


def build(context: Context) -> Parts:
    settings = context.settings
    http = Http()
    provider = payments.configured(settings, context.db, context.clock, http)
    chat = Chat(context)
    api_of_line = LineApi.configured(settings, http, context.clock)
    service = Service(context, provider, api_of_line or chat)
    exports = Exports(
        settings.data / "exports" / "chiipochi", service.reports, settings.secrets.key("chiipochi/exports")
    )
    transports: dict[str, Transport] = {"line": api_of_line or chat, REFUNDS: Refunds(service)}
    if isinstance(provider, LocalProvider):
        transports["chiipochi.callback"] = LocalCallbacks(provider, service)
    return Parts(
        service=service,
        routes=[
            *webhook.routes(service, settings),
            *chat_pages.routes(context, service, chat, provider),
            *pages.routes(context, service),
            *operator_pages.routes(context, service, exports),
            *api.routes(service),
        ],
        reactions=[Rewards(context, service)],
        scheduled=jobs.scheduled(context, service, exports),
        recurring=jobs.RECURRING,
        jobs=jobs.jobs(context),
        transports=transports,
    )


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
