"""The local provider's notices, on their way to where a real one would post them."""

from __future__ import annotations

from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Undeliverable
from sekkei_systems.chiipochi.local.payments import LocalProvider
from sekkei_systems.chiipochi.service.settling import Settling


class LocalCallbacks:
    """Tried again until they are taken."""

    def __init__(self, provider: LocalProvider, settling: Settling) -> None:
        self._provider, self._settling = provider, settling

    async def send(self, message: Message) -> str:
        payment = await self._provider.payment(message.to)
        if payment is None:
            raise Undeliverable("there is no such payment")
        return await self._settling.receive("local", *self._provider.callback(payment))
