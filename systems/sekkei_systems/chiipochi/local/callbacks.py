"""The local Stripe's news, on their way to where the real one would post them."""

from __future__ import annotations

from sekkei.runtime.design import Message
from sekkei_systems.chiipochi.local.account import LocalAccount
from sekkei_systems.chiipochi.service.settling import Settling


class LocalCallbacks:
    """Tried again until they are taken."""

    def __init__(self, account: LocalAccount, settling: Settling) -> None:
        self._account, self._settling = account, settling

    async def send(self, message: Message) -> str:
        notice = await self._account.notice(message.to, message.body.get("event"))
        return "time passed" if notice is None else await self._settling.receive("local", *notice)
