"""The outbox: what goes to the outside is written down first, in the transaction of its cause, and sent afterwards.

A message has an id that says why it is sent; there is one message for one reason, however often the reason is given.
Sending is tried again with growing pauses. Every message can be read, whether it went out or not.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any, Protocol

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, Put, Update
from sekkei.runtime import days
from sekkei.runtime.design import FAILED, OUTBOX, Message, State, due_messages, messages
from sekkei.runtime.failures import one_line
from sekkei.runtime.leases import Due, LeaseLost, Leases, due, take
from sekkei.runtime.retries import backoff

ATTEMPTS_MAX = 12
KEPT = timedelta(days=90)
SHELL = "web"
"""What the web shell itself sends, such as codes to sign in with; every process may see to it."""

log = logging.getLogger("sekkei.runtime.outbox")


class Undeliverable(Exception):
    """It will never go out: a refused address, a message the provider rejects. Not tried again."""


class Transport(Protocol):
    """A way out for one kind of message."""

    async def send(self, message: Message) -> str:
        """Send it; returns what the provider calls it. Raises Undeliverable, or anything else to be tried again."""
        ...


class Shown:
    """The local end: the message is kept where people can read it, and that is where it ends."""

    async def send(self, message: Message) -> str:
        return "shown"


class Outbox:
    """`await db.transact(effect, outbox.message(...))`, or `await outbox.put(...)` alone."""

    def __init__(self, runtime: Database, clock: Clock, system: str) -> None:
        self._runtime = runtime
        self._clock = clock
        self._system = system

    def message(
        self, kind: str, to: str, body: Mapping[str, Any], *, id: str, after: timedelta = timedelta()
    ) -> Put[Message]:
        """An action for a transaction. The transaction fails if the same reason has been given before."""
        now = days.now(self._clock)
        return messages.create(
            Message(
                id=f"{self._system}/{id}",
                system=self._system,
                kind=kind,
                to=to,
                body=dict(body),
                created_at=now,
                due_at=now + after,
                listed_at=now,
                expires=now + KEPT,
            )
        )

    async def put(
        self, kind: str, to: str, body: Mapping[str, Any], *, id: str, after: timedelta = timedelta()
    ) -> bool:
        """Write one message down; False when this reason has been given before."""
        try:
            await self._runtime.write(self.message(kind, to, body, id=id, after=after))
        except ConditionFailed:
            return False
        return True

    async def get(self, id: str) -> Message | None:
        return await self._runtime.get(messages(f"{self._system}/{id}").consistent())


class Delivery:
    """Sends what waits in the outbox. What the systems of another process wrote is left to it, unless there is a way
    out for it here; without `systems` nothing is another's."""

    def __init__(
        self,
        runtime: Database,
        clock: Clock,
        transports: Mapping[str, Transport],
        worker: str = "worker",
        systems: Collection[str] | None = None,
    ) -> None:
        self._runtime = runtime
        self._clock = clock
        self._transports = dict(transports)
        self._worker = worker
        self._systems = None if systems is None else {SHELL, *systems}
        self._local = Shown()
        self._leases = Leases(runtime, clock, Message.lease_until, Message.lease_by)
        self.when = Due(clock)

    async def run_once(self, limit: int = 50) -> int:
        """Send what is due now; returns how many messages were tried."""
        found = await due(self._runtime, due_messages(self.when.until), self._is_ours, limit)
        tried = await asyncio.gather(*(self._deliver(message) for message in self.when.now_of(found, Message.due_at)))
        return sum(tried)

    def _is_ours(self, message: Message) -> bool:
        return self._systems is None or message.system in self._systems or message.kind in self._transports

    async def _deliver(self, message: Message) -> bool:
        taken = await self._begin(message)
        if taken is None:
            return False
        transport = self._transports.get(taken.kind, self._local)
        try:
            row = messages.update(taken.id)
            receipt = await self._leases.keep(row, taken.lease_by or "", transport.send(taken))
        except Undeliverable as error:
            await self._give_up(taken, error)
        except LeaseLost as error:
            log.warning("a message was left to another worker", extra={"message_id": taken.id, "error": str(error)})
        except Exception as error:
            log.warning("a message could not be sent", extra={"message_id": taken.id, "error": one_line(error)})
            await self._try_later(taken, error)
        else:
            await self._sent(taken, receipt)
        return True

    async def _begin(self, message: Message) -> Message | None:
        update = messages.update(message.id).add(Message.attempts, 1)
        update = update.when(Message.state == State.QUEUED, self._leases.free())
        return await take(self._runtime, self._leases.taking(update, self._leases.token(self._worker)))

    async def _sent(self, message: Message, receipt: str) -> None:
        """Whoever holds the lease now: what went out went out, and must not go out once more."""
        await self._runtime.write(
            messages.update(message.id)
            .set(Message.state, State.SENT)
            .set(Message.sent_at, days.now(self._clock))
            .set(Message.receipt, receipt)
            .remove(Message.due_pk)
            .remove(Message.due_at)
            .remove(Message.lease_until)
            .remove(Message.lease_by)
            .remove(Message.last_error)
        )

    async def _give_up(self, message: Message, error: Exception) -> None:
        await self._put_down(
            message,
            messages.update(message.id)
            .set(Message.state, State.FAILED)
            .set(Message.last_error, one_line(error))
            .set(Message.due_pk, FAILED + OUTBOX)
            .set(Message.due_at, days.now(self._clock)),
        )

    async def _try_later(self, message: Message, error: Exception) -> None:
        if message.attempts >= ATTEMPTS_MAX:
            await self._give_up(message, error)
            return
        await self._put_down(
            message,
            messages.update(message.id)
            .set(Message.due_at, days.now(self._clock) + backoff(message.attempts, self._clock))
            .set(Message.last_error, one_line(error)),
        )

    async def _put_down(self, message: Message, update: Update[Message]) -> None:
        """End a try that failed; when another worker has taken it meanwhile, it is theirs."""
        await take(self._runtime, self._leases.putting_down(update, message.lease_by))
