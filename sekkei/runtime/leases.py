"""Taking something to work on, so that of several workers one does it, and another one can after a crash.

A lease is a time and a token in the row itself. It is renewed for as long as the work takes; whoever has lost it (a
machine that slept, a store that did not answer) stops, and a token that is no longer there cannot save anything.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from sekkei.clock import Clock
from sekkei.design import Condition, ConditionFailed, Contended, Database, Field, Query, Update
from sekkei.runtime import days
from sekkei.runtime.deadlines import end

M = TypeVar("M")
T = TypeVar("T")

LEASE = timedelta(seconds=60)
RENEWALS = 3
"""So many tries fall into one lease, so that one that fails costs nothing."""

log = logging.getLogger("sekkei.runtime.leases")


class LeaseLost(Exception):
    """Somebody else works on it by now, or it is gone: whoever gets this leaves it alone."""


class Leases(Generic[M]):
    """How rows of one entity are taken, kept and put down."""

    def __init__(
        self,
        runtime: Database,
        clock: Clock,
        until: Field[M, Any],
        by: Field[M, Any],
        length: timedelta = LEASE,
    ) -> None:
        self._runtime = runtime
        self._clock = clock
        self._until = until
        self._by = by
        self._length = length
        self._renew_seconds = length.total_seconds() / RENEWALS

    def token(self, worker: str) -> str:
        """Names who works, and this one time: the same worker later is another holder."""
        return f"{worker}/{self._clock.uuid()}"

    async def take(self, row: Update[M], worker: str) -> str | None:
        """The token of whoever works on the row from now on; None while another one does, or when there is no row."""
        token = self.token(worker)
        try:
            await self._runtime.write(self.taking(row, token).when(self.free()))
        except (ConditionFailed, Contended):
            return None
        return token

    async def hold(self, row: Update[M], token: str, work: Awaitable[T]) -> T:
        """Do what it was taken for, and put it down. Raises LeaseLost, and stops the work, when it is lost."""
        try:
            return await self.keep(row, token, work)
        finally:
            with suppress(ConditionFailed):  # lost, or gone
                await self._runtime.write(self.putting_down(row, token))

    def taking(self, update: Update[M], token: str) -> Update[M]:
        """Known by its token: an answer that was lost does not lock us out of our own lease."""
        return update.set(self._until, self._end()).set(self._by, token).known_by(self._by)

    def free(self) -> Condition[M]:
        """Nobody works on it, or whoever did has been silent for too long."""
        return self._until.absent() | (self._until < days.now(self._clock))

    def held(self, token: str | None) -> Condition[M]:
        """The lease is still the one that was taken: whoever was too slow must not undo what another one does now."""
        return self._by.absent() if token is None else self._by == token

    def putting_down(self, update: Update[M], token: str | None) -> Update[M]:
        """The end of the work; nothing happens when another one has the lease."""
        return update.remove(self._until).remove(self._by).when(self.held(token))

    async def keep(self, row: Update[M], token: str, work: Awaitable[T]) -> T:
        """Do the work and renew the row's lease meanwhile. Raises LeaseLost, and stops the work, when it is lost."""
        task = asyncio.ensure_future(work)
        held_until = self._end()
        try:
            while not (await asyncio.wait({task}, timeout=self._renew_seconds))[0]:
                renewed = self._end()
                if await self._renew(row, token):
                    held_until = renewed
                elif held_until <= days.now(self._clock):
                    raise LeaseLost("The store did not answer for as long as the lease was.")
            return task.result()
        except (Exception, asyncio.CancelledError):
            await end(task)
            raise

    async def _renew(self, row: Update[M], token: str) -> bool:
        """False when the store has not answered, which may be better the next time."""
        try:
            await self._runtime.write(row.set(self._until, self._end()).when(self.held(token)))
        except ConditionFailed:
            raise LeaseLost("Another worker has taken it.") from None
        except Exception as error:
            log.warning("a lease could not be renewed", extra={"token": token, "error": repr(error)})
            return False
        return True

    def must_renew(self, held_until: datetime) -> bool:
        """At half of its life: early enough for a second try, and no write before that."""
        return days.now(self._clock) >= held_until - self._length / 2

    def _end(self) -> datetime:
        return days.now(self._clock) + self._length


class Due:
    """When the next thing is due that could be seen at the last look; whoever waits need not look before."""

    SOON = timedelta(seconds=30)
    """How far a look sees ahead: to the next one, even if the store is quiet until then."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.next: datetime | None = None

    def sooner(self, moment: datetime) -> None:
        """Something else is to be looked at by then."""
        if self.next is None or moment < self.next:
            self.next = moment

    def seconds(self) -> float | None:
        return None if self.next is None else max(0.0, (self.next - days.now(self._clock)).total_seconds())

    def now_of(self, rows: Iterable[M], at: Field[M, Any]) -> list[M]:
        """Those that are due; the first of the others is what `next` says."""
        now = days.now(self._clock)
        times = [(getattr(row, at.name), row) for row in rows]
        self.next = min((time for time, _ in times if time > now), default=None)
        return [row for time, row in times if time <= now]

    @property
    def until(self) -> datetime:
        return days.now(self._clock) + self.SOON


async def due(db: Database, query: Query[M], is_ours: Callable[[M], bool], limit: int) -> list[M]:
    """The first of what is due here. What waits for a system of another process must not stand in its way."""
    found: list[M] = []
    after: str | None = None
    while True:
        page = await db.page(query, size=limit, after=after)
        found += [one for one in page if is_ours(one)]
        after = page.cursor
        if after is None or len(found) >= limit:
            return found[:limit]


async def take(db: Database, update: Update[M]) -> M | None:
    """Carry out the update that takes the lease; None when somebody else was quicker."""
    try:
        return await db.write(update)
    except ConditionFailed:
        return None
