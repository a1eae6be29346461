"""Durable schedules: something to be done at a time, kept in the store, done by whichever worker takes it first.

At least once: a worker that dies while it works leaves a lease that runs out, and another one does it again. What was
due while nobody ran is done when somebody does. The name makes putting a schedule idempotent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Protocol

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, Delete, Put
from sekkei.kit.retries import backoff
from sekkei.runtime import days
from sekkei.runtime.cron import Cron
from sekkei.runtime.deadlines import within
from sekkei.runtime.design import FAILED, SCHEDULE, Schedule, due_schedules, schedules
from sekkei.runtime.failures import error_line
from sekkei.runtime.leases import Due, Leases, due, take

ATTEMPTS_MAX = 10
LIMIT_SECONDS = 900.0
"""As long as AWS Lambda would let it; what takes longer is a job with steps."""
_KEPT_AFTER_FAILURE = timedelta(days=30)


class Schedules(Protocol):
    """The port. The local end is `StoredSchedules`; the real one is EventBridge Scheduler."""

    async def put(
        self, name: str, job: str, payload: Mapping[str, Any], *, at: datetime | None = None, cron: str | None = None
    ) -> None:
        """Have a job done at a time, or again and again. One that has this name is replaced."""
        ...

    async def delete(self, name: str) -> None:
        """Forget a schedule; one that is not there is fine."""
        ...


class StoredSchedules:
    """Schedules as rows of the runtime's table."""

    def __init__(
        self, runtime: Database, clock: Clock, system: str, worker: str = "worker", zone: tzinfo = UTC
    ) -> None:
        self._runtime = runtime
        self._clock = clock
        self._system = system
        self._zone = zone
        self._worker = worker
        self._leases = Leases(runtime, clock, Schedule.lease_until, Schedule.lease_by)
        self.when = Due(clock)

    def put_action(
        self, name: str, job: str, payload: Mapping[str, Any], *, at: datetime | None = None, cron: str | None = None
    ) -> Put[Schedule]:
        """The same as `put`, to join a transaction."""
        if (at is None) == (cron is None):
            raise ValueError("A schedule has either a time or a cron text.")
        due = at if at is not None else self._next(cron or "")
        return schedules.put(
            Schedule(name=name, system=self._system, job=job, payload=dict(payload), cron=cron, due_at=due)
        )

    def delete_action(self, name: str) -> Delete[Schedule]:
        return schedules.delete(name)

    async def put(
        self, name: str, job: str, payload: Mapping[str, Any], *, at: datetime | None = None, cron: str | None = None
    ) -> None:
        await self._runtime.write(self.put_action(name, job, payload, at=at, cron=cron))

    async def delete(self, name: str) -> None:
        await self._runtime.write(schedules.delete(name))

    async def due(self, is_ours: Callable[[Schedule], bool], limit: int = 25) -> list[Schedule]:
        """What is due now and can be done here, the oldest first."""
        found = await due(self._runtime, due_schedules(self.when.until), is_ours, limit)
        return self.when.now_of(found, Schedule.due_at)

    async def begin(self, schedule: Schedule) -> Schedule | None:
        """Take it; None when another worker has it, or it has been changed or done meanwhile."""
        update = schedules.update(schedule.name).add(Schedule.attempts, 1)
        unchanged = (Schedule.due_pk == SCHEDULE) & (Schedule.due_at == schedule.due_at)
        update = update.when(unchanged, self._leases.free())
        return await take(self._runtime, self._leases.taking(update, self._leases.token(self._worker)))

    async def carry_out(self, schedule: Schedule, work: Awaitable[object], seconds: float = LIMIT_SECONDS) -> None:
        """Do what a schedule that was taken is for. Raises LeaseLost, and TookTooLong when it has no end."""
        limited = within(seconds, work, self._clock)
        await self._leases.keep(schedules.update(schedule.name), schedule.lease_by or "", limited)

    async def finish(self, schedule: Schedule, error: BaseException | None = None) -> None:
        """Done: gone, or due again. The error is that of one that was given up until its next time."""
        if schedule.cron is None:
            await self._settle(schedules.delete(schedule.name).when(self._leases.held(schedule.lease_by)))
            return
        # From now on, not from when it was due: what was missed is done once, not once for every time missed.
        again = self._next(schedule.cron)
        update = schedules.update(schedule.name).set(Schedule.due_at, again).set(Schedule.attempts, 0)
        error_kept = Schedule.last_error
        update = update.remove(error_kept) if error is None else update.set(error_kept, error_line(error))
        await self._settle(self._leases.putting_down(update, schedule.lease_by))

    async def fail(self, schedule: Schedule, error: BaseException) -> None:
        """Not done: tried again later, and after too many times left to be looked at."""
        if schedule.attempts >= ATTEMPTS_MAX and schedule.cron is not None:
            await self.finish(schedule, error)
            return
        now = days.now(self._clock)
        update = schedules.update(schedule.name).set(Schedule.last_error, error_line(error))
        if schedule.attempts >= ATTEMPTS_MAX:
            update = update.set(Schedule.due_pk, FAILED + SCHEDULE).set(Schedule.due_at, now)
            update = update.set(Schedule.expires, now + _KEPT_AFTER_FAILURE)
        else:
            update = update.set(Schedule.due_at, now + backoff(schedule.attempts, self._clock))
        await self._settle(self._leases.putting_down(update, schedule.lease_by))

    def _next(self, cron: str) -> datetime:
        return Cron(cron).after(days.now(self._clock).astimezone(self._zone))

    async def _settle(self, action: Any) -> None:
        try:
            await self._runtime.write(action)
        except ConditionFailed:
            pass  # put anew while it ran, so what is there now is another one; or taken over by another worker
