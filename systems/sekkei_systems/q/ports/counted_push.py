"""A way out whose outcomes are counted for the operator: taken by the push service, given up, or the device is gone."""

from __future__ import annotations

import logging
from typing import Any

from sekkei.runtime.delivery import ATTEMPTS_MAX, TIMEOUT_SECONDS
from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Rejected, Transport, TryAgain, Undeliverable
from sekkei.runtime.transports.expo import DeviceGone
from sekkei_systems.q.ports.their_devices import SYSTEM
from sekkei_systems.q.rules.notices import GONE, NOT_THEIRS
from sekkei_systems.q.service.numbers import Numbers, Outcome

log = logging.getLogger("sekkei_systems.q.push")


class CountedPush:
    """Other systems may share the way out; what is theirs passes uncounted."""

    def __init__(self, out: Transport, numbers: Numbers) -> None:
        self._out = out
        self._numbers = numbers
        self.at_once: int = getattr(out, "at_once", 1)
        self.timeout_seconds: float = getattr(out, "timeout_seconds", TIMEOUT_SECONDS)

    async def send(self, message: Message) -> str:
        try:
            receipt = await self._out.send(message)
        except Undeliverable as error:
            await self._count(message, "gone" if isinstance(error, DeviceGone) else "failed")
            raise
        except (TryAgain, Rejected):
            raise
        except Exception:
            if message.attempts >= ATTEMPTS_MAX:
                await self._count(message, "failed")
            raise
        if receipt != NOT_THEIRS:  # nobody was to be told
            await self._count(message, "gone" if receipt == GONE else "sent")
        return receipt

    async def _count(self, message: Message, outcome: Outcome) -> None:
        """What went out must not go out again because it could not be counted."""
        if message.system != SYSTEM:
            return
        try:
            await self._numbers.push(message.id, outcome)
        except Exception as error:
            log.warning("a push was not counted", extra={"message_id": message.id, "error": repr(error)})

    def __getattr__(self, name: str) -> Any:
        """What else the way out says of itself."""
        return getattr(self._out, name)
