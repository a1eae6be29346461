"""The stream pump: reads a table's stream through the seam and calls the handler that Lambda would call.

At least once and in order: a batch's checkpoint is saved after its handler has answered. A handler answers as Lambda's
handlers do, with the sequence numbers of the records that failed; reading goes on from the first of them. A record that
keeps failing is set aside as a row that can be read and replayed, and the others pass.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, Reactions
from sekkei.design import replace as changed
from sekkei.errors import (
    ExpiredIteratorException,
    ResourceNotFoundException,
    TrimmedDataAccessException,
    ValidationException,
)
from sekkei.runtime import days
from sekkei.runtime.alarms import Alarms
from sekkei.runtime.deadlines import within
from sekkei.runtime.design import (
    Checkpoint,
    SetAside,
    UnreadShard,
    checkpoints,
    set_aside,
    unread_shards,
    unread_shards_of,
)
from sekkei.runtime.failures import error_line
from sekkei.runtime.leases import LeaseLost, Leases, take
from sekkei.store.protocol import Store

_BATCH_RECORDS = 100
ATTEMPTS_MAX = 5
LIMIT_SECONDS = 300.0
"""For a handler with some records. When several take longer together, each is given as long by itself."""
UNREAD_MAX = 3
UNREAD_PAUSE = timedelta(seconds=5)
"""For a shard that cannot be read; after three times in a row an alarm rings, and an operator may skip it."""
LEASE = timedelta(seconds=60)
"""Renewed at half of its life, so that an idle stream costs two writes a minute."""
SHARDS_KNOWN = timedelta(minutes=5)
"""Shards are asked for again when one has come to its end; and after this long, in case the stream was replaced."""
_CHECKPOINT_KEPT = timedelta(days=2)
_SET_ASIDE_KEPT = timedelta(days=90)

log = logging.getLogger("sekkei.runtime.pump")

Record = dict[str, Any]
Handler = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""An event with Records goes in; {"batchItemFailures": [{"itemIdentifier": sequence number}]} comes out. An entry may
carry an "error" beside it, which Lambda's answer has no place for: why it failed, in one line."""

_UNTOLD = "the handler reported it as failed and did not say why"


def stream_handler(reactions: Reactions) -> Handler:
    """Reactions as a handler that says why a record failed."""

    async def handle(event: Mapping[str, Any]) -> Mapping[str, Any]:
        reasons: dict[str, str] = {}

        def failed(record: Mapping[str, Any], error: Exception) -> None:
            reactions.failed(record, error)
            reasons[_sequence(record)] = error_line(error)

        answer = await reactions.handle(event, failed)
        failures = [{**entry, "error": reasons[entry["itemIdentifier"]]} for entry in answer["batchItemFailures"]]
        return {"batchItemFailures": failures}

    return handle


@dataclass(frozen=True, slots=True)
class _Known:
    """A stream and its shards."""

    stream: str
    shards: list[dict[str, Any]]
    until: datetime
    """When to ask for them again."""


class Pump:
    """Reads one table's stream for one consumer."""

    def __init__(
        self,
        store: Store,
        runtime: Database,
        clock: Clock,
        table_name: str,
        consumer: str,
        handler: Handler,
        worker: str = "worker",
        alarms: Alarms | None = None,
        limit_seconds: float = LIMIT_SECONDS,
    ) -> None:
        self._store = store
        self._runtime = runtime
        self._clock = clock
        self.table_name = table_name
        self._consumer = f"{consumer}/{table_name}"
        self._handler = handler
        self._worker = worker
        self._limit_seconds = limit_seconds
        self._alarms = alarms or Alarms(runtime, clock)
        self._iterators: dict[str, str] = {}
        self._unread: dict[str, tuple[int, datetime]] = {}
        """How often in a row a shard could not be read, and when it is tried again."""
        self._attempts: dict[str, int] = {}
        self._known: _Known | None = None
        self._places: dict[str, Checkpoint] = {}
        """Of the shards that are leased: how far they are read. Nobody else writes that down."""
        self._finished: set[str] = set()
        self._leases = Leases(runtime, clock, Checkpoint.lease_until, Checkpoint.lease_by, LEASE)

    @property
    def consumer(self) -> str:
        """Who reads what; the name that records set aside carry."""
        return self._consumer

    @property
    def has_all(self) -> bool:
        """Whether every part of the stream is read here, as far as is known."""
        known = self._known
        return known is not None and all(
            one["ShardId"] in self._places or one["ShardId"] in self._finished for one in known.shards
        )

    async def run_once(self) -> int:
        """Handle what is there now; returns how many records were read."""
        known = await self._stream()
        if known is None:
            return 0
        handled = 0
        for shard in known.shards:
            if shard["ShardId"] in self._finished or not self._is_next(shard, known):
                continue
            try:
                handled += await self._read(known.stream, shard["ShardId"])
            except ResourceNotFoundException:
                self._forget()  # the table or its stream was replaced
                return handled
        return handled

    async def _read(self, stream: str, shard: str) -> int:
        """One shard that cannot be read holds no other back; an alarm tells of it."""
        failures, again = self._unread.get(shard, (0, None))
        if again is not None and days.now(self._clock) < again:
            return 0
        try:
            read = await self._read_shard(stream, shard)
        except LeaseLost as error:
            log.warning("a shard was left to another worker", extra={"shard": shard, "error": str(error)})
            return 0
        except ResourceNotFoundException:
            raise
        except Exception as error:
            await self._count_unread(shard, failures + 1, error)
            return 0
        if self._unread.pop(shard, None) is not None:
            await self._alarms.clear(f"shard/{self._consumer}")
            gone = unread_shards.delete(self._consumer, shard).when(UnreadShard.skipped_at.absent())
            with suppress(ConditionFailed):  # what was skipped stays written down
                await self._runtime.write(gone)
        return read

    async def _count_unread(self, shard: str, failures: int, error: Exception) -> None:
        log.warning("a shard could not be read", extra={"shard": shard, "error": error_line(error)})
        self._unread[shard] = failures, days.now(self._clock) + UNREAD_PAUSE
        place = self._places.get(shard)
        self._lose(shard)  # the row is looked at the next time: it may have been skipped
        if failures < UNREAD_MAX:
            return
        await self._alarms.ring(f"shard/{self._consumer}", f"{shard}: {error_line(error)}")
        row = unread_shards.upsert(self._consumer, shard).set(UnreadShard.error, error_line(error))
        row = row.set(UnreadShard.attempts, failures).set_if_absent(UnreadShard.listed_pk, "UNREAD")
        now = days.now(self._clock)
        row = row.set_if_absent(UnreadShard.listed_at, now).set(UnreadShard.expires, now + _SET_ASIDE_KEPT)
        if place is not None and place.sequence is not None:
            row = row.set(UnreadShard.sequence, place.sequence)
        try:
            await self._runtime.write(row)
        except Exception as failed:  # a store that fails altogether is what the alarm tells of
            log.warning("a dead shard could not be written down", extra={"shard": shard, "error": error_line(failed)})

    def try_again(self, shard: str) -> None:
        """Somebody wants it read once more, now."""
        self._unread[shard] = 0, days.now(self._clock)
        self._finished.discard(shard)
        self._lose(shard)

    def _is_next(self, shard: Mapping[str, Any], known: _Known) -> bool:
        """A child's records come after its parent's."""
        parent = shard.get("ParentShardId")
        return parent in self._finished or parent not in {one["ShardId"] for one in known.shards}

    async def _stream(self) -> _Known | None:
        """The table's stream and its shards; asked for once, and again when a shard has ended."""
        now = days.now(self._clock)
        if self._known is not None and now < self._known.until:
            return self._known
        try:
            described = await self._store.call("DescribeTable", {"TableName": self.table_name})
        except ResourceNotFoundException:
            return None
        stream: str | None = described["Table"].get("LatestStreamArn")
        if stream is None:
            return None
        if self._known is not None and self._known.stream != stream:
            self._forget()
        await self._look_for_unread()
        self._known = _Known(stream, await self._shards(stream), now + SHARDS_KNOWN)
        return self._known

    async def _look_for_unread(self) -> None:
        """What is written down of earlier: shards that are dead, or were skipped and are to be read after all."""
        for row in await self._runtime.all(unread_shards_of(self._consumer)):
            if row.skipped_at is None and row.shard not in self._unread:
                self.try_again(row.shard)

    def _forget(self) -> None:
        self._known = None
        self._iterators.clear()
        self._places.clear()
        self._finished.clear()

    async def _shards(self, stream: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        start: dict[str, str] = {}
        while True:
            described = await self._store.call("DescribeStream", {"StreamArn": stream, **start})
            found += described["StreamDescription"]["Shards"]
            last = described["StreamDescription"].get("LastEvaluatedShardId")
            if last is None:
                return found
            start = {"ExclusiveStartShardId": last}

    async def _read_shard(self, stream: str, shard: str) -> int:
        """How many records were read."""
        checkpoint = await self._lease(shard)
        if checkpoint is None:
            return 0
        if checkpoint.finished:
            self._end_of(shard)
            return 0
        answer = await self._get_records(stream, shard, checkpoint.sequence)
        # Lambda's event source mapping says which stream a record is from; GetRecords leaves it out.
        records: list[Record] = [{**record, "eventSourceARN": stream} for record in answer["Records"]]
        last = await self._handle_leased(shard, records) if records else None
        following = answer.get("NextShardIterator")
        if records and last != _sequence(records[-1]):
            # Some failed: read them again from where it stopped.
            self._iterators.pop(shard, None)
            await self._save(shard, last or checkpoint.sequence)
            return len(records)
        if following is not None:
            self._iterators[shard] = following
        if records or following is None:
            await self._save(shard, last or checkpoint.sequence, finished=following is None)
        if following is None:
            self._end_of(shard)
        return len(records)

    def _end_of(self, shard: str) -> None:
        """Its children are next, and may be new."""
        self._finished.add(shard)
        self._iterators.pop(shard, None)
        self._places.pop(shard, None)
        if self._known is not None:
            self._known = replace(self._known, until=days.now(self._clock))

    async def _get_records(self, stream: str, shard: str, sequence: str | None) -> dict[str, Any]:
        """From where it stopped; an iterator that has grown too old is renewed."""
        iterator = self._iterators.pop(shard, None) or await self._iterator(stream, shard, sequence)
        try:
            return await self._store.call("GetRecords", {"ShardIterator": iterator, "Limit": _BATCH_RECORDS})
        except (ExpiredIteratorException, TrimmedDataAccessException) as error:
            log.info("a stream iterator had to be renewed", extra={"consumer": self._consumer, "error": repr(error)})
        iterator = await self._iterator(stream, shard, sequence)
        return await self._store.call("GetRecords", {"ShardIterator": iterator, "Limit": _BATCH_RECORDS})

    async def _iterator(self, stream: str, shard: str, sequence: str | None) -> str:
        request: dict[str, Any] = {"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
        if sequence is not None:
            request.update({"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": sequence})
        try:
            answer = await self._store.call("GetShardIterator", request)
        except TrimmedDataAccessException:
            request = {"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
            answer = await self._store.call("GetShardIterator", request)
        return str(answer["ShardIterator"])

    async def _handle_leased(self, shard: str, records: list[Record]) -> str | None:
        row = checkpoints.update(self._consumer, shard)
        try:
            return await self._leases.keep(row, self._worker, self._handle(records))
        except LeaseLost:
            self._lose(shard)
            raise

    async def _handle(self, records: list[Record]) -> str | None:
        """Call the handler; the last sequence number before the first record that must be read again."""
        failed = await self._failures(records)
        last: str | None = None
        for record in records:
            sequence = _sequence(record)
            if sequence not in failed:
                last = sequence
            elif await self._pass_by(record, failed[sequence]):
                # Those behind a record that was set aside have not been handled in their turn.
                return sequence
            else:
                return last
        return last

    async def _failures(self, records: list[Record]) -> dict[str, str]:
        """The sequence numbers of the records that failed, and why."""
        try:
            answer = await within(self._limit_seconds, self._handler({"Records": records}), self._clock)
        except Exception as error:
            if len(records) == 1:
                log.exception("a stream handler failed", extra={"consumer": self._consumer})
                return {_sequence(records[0]): error_line(error)}
            # One by one, so that a record is not blamed for its neighbour.
            for record in records:
                failed = await self._failures([record])
                if failed:
                    return failed
            return {}
        return {entry["itemIdentifier"]: entry.get("error", _UNTOLD) for entry in answer.get("batchItemFailures", ())}

    async def _pass_by(self, record: Record, reason: str) -> bool:
        """Count a failure; set the record aside when it has failed too often."""
        sequence = _sequence(record)
        attempts = self._attempts[sequence] = self._attempts.get(sequence, 0) + 1
        if attempts < ATTEMPTS_MAX:
            return False
        now = days.now(self._clock)
        aside = SetAside(
            consumer=self._consumer,
            sequence=sequence,
            record=record,
            error=reason,
            attempts=attempts,
            listed_at=now,
            expires=now + _SET_ASIDE_KEPT,
        )
        try:
            await self._runtime.write(set_aside.put(aside))
        except ValidationException:
            # Two images can be more than one item holds. Without them it still says what it was about, and the
            # records behind it pass.
            await self._runtime.write(set_aside.put(changed(aside, record=_without_images(record))))
        del self._attempts[sequence]
        log.error("a stream record was set aside", extra={"consumer": self._consumer, "sequence": sequence})
        await self._alarms.ring("dead-letters/record", f"{self._consumer}/{sequence}: {reason}")
        return True

    async def replay(self, aside: SetAside) -> bool:
        """Give a record that was set aside to the handler once more; it goes when that succeeds."""
        failed = await self._failures([aside.record])
        if failed:
            update = set_aside.update(aside.consumer, aside.sequence).add(SetAside.attempts, 1)
            await take(self._runtime, update.set(SetAside.error, failed[aside.sequence]))
            return False
        await self._runtime.write(set_aside.delete(aside.consumer, aside.sequence))
        return True

    async def _lease(self, shard: str) -> Checkpoint | None:
        """Only one worker reads a shard at a time. It is held for a while, and written again at half of that."""
        place = self._places.get(shard)
        if place is not None and place.lease_until is not None and not self._leases.must_renew(place.lease_until):
            return place
        row = place or await self._runtime.get(checkpoints(self._consumer, shard))
        if row is not None and row.finished:
            return row
        if row is not None and self._is_taken(row):
            return None  # read before it is written: a second worker waits without a write at every look
        update = (
            checkpoints.upsert(self._consumer, shard)
            .set_if_absent(Checkpoint.finished, False)
            .set(Checkpoint.expires, days.now(self._clock) + _CHECKPOINT_KEPT)
            .when(self._leases.held(self._worker) | self._leases.free())
        )
        found = await take(self._runtime, self._leases.taking(update, self._worker))
        if found is None:
            self._lose(shard)
        else:
            self._places[shard] = found
        return found

    def _is_taken(self, row: Checkpoint) -> bool:
        if row.lease_until is None or row.lease_by == self._worker:
            return False
        return row.lease_until > days.now(self._clock)

    def _lose(self, shard: str) -> None:
        self._places.pop(shard, None)
        self._iterators.pop(shard, None)

    async def _save(self, shard: str, sequence: str | None, finished: bool = False) -> None:
        """Raises LeaseLost: whoever was overtaken must not say how far it is read."""
        update = checkpoints.update(self._consumer, shard).set(Checkpoint.finished, finished)
        update = update.remove(Checkpoint.sequence) if sequence is None else update.set(Checkpoint.sequence, sequence)
        saved = await take(self._runtime, update.when(self._leases.held(self._worker)))
        if saved is None:
            self._lose(shard)
            raise LeaseLost("Another worker reads the shard.")
        self._places[shard] = saved

    async def put_down(self) -> None:
        """Let another worker go on at once with what this one has read; for an orderly end."""
        for shard in list(self._places):
            update = checkpoints.update(self._consumer, shard)
            await take(self._runtime, self._leases.putting_down(update, self._worker))
            self._lose(shard)


def _without_images(record: Record) -> Record:
    kept = {name: value for name, value in record["dynamodb"].items() if name not in ("NewImage", "OldImage")}
    return {**record, "dynamodb": kept}


def _sequence(record: Mapping[str, Any]) -> str:
    return str(record["dynamodb"]["SequenceNumber"])
