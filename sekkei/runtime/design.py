"""The runtime's own table: what waits for its time, what was sent, what has been read, what happened already.

One table for all systems on a store, added to their designs and named alike everywhere. What waits carries `due_pk` and
`due_at` and so stands in the index `due`; what is done loses them and drops out of it.
"""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import Any

from sekkei.design import Attr, Design, Index, Key, Query, attr, epoch, iso, model, part
from sekkei.runtime.settings import shared

design = Design(
    "runtime",
    ja="ランタイム: 予約実行・送信箱・ストリームの読み取り位置・冪等キー・ジョブ",
    en="Runtime: schedules, outbox, stream checkpoints, idempotency keys, jobs",
)

table = design.table(
    "sekkei-runtime",
    "PK",
    "SK",
    discriminator="type",
    ttl="expires",
    indexes=[
        Index("due", "due_pk", "due_at", added=True, ja="時刻待ち", en="What waits for its time"),
        Index("listed", "listed_pk", "listed_at", added=True, ja="新しい順の一覧", en="Lists, newest first"),
    ],
    added=True,
    ja="すべてのシステムが共有する実行時の表",
    en="What every system needs at run time",
)
table.shared = shared()

MILLISECONDS = iso("Z", 3)


SCHEDULE = "SCHEDULE"
OUTBOX = "OUTBOX"
JOB = "JOB"
"""What waits for its time, by kind: the partitions of the index `due`."""
SENT = "SENT"
"""What went out, or need not: it waits in the same index to be cut down to a receipt."""
FAILED = "FAILED#"
"""Before the kind: what was given up stands in the same index until somebody tries it again or drops it."""


class State(Enum):
    """Of a message in the outbox."""

    QUEUED = "queued"
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"
    """Failed, and somebody decided that it need not go out."""


@model
class Schedule:
    """Something to be done at a time, once or again and again."""

    name: Attr[str] = part(escape=True)
    system: Attr[str] = attr()
    job: Attr[str] = attr()
    payload: Attr[dict[str, Any]] = attr(default_factory=dict)
    cron: Attr[str | None] = attr(default=None, en="Five fields, in the system's zone; absent when it fires once")
    due_pk: Attr[str | None] = attr(default=SCHEDULE)
    due_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    lease_until: Attr[datetime | None] = attr(default=None, stored_as=MILLISECONDS)
    lease_by: Attr[str | None] = attr(default=None)
    attempts: Attr[int] = attr(default=0)
    last_error: Attr[str | None] = attr(default=None)
    expires: Attr[datetime | None] = attr(default=None, stored_as=epoch())


@table.entity(Schedule, type="schedule")
def schedules(name: str) -> Key:
    """By name, so that putting one twice is putting it once."""
    return Key(f"SCHEDULE#{name}", "SCHEDULE")


@model
class Message:
    """One message to the outside: a mail, a push, a chat message, a webhook."""

    id: Attr[str] = part(escape=True)
    system: Attr[str] = attr()
    kind: Attr[str] = attr(en="mail, push, line, discord, webhook")
    to: Attr[str] = attr()
    people: Attr[frozenset[str]] = attr(default=frozenset(), en="Whose it is and whom it tells of, beside the address")
    body: Attr[dict[str, Any]] = attr()
    kept_days: Attr[int] = attr(default=7, en="Of what was sent; then a receipt is left")
    state: Attr[State] = attr(default=State.QUEUED)
    attempts: Attr[int] = attr(default=0)
    unsure_since: Attr[datetime | None] = attr(
        default=None, stored_as=MILLISECONDS, en="When the first attempt ended of which nobody knows whether it arrived"
    )
    last_error: Attr[str | None] = attr(default=None)
    receipt: Attr[str | None] = attr(default=None, en="What the provider called it")
    created_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    sent_at: Attr[datetime | None] = attr(default=None, stored_as=MILLISECONDS)
    due_pk: Attr[str | None] = attr(default=OUTBOX)
    due_at: Attr[datetime | None] = attr(default=None, stored_as=MILLISECONDS)
    listed_pk: Attr[str] = attr(default="OUTBOX")
    listed_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    lease_until: Attr[datetime | None] = attr(default=None, stored_as=MILLISECONDS)
    lease_by: Attr[str | None] = attr(default=None)
    expires: Attr[datetime | None] = attr(default=None, stored_as=epoch())


@table.entity(Message, type="message")
def messages(id: str) -> Key:
    """The id is the dedupe key, so nothing is sent twice for one reason."""
    return Key(f"OUTBOX#{id}", "MESSAGE")


@model
class Hold:
    """A way out that every process leaves alone for a while, because the provider asked for it or refuses us."""

    kind: Attr[str] = part(escape=True)
    until: Attr[datetime] = attr(stored_as=MILLISECONDS)
    reason: Attr[str] = attr()
    expires: Attr[datetime] = attr(stored_as=epoch())


@table.entity(Hold, type="hold")
def holds(kind: str) -> Key:
    return Key(f"HOLD#{kind}", "HOLD")


@model
class HeldPlace:
    """One destination that every process leaves alone for a while, because the provider asked for it."""

    kind: Attr[str] = part(escape=True)
    place: Attr[str] = part(en="A hash of the destination")
    until: Attr[datetime] = attr(stored_as=MILLISECONDS)
    expires: Attr[datetime] = attr(stored_as=epoch())


@table.entity(HeldPlace, type="held_place")
def held_places(kind: str, place: str) -> Key:
    return Key(f"HOLD#{kind}", f"PLACE#{place}")


@model
class Alarm:
    """Something that only an operator can mend."""

    name: Attr[str] = part(escape=True)
    detail: Attr[str] = attr()
    count: Attr[int] = attr(default=0)
    first_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    listed_pk: Attr[str] = attr(default="ALARM")
    listed_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    expires: Attr[datetime] = attr(stored_as=epoch())


@table.entity(Alarm, type="alarm")
def alarms(name: str) -> Key:
    return Key(f"ALARM#{name}", "ALARM")


@model
class Checkpoint:
    """How far a consumer has read one shard of a stream."""

    consumer: Attr[str] = part(escape=True)
    shard: Attr[str] = part(escape=True)
    sequence: Attr[str | None] = attr(default=None)
    finished: Attr[bool] = attr(default=False)
    lease_until: Attr[datetime | None] = attr(default=None, stored_as=MILLISECONDS)
    lease_by: Attr[str | None] = attr(default=None)
    expires: Attr[datetime | None] = attr(default=None, stored_as=epoch())


@table.entity(Checkpoint, type="checkpoint")
def checkpoints(consumer: str, shard: str) -> Key:
    return Key(f"CHECKPOINT#{consumer}", f"SHARD#{shard}")


@model
class SetAside:
    """A stream record that failed too often; it stands aside so that the others can pass."""

    consumer: Attr[str] = part(escape=True)
    sequence: Attr[str] = part()
    record: Attr[dict[str, Any]] = attr()
    error: Attr[str] = attr()
    attempts: Attr[int] = attr()
    listed_pk: Attr[str] = attr(default="ASIDE")
    listed_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    expires: Attr[datetime | None] = attr(default=None, stored_as=epoch())


@table.entity(SetAside, type="set_aside")
def set_aside(consumer: str, sequence: str) -> Key:
    return Key(f"ASIDE#{consumer}", f"RECORD#{sequence}")


@model
class UnreadShard:
    """A part of a stream that cannot be read; the parts after it wait for it, until it is read or skipped."""

    consumer: Attr[str] = part(escape=True)
    shard: Attr[str] = part(escape=True)
    sequence: Attr[str | None] = attr(default=None, en="The last record that was read")
    error: Attr[str] = attr()
    attempts: Attr[int] = attr()
    skipped_at: Attr[datetime | None] = attr(default=None, stored_as=MILLISECONDS)
    listed_pk: Attr[str] = attr(default="UNREAD")
    listed_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    expires: Attr[datetime | None] = attr(default=None, stored_as=epoch())


@table.entity(UnreadShard, type="unread_shard")
def unread_shards(consumer: str, shard: str) -> Key:
    return Key(f"UNREAD#{consumer}", f"SHARD#{shard}")


@model
class Act:
    """What an operator did with something that had failed: who, when, what."""

    id: Attr[str] = part()
    by: Attr[str] = attr(en="An address, an account, or who ran the command; a dash once they have left")
    what: Attr[str] = attr(en="retry, drop, skip, end")
    subject: Attr[str] = attr(en="As dead letters are named: shard:tasks/task-table-v3/shardId-1")
    detail: Attr[str] = attr(default="", en="Why it had failed")
    listed_pk: Attr[str] = attr(default="ACT")
    listed_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    expires: Attr[datetime] = attr(stored_as=epoch())


@table.entity(Act, type="act")
def acts(id: str) -> Key:
    return Key(f"ACT#{id}", "ACT")


@model
class Once:
    """Something that has happened, by its key, and the answer it gave."""

    key: Attr[str] = part(escape=True)
    answer: Attr[dict[str, Any]] = attr(default_factory=dict)
    at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    expires: Attr[datetime] = attr(stored_as=epoch())


@table.entity(Once, type="once")
def once(key: str) -> Key:
    return Key(f"ONCE#{key}", "ONCE")


@model
class JobRun:
    """One long job: where it stands, and who works on it."""

    id: Attr[str] = part(escape=True)
    system: Attr[str] = attr()
    job: Attr[str] = attr()
    payload: Attr[dict[str, Any]] = attr(default_factory=dict)
    step: Attr[str | None] = attr(default=None)
    cursor: Attr[str | None] = attr(default=None)
    done: Attr[int] = attr(default=0, en="Items handled so far")
    finished: Attr[bool] = attr(default=False)
    attempts: Attr[int] = attr(default=0)
    last_error: Attr[str | None] = attr(default=None)
    due_pk: Attr[str | None] = attr(default=JOB)
    due_at: Attr[datetime | None] = attr(default=None, stored_as=MILLISECONDS)
    listed_pk: Attr[str] = attr(default="JOB")
    listed_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    lease_until: Attr[datetime | None] = attr(default=None, stored_as=MILLISECONDS)
    lease_by: Attr[str | None] = attr(default=None)
    expires: Attr[datetime | None] = attr(default=None, stored_as=epoch())


@table.entity(JobRun, type="job")
def job_runs(id: str) -> Key:
    return Key(f"JOB#{id}", "JOB")


@model
class LiveHead:
    """How far the log of live events has come."""

    log: Attr[str] = part()
    life: Attr[str] = attr(en="Numbers of another life mean nothing")
    number: Attr[int] = attr()


@table.entity(LiveHead, type="live_head")
def live_heads(log: str) -> Key:
    return Key(f"LIVE#{log}", "HEAD")


@model
class LiveBatch:
    """What was published within a moment, for the pages that are open in any process."""

    log: Attr[str] = part()
    number: Attr[int] = part()
    events: Attr[str] = attr(en="JSON: topic, name and data of each")
    expires: Attr[datetime] = attr(stored_as=epoch())


@table.entity(LiveBatch, type="live_batch")
def live_batches(log: str, number: int) -> Key:
    return Key(f"LIVE#{log}", f"BATCH#{number:012}")


@model
class Beat:
    """How often something was written in a process that leaves it to others."""

    heart: Attr[str] = part()
    what: Attr[str] = part(escape=True, en="A table with a stream, or outbox, schedules, jobs; * stands for everything")
    number: Attr[int] = attr(default=0)


@table.entity(Beat, type="beat")
def beats(heart: str, what: str) -> Key:
    return Key(f"PULSE#{heart}", f"OF#{what}")


schedules_by_due = schedules.index("due")
messages_by_due = messages.index("due")
messages_listed = messages.index("listed")
job_runs_by_due = job_runs.index("due")
job_runs_listed = job_runs.index("listed")
set_aside_listed = set_aside.index("listed")
alarms_listed = alarms.index("listed")
unread_shards_listed = unread_shards.index("listed")
acts_listed = acts.index("listed")


@design.pattern(ja="時刻の来た予約", added=True)
def due_schedules(now: datetime) -> Query[Schedule]:
    """Schedules whose time has come, the oldest first."""
    return schedules_by_due.where(Schedule.due_pk == SCHEDULE, Schedule.due_at <= now)


@design.pattern(ja="予約の一覧（状態別）", added=True)
def all_schedules(place: str) -> Query[Schedule]:
    """All schedules that wait, or all that were given up, by when they are due."""
    return schedules_by_due.where(Schedule.due_pk == place)


@design.pattern(ja="送るべきメッセージ", added=True)
def due_messages(now: datetime) -> Query[Message]:
    """Messages to be sent now, the oldest first."""
    return messages_by_due.where(Message.due_pk == OUTBOX, Message.due_at <= now)


@design.pattern(ja="本文を消す時刻の来た送信済みメッセージ", added=True)
def messages_to_cut(now: datetime) -> Query[Message]:
    """Messages that were sent long enough ago to be cut down to a receipt, the oldest first."""
    return messages_by_due.where(Message.due_pk == SENT, Message.due_at <= now)


@design.pattern(ja="ある人のメッセージ（状態別）", added=True)
def messages_of(person: str, place: str) -> Query[Message]:
    """What is addressed to somebody or tells of them, among what waits, was sent or was given up."""
    mine = (Message.to == person) | Message.people.contains(person)
    return messages_by_due.where(Message.due_pk == place).filter(mine)


@design.pattern(ja="送信箱（新しい順）", added=True)
def newest_messages() -> Query[Message]:
    """The outbox, newest first."""
    return messages_listed.where(Message.listed_pk == "OUTBOX").backwards()


@design.pattern(ja="続きを待つジョブ", added=True)
def due_jobs(now: datetime) -> Query[JobRun]:
    """Jobs that have work left and that nobody works on."""
    return job_runs_by_due.where(JobRun.due_pk == JOB, JobRun.due_at <= now)


@design.pattern(ja="ジョブ（新しい順）", added=True)
def newest_jobs() -> Query[JobRun]:
    """Jobs, newest first."""
    return job_runs_listed.where(JobRun.listed_pk == "JOB").backwards()


@design.pattern(ja="脇に置かれたレコード", added=True)
def newest_set_aside() -> Query[SetAside]:
    """Stream records that were set aside, newest first."""
    return set_aside_listed.where(SetAside.listed_pk == "ASIDE").backwards()


@design.pattern(ja="読めないシャード", added=True)
def newest_unread_shards() -> Query[UnreadShard]:
    """Parts of streams that cannot be read or were skipped, newest first."""
    return unread_shards_listed.where(UnreadShard.listed_pk == "UNREAD").backwards()


@design.pattern(ja="あるストリームの読めないシャード", added=True)
def unread_shards_of(consumer: str) -> Query[UnreadShard]:
    """The same, of one reader of one stream."""
    return unread_shards.where(UnreadShard.consumer == consumer)


@design.pattern(ja="運営者の操作の記録", added=True)
def newest_acts() -> Query[Act]:
    """What operators did with what had failed, newest first."""
    return acts_listed.where(Act.listed_pk == "ACT").backwards()


@design.pattern(ja="待たせている宛先", added=True)
def places_held(kind: str) -> Query[HeldPlace]:
    """Destinations of one kind of messages that are left alone."""
    return held_places.where(HeldPlace.kind == kind)


@design.pattern(ja="鳴っている警報", added=True)
def newest_alarms() -> Query[Alarm]:
    """What an operator has to mend, newest first."""
    return alarms_listed.where(Alarm.listed_pk == "ALARM").backwards()


@design.pattern(ja="送れなかったメッセージ", added=True)
def failed_messages() -> Query[Message]:
    """Messages that were given up, the newest first."""
    return messages_by_due.where(Message.due_pk == FAILED + OUTBOX).backwards()


@design.pattern(ja="実行できなかった予約", added=True)
def failed_schedules() -> Query[Schedule]:
    """Schedules that were given up, the newest first."""
    return schedules_by_due.where(Schedule.due_pk == FAILED + SCHEDULE).backwards()


@design.pattern(ja="止まったジョブ", added=True)
def failed_jobs() -> Query[JobRun]:
    """Jobs that were given up, the newest first."""
    return job_runs_by_due.where(JobRun.due_pk == FAILED + JOB).backwards()


@design.pattern(ja="ほかのプロセスが書いたものの合図", added=True)
def beats_of(heart: str) -> Query[Beat]:
    """What other processes have written that somebody waits for."""
    return beats.where(Beat.heart == heart)


@design.pattern(ja="開いているページへの知らせ", added=True)
def live_batches_between(log: str, first: int, last: int) -> Query[LiveBatch]:
    """A part of the log of live events, in order."""
    return live_batches.where(LiveBatch.log == log, LiveBatch.number.between(first, last))
