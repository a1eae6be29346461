"""The runtime's own work by the clock: cutting what was sent down to receipts, sealing what earlier versions wrote."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, replace
from sekkei.runtime import days
from sekkei.runtime.design import SENT, Message, State, messages, messages_to_cut, newest_messages
from sekkei.runtime.jobs import Job, Payload, Progress
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
        return Parts(
            scheduled={"receipts": self.cut},
            recurring={"receipts": "17 * * * *"},
            jobs={"seal": Job([("messages", self.seal)])},
            once=["seal"],
        )

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

    async def seal(self, payload: Payload, cursor: str | None) -> Progress:
        """Seal what an earlier version wrote in clear, or leave receipts of it."""
        page = await self._runtime.page(newest_messages(), size=PAGE_ITEMS, after=cursor)
        for message in page:
            await self._seal(message)
        return Progress(len(page), page.cursor)

    async def _seal(self, message: Message) -> None:
        if message.state in DONE:
            if not message.to:
                return  # a receipt already
            until = _kept_until(message)
            if until <= days.now(self._clock):
                await take(self._runtime, cutting(message.id).when(Message.state == message.state))
                return
            message = replace(message, due_pk=SENT, due_at=until)
        await self._written_anew(message)

    async def _written_anew(self, message: Message) -> None:
        """Sealed as it is put. One that is being sent meanwhile stays as it is: it is cut down before long."""
        same = (Message.state == message.state) & (Message.attempts == message.attempts)
        with suppress(ConditionFailed):
            await self._runtime.write(messages.put(message).when(same, Message.lease_by.absent()))


def _kept_until(message: Message) -> datetime:
    return (message.sent_at or message.created_at) + timedelta(days=message.kept_days)
