"""The local Stripe inside a program: where no real account is set up, people click through payments here."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Transport
from sekkei.web import Given
from sekkei_fakes.stripe import payment_pages
from sekkei_fakes.stripe.account import CALLBACK, LocalAccount
from sekkei_fakes.stripe.server import KEY
from sekkei_systems.chiipochi.service.payments import Settling


class OwnStripe(LocalAccount):
    key = KEY

    def routes(self, given: Given) -> list[BaseRoute]:
        return payment_pages.pages.routes(given.value(LocalAccount, self))

    def transports(self, settling: Settling) -> dict[str, Transport]:
        return {CALLBACK: LocalCallbacks(self, settling)}


class LocalCallbacks:
    """The local Stripe's news, on their way to where the real one would post them; tried until they are taken."""

    def __init__(self, account: LocalAccount, settling: Settling) -> None:
        self._account, self._settling = account, settling

    async def send(self, message: Message) -> str:
        notice = await self._account.notice(message.to, message.body.get("event"))
        return "time passed" if notice is None else await self._settling.receive("local", *notice)
