"""What was given up, of every kind, and why: messages, schedules, jobs, stream records, parts of streams.

People retry it or drop it, and skip what holds others back: a job that always fails, a shard that cannot be read. Who
did so is written down with it (`sekkei.runtime.acts`).

dead_letters = DeadLetters(runtime, clock, pumps)
found, cursor = await dead_letters.page(DeadLetterKind.MESSAGE, size=50)
await dead_letters.retry(found[0].kind, found[0].id)    # as if for the first time; a record is handled here and now
await dead_letters.drop(found[0].kind, found[0].id, by="aoi@example.com")
await dead_letters.skip(DeadLetterKind.SHARD, "tasks/task-table-v3/shardId-1", by="aoi@example.com")
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Database, Delete, TransactionFailed, Update
from sekkei.runtime import days
from sekkei.runtime.acts import Acts
from sekkei.runtime.design import (
    FAILED,
    JOB,
    OUTBOX,
    SCHEDULE,
    SENT,
    Checkpoint,
    JobRun,
    Message,
    Schedule,
    SetAside,
    State,
    UnreadShard,
    alarms,
    checkpoints,
    failed_jobs,
    failed_messages,
    failed_schedules,
    job_runs,
    messages,
    newest_set_aside,
    newest_unread_shards,
    schedules,
    set_aside,
    unread_shards,
)
from sekkei.runtime.pump import Pump
from sekkei.runtime.refusals import Conflict, NotThere

_DROPPED_KEPT = timedelta(days=7)
"""Then a receipt is left of a message that was dropped."""


class DeadLetterKind(Enum):
    MESSAGE = "message"
    SCHEDULE = "schedule"
    JOB = "job"
    RECORD = "record"
    SHARD = "shard"


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
    waits: bool = False
    """It holds back what comes after it: nothing to be dropped or taken up again, but to be skipped."""

    @property
    def name(self) -> str:
        """Names it among all kinds: `message:tasks/invite/1`."""
        return f"{self.kind.value}:{self.id}"


@dataclass(frozen=True, slots=True)
class _Act:
    """Who does what with which."""

    by: str
    what: str
    kind: DeadLetterKind
    id: str

    @property
    def subject(self) -> str:
        return f"{self.kind.value}:{self.id}"


class DeadLetters:
    def __init__(self, runtime: Database, clock: Clock, pumps: Iterable[Pump] = ()) -> None:
        self._runtime = runtime
        self._clock = clock
        self._pumps = {pump.consumer: pump for pump in pumps}
        self._acts = Acts(runtime, clock)

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
        if kind is DeadLetterKind.SHARD:
            unread = await db.page(newest_unread_shards(), size=size, after=after)
            return [_of_shard(one) for one in unread], unread.cursor
        found = await db.page(newest_set_aside(), size=size, after=after)
        return [_of_record(one) for one in found], found.cursor

    async def retry(self, kind: DeadLetterKind, id: str, *, by: str = "") -> bool:
        """Have it done again. False: it was a stream record, and it fails still. Raises NotThere."""
        done = await self._retry(kind, id, by)
        await self._over(kind)
        return done

    async def _over(self, kind: DeadLetterKind) -> None:
        """The alarm ends with the last of them."""
        if not (await self.page(kind, size=1))[0]:
            await self._runtime.write(alarms.delete(f"dead-letters/{kind.value}"))

    async def _retry(self, kind: DeadLetterKind, id: str, by: str) -> bool:
        now, act = days.now(self._clock), _Act(by, "retry", kind, id)
        if kind is DeadLetterKind.MESSAGE:
            update = messages.update(id).set(Message.state, State.QUEUED).set(Message.attempts, 0)
            update = update.set(Message.due_pk, OUTBOX).set(Message.due_at, now).remove(Message.unsure_since)
            await self._change(act, update.when(Message.state == State.FAILED))
        elif kind is DeadLetterKind.SCHEDULE:
            again = schedules.update(id).set(Schedule.attempts, 0).set(Schedule.due_pk, SCHEDULE)
            again = again.set(Schedule.due_at, now).remove(Schedule.expires)
            await self._change(act, again.when(Schedule.due_pk == FAILED + SCHEDULE))
        elif kind is DeadLetterKind.JOB:
            on = job_runs.update(id).set(JobRun.attempts, 0).set(JobRun.due_pk, JOB).set(JobRun.due_at, now)
            await self._change(act, on.when(JobRun.due_pk == FAILED + JOB))
        elif kind is DeadLetterKind.SHARD:
            await self._take_up(act)
        else:
            return await self._replay(act)
        return True

    async def drop(self, kind: DeadLetterKind, id: str, *, by: str = "") -> None:
        """Let go of it. A message stays to be read, so that its reason is not given once more. Raises NotThere."""
        await self._drop(_Act(by, "drop", kind, id))
        await self._over(kind)

    async def _drop(self, act: _Act) -> None:
        kind, id = act.kind, act.id
        if kind is DeadLetterKind.MESSAGE:
            update = messages.update(id).set(Message.state, State.DROPPED)
            update = update.set(Message.due_pk, SENT).set(Message.due_at, days.now(self._clock) + _DROPPED_KEPT)
            await self._change(act, update.when(Message.state == State.FAILED))
        elif kind is DeadLetterKind.SCHEDULE:
            await self._change(act, schedules.delete(id).when(Schedule.due_pk == FAILED + SCHEDULE))
        elif kind is DeadLetterKind.JOB:
            await self._change(act, job_runs.delete(id).when(JobRun.due_pk == FAILED + JOB))
        elif kind is DeadLetterKind.SHARD:
            gone = unread_shards.delete(*_split(id)).when(UnreadShard.skipped_at.exists())
            await self._change(act, gone)
        else:
            found = await self._record(id)
            await self._change(act, set_aside.delete(found.consumer, found.sequence).must_exist(), why=found.error)

    async def skip(self, kind: DeadLetterKind, id: str, *, by: str = "") -> None:
        """Let what waits behind it pass; it stays here, to be read and taken up again. Raises NotThere."""
        act = _Act(by, "skip", kind, id)
        if kind is DeadLetterKind.JOB:
            await self._stop(act)
        elif kind is DeadLetterKind.SHARD:
            await self._pass_over(act)
        else:
            raise NotThere()  # these have stepped aside by themselves

    async def stop(self, id: str, *, by: str = "") -> None:
        """Set a job aside that fails and would be tried again for days. Raises NotThere when it does not wait."""
        await self.skip(DeadLetterKind.JOB, id, by=by)

    async def _stop(self, act: _Act) -> None:
        update = job_runs.update(act.id).set(JobRun.due_pk, FAILED + JOB).set(JobRun.due_at, days.now(self._clock))
        failing = (JobRun.due_pk == JOB) & JobRun.last_error.exists() & JobRun.lease_by.absent()
        await self._change(act, update.when(failing))

    async def _pass_over(self, act: _Act) -> None:
        """The reader takes the shard for read to its end, and goes on with those that come after it."""
        consumer, shard = _split(act.id)
        now = days.now(self._clock)
        row = unread_shards.update(consumer, shard).set(UnreadShard.skipped_at, now)
        over = checkpoints.upsert(consumer, shard).set(Checkpoint.finished, True)
        found = await self._runtime.get(unread_shards(consumer, shard).consistent())
        why = found.error if found is not None else ""
        await self._change(act, row.when(UnreadShard.skipped_at.absent()), over, why=why)

    async def _take_up(self, act: _Act) -> None:
        """Read on after the last record that was read; what came after the shard has been handled by then."""
        consumer, shard = _split(act.id)
        row = unread_shards.update(consumer, shard).remove(UnreadShard.skipped_at)
        again = checkpoints.upsert(consumer, shard).set(Checkpoint.finished, False)
        await self._change(act, row, again)
        pump = self._pumps.get(consumer)
        if pump is not None:
            pump.try_again(shard)

    async def _change(self, act: _Act, *actions: Update[Any] | Delete[Any], why: str = "") -> None:
        try:
            await self._runtime.transact(*actions, self._acts.row(act.by, act.what, act.subject, why))
        except TransactionFailed:
            raise NotThere() from None

    async def _replay(self, act: _Act) -> bool:
        found = await self._record(act.id)
        pump = self._pumps.get(found.consumer)
        if pump is None:
            raise NobodyReads(consumer=found.consumer)
        await self._runtime.write(self._acts.row(act.by, act.what, act.subject, found.error))
        return await pump.replay(found)

    async def _record(self, id: str) -> SetAside:
        found = await self._runtime.get(set_aside(*_split(id)).consistent())
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


def _of_shard(one: UnreadShard) -> DeadLetter:
    system, _, table = one.consumer.partition("/")
    content = {"shard": one.shard, "after": one.sequence, "skipped_at": one.skipped_at}
    return DeadLetter(
        DeadLetterKind.SHARD,
        f"{one.consumer}/{one.shard}",
        system,
        f"{table} {one.shard}",
        one.error,
        one.attempts,
        one.listed_at,
        content,
        waits=one.skipped_at is None,
    )


def _split(id: str) -> tuple[str, str]:
    """A reader of a stream, and which part of it."""
    consumer, _, inside = id.rpartition("/")
    return consumer or "-", inside or "-"


def _keys(keys: Mapping[str, Mapping[str, Any]]) -> str:
    return ", ".join(f"{name} = {next(iter(value.values()))}" for name, value in keys.items())
