"""The runtime's own work by the clock: cutting what was sent down to receipts."""

from __future__ import annotations

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime import days
from sekkei.runtime.design import Message, State, messages_to_cut
from sekkei.runtime.jobs import Payload
from sekkei.runtime.leases import take
from sekkei.runtime.receipts import cutting
from sekkei.runtime.system import Parts

NAME = "runtime"
PAGE_ITEMS = 100
DONE = (State.SENT, State.DROPPED)


class Upkeep:
    def __init__(self, runtime: Database, clock: Clock) -> None:
        self._runtime = runtime
        self._clock = clock

    def parts(self) -> Parts:
        return Parts(scheduled={"receipts": self.cut}, recurring={"receipts": "17 * * * *"})

    async def cut(self, payload: Payload) -> None:
        """Leave receipts of what was sent long enough ago."""
        after: str | None = None
        while True:
            page = await self._runtime.page(messages_to_cut(days.now(self._clock)), size=PAGE_ITEMS, after=after)
            for message in page:
                await take(self._runtime, cutting(message.id).when(Message.state.one_of(*DONE)))
            after = page.cursor
            if after is None:
                return
