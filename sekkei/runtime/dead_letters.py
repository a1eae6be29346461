"""What was given up, of every kind, and why: messages, schedules, jobs, stream records. People retry it or drop it.

dead_letters = DeadLetters(runtime, clock, pumps)
found, cursor = await dead_letters.page(DeadLetterKind.MESSAGE, size=50)
await dead_letters.retry(found[0].kind, found[0].id)    # as if for the first time; a record is handled here and now
await dead_letters.drop(found[0].kind, found[0].id)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, Delete, Update
from sekkei.runtime import days
from sekkei.runtime.design import (
    FAILED,
    JOB,
    OUTBOX,
    SCHEDULE,
    SENT,
    JobRun,
    Message,
    Schedule,
    SetAside,
    State,
    alarms,
    failed_jobs,
    failed_messages,
    failed_schedules,
    job_runs,
    messages,
    newest_set_aside,
    schedules,
    set_aside,
)
from sekkei.runtime.pump import Pump
from sekkei.runtime.refusals import Conflict, NotThere

DROPPED_KEPT = timedelta(days=7)
"""Then a receipt is left of a message that was dropped."""


class DeadLetterKind(Enum):
    MESSAGE = "message"
    SCHEDULE = "schedule"
    JOB = "job"
    RECORD = "record"


class NobodyReads(Conflict):
    """The system whose reactions would handle a record does not run here."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One thing that was given up."""

    kind: DeadLetterKind
    id: str
    system: str
    what: str
    error: str
    attempts: int
    at: datetime
    content: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Names it among all kinds: `message:tasks/invite/1`."""
        return f"{self.kind.value}:{self.id}"


class DeadLetters:
    def __init__(self, runtime: Database, clock: Clock, pumps: Iterable[Pump] = ()) -> None:
        self._runtime = runtime
        self._clock = clock
        self._pumps = {pump.consumer: pump for pump in pumps}

    async def page(
        self, kind: DeadLetterKind, *, size: int, after: str | None = None
    ) -> tuple[list[DeadLetter], str | None]:
        """The newest first, and the cursor to go on with."""
        db = self._runtime
        if kind is DeadLetterKind.MESSAGE:
            sent = await db.page(failed_messages(), size=size, after=after)
            return [_of_message(one) for one in sent], sent.cursor
        if kind is DeadLetterKind.SCHEDULE:
            fired = await db.page(failed_schedules(), size=size, after=after)
            return [_of_schedule(one) for one in fired], fired.cursor
        if kind is DeadLetterKind.JOB:
            stopped = await db.page(failed_jobs(), size=size, after=after)
            return [_of_job(one) for one in stopped], stopped.cursor
        found = await db.page(newest_set_aside(), size=size, after=after)
        return [_of_record(one) for one in found], found.cursor

    async def retry(self, kind: DeadLetterKind, id: str) -> bool:
        """Have it done again. False: it was a stream record, and it fails still. Raises NotThere."""
        done = await self._retry(kind, id)
        await self._over(kind)
        return done

    async def _over(self, kind: DeadLetterKind) -> None:
        """The alarm ends with the last of them."""
        if not (await self.page(kind, size=1))[0]:
            await self._runtime.write(alarms.delete(f"dead-letters/{kind.value}"))

    async def _retry(self, kind: DeadLetterKind, id: str) -> bool:
        now = days.now(self._clock)
        if kind is DeadLetterKind.MESSAGE:
            update = messages.update(id).set(Message.state, State.QUEUED).set(Message.attempts, 0)
            update = update.set(Message.due_pk, OUTBOX).set(Message.due_at, now)
            await self._change(update.when(Message.state == State.FAILED))
        elif kind is DeadLetterKind.SCHEDULE:
            again = schedules.update(id).set(Schedule.attempts, 0).set(Schedule.due_pk, SCHEDULE)
            again = again.set(Schedule.due_at, now).remove(Schedule.expires)
            await self._change(again.when(Schedule.due_pk == FAILED + SCHEDULE))
        elif kind is DeadLetterKind.JOB:
            on = job_runs.update(id).set(JobRun.attempts, 0).set(JobRun.due_pk, JOB).set(JobRun.due_at, now)
            await self._change(on.when(JobRun.due_pk == FAILED + JOB))
        else:
            return await self._replay(id)
        return True

    async def drop(self, kind: DeadLetterKind, id: str) -> None:
        """Let go of it. A message stays to be read, so that its reason is not given once more. Raises NotThere."""
        await self._drop(kind, id)
        await self._over(kind)

    async def _drop(self, kind: DeadLetterKind, id: str) -> None:
        if kind is DeadLetterKind.MESSAGE:
            update = messages.update(id).set(Message.state, State.DROPPED)
            update = update.set(Message.due_pk, SENT).set(Message.due_at, days.now(self._clock) + DROPPED_KEPT)
            await self._change(update.when(Message.state == State.FAILED))
        elif kind is DeadLetterKind.SCHEDULE:
            await self._change(schedules.delete(id).when(Schedule.due_pk == FAILED + SCHEDULE))
        elif kind is DeadLetterKind.JOB:
            await self._change(job_runs.delete(id).when(JobRun.due_pk == FAILED + JOB))
        else:
            found = await self._record(id)
            await self._runtime.write(set_aside.delete(found.consumer, found.sequence))

    async def stop(self, id: str) -> None:
        """Set a job aside that fails and would be tried again for days. Raises NotThere when it does not wait."""
        update = job_runs.update(id).set(JobRun.due_pk, FAILED + JOB).set(JobRun.due_at, days.now(self._clock))
        failing = (JobRun.due_pk == JOB) & JobRun.last_error.exists() & JobRun.lease_by.absent()
        await self._change(update.when(failing))

    async def _change(self, action: Update[Any] | Delete[Any]) -> None:
        try:
            await self._runtime.write(action)
        except ConditionFailed:
            raise NotThere() from None

    async def _replay(self, id: str) -> bool:
        found = await self._record(id)
        pump = self._pumps.get(found.consumer)
        if pump is None:
            raise NobodyReads(consumer=found.consumer)
        return await pump.replay(found)

    async def _record(self, id: str) -> SetAside:
        consumer, _, sequence = id.rpartition("/")
        found = await self._runtime.get(set_aside(consumer or "-", sequence or "-").consistent())
        if found is None:
            raise NotThere()
        return found


def gist(message: Message) -> str:
    """One line that says what a message is about."""
    for name in ("subject", "title", "text", "body", "content"):
        if message.body.get(name):
            return str(message.body[name])[:160]
    return str(message.body)[:160] if message.body else message.id  # a receipt


def _of_message(one: Message) -> DeadLetter:
    at = one.due_at or one.created_at
    what = f"{one.kind} → {one.to}: {gist(one)}"
    return DeadLetter(
        DeadLetterKind.MESSAGE, one.id, one.system, what, one.last_error or "", one.attempts, at, one.body
    )


def _of_schedule(one: Schedule) -> DeadLetter:
    return DeadLetter(
        DeadLetterKind.SCHEDULE,
        one.name,
        one.system,
        one.job,
        one.last_error or "",
        one.attempts,
        one.due_at,
        one.payload,
    )


def _of_job(one: JobRun) -> DeadLetter:
    what = f"{one.job}: {one.step or '—'} ({one.done})"
    at = one.due_at or one.listed_at
    return DeadLetter(DeadLetterKind.JOB, one.id, one.system, what, one.last_error or "", one.attempts, at, one.payload)


def _of_record(one: SetAside) -> DeadLetter:
    system, _, table = one.consumer.partition("/")
    data = one.record.get("dynamodb", {})
    what = f"{one.record.get('eventName', '')} {table} {_keys(data.get('Keys', {}))}".strip()
    id = f"{one.consumer}/{one.sequence}"
    return DeadLetter(DeadLetterKind.RECORD, id, system, what, one.error, one.attempts, one.listed_at, one.record)


def _keys(keys: Mapping[str, Mapping[str, Any]]) -> str:
    return ", ".join(f"{name} = {next(iter(value.values()))}" for name, value in keys.items())
