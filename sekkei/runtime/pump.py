"""The stream pump: reads a table's stream through the seam and calls the handler that Lambda would call.

At least once and in order: a batch's checkpoint is saved after its handler has answered. A handler answers as Lambda's
handlers do, with the sequence numbers of the records that failed; reading goes on from the first of them. A record that
keeps failing is set aside as a row that can be read and replayed, and the others pass.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Database, Reactions, replace
from sekkei.errors import (
    ExpiredIteratorException,
    ResourceNotFoundException,
    TrimmedDataAccessException,
    ValidationException,
)
from sekkei.runtime import days
from sekkei.runtime.design import Checkpoint, SetAside, checkpoints, set_aside
from sekkei.runtime.failures import one_line
from sekkei.runtime.leases import LeaseLost, Leases, take
from sekkei.store.protocol import Store

BATCH_RECORDS = 100
ATTEMPTS_MAX = 5
LEASE = timedelta(seconds=30)
CHECKPOINT_KEPT = timedelta(days=2)
SET_ASIDE_KEPT = timedelta(days=90)

log = logging.getLogger("sekkei.runtime.pump")

Record = dict[str, Any]
Handler = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""An event with Records goes in; {"batchItemFailures": [{"itemIdentifier": sequence number}]} comes out. An entry may
carry an "error" beside it, which Lambda's answer has no place for: why it failed, in one line."""

UNTOLD = "the handler reported it as failed and did not say why"


def stream_handler(reactions: Reactions) -> Handler:
    """Reactions as a handler that says why a record failed."""

    async def handle(event: Mapping[str, Any]) -> Mapping[str, Any]:
        reasons: dict[str, str] = {}

        def failed(record: Mapping[str, Any], error: Exception) -> None:
            reactions.failed(record, error)
            reasons[_sequence(record)] = one_line(error)

        answer = await reactions.handle(event, failed)
        failures = [{**entry, "error": reasons[entry["itemIdentifier"]]} for entry in answer["batchItemFailures"]]
        return {"batchItemFailures": failures}

    return handle


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
        attempts_max: int = ATTEMPTS_MAX,
    ) -> None:
        self._store = store
        self._runtime = runtime
        self._clock = clock
        self._table_name = table_name
        self._consumer = f"{consumer}/{table_name}"
        self._handler = handler
        self._worker = worker
        self._attempts_max = attempts_max
        self._iterators: dict[str, str] = {}
        self._attempts: dict[str, int] = {}
        self._open_shards: set[str] = set()
        self._leased: set[str] = set()
        self._leases = Leases(runtime, clock, Checkpoint.lease_until, Checkpoint.lease_by, LEASE)

    @property
    def consumer(self) -> str:
        """Who reads what; the name that records set aside carry."""
        return self._consumer

    async def run_once(self) -> int:
        """Handle what is there now; returns how many records were read."""
        stream = await self._stream()
        if stream is None:
            return 0
        handled = 0
        finished: set[str] = set()
        for shard in await self._shards(stream):
            parent = shard.get("ParentShardId")
            if parent in self._open_shards and parent not in finished:
                continue  # a child's records come after its parent's
            try:
                done, read = await self._read_shard(stream, shard["ShardId"])
            except LeaseLost as error:
                log.warning(
                    "a shard was left to another worker", extra={"shard": shard["ShardId"], "error": str(error)}
                )
                continue
            handled += read
            if done:
                finished.add(shard["ShardId"])
        return handled

    async def _stream(self) -> str | None:
        try:
            described = await self._store.call("DescribeTable", {"TableName": self._table_name})
        except ResourceNotFoundException:
            return None
        found: str | None = described["Table"].get("LatestStreamArn")
        return found

    async def _shards(self, stream: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        start: dict[str, str] = {}
        while True:
            described = await self._store.call("DescribeStream", {"StreamArn": stream, **start})
            found += described["StreamDescription"]["Shards"]
            last = described["StreamDescription"].get("LastEvaluatedShardId")
            if last is None:
                break
            start = {"ExclusiveStartShardId": last}
        self._open_shards = {shard["ShardId"] for shard in found}
        return found

    async def _read_shard(self, stream: str, shard: str) -> tuple[bool, int]:
        """Whether the shard is read to its end, and how many records were read."""
        checkpoint = await self._lease(shard)
        if checkpoint is None:
            return False, 0
        if checkpoint.finished:
            return True, 0
        answer = await self._get_records(stream, shard, checkpoint.sequence)
        # Lambda's event source mapping says which stream a record is from; GetRecords leaves it out.
        records: list[Record] = [{**record, "eventSourceARN": stream} for record in answer["Records"]]
        last = await self._handle_leased(shard, records) if records else None
        following = answer.get("NextShardIterator")
        if records and last != _sequence(records[-1]):
            # Some failed: read them again from where it stopped.
            self._iterators.pop(shard, None)
            await self._save(shard, last or checkpoint.sequence)
            return False, len(records)
        if following is None:
            self._iterators.pop(shard, None)
        else:
            self._iterators[shard] = following
        await self._save(shard, last or checkpoint.sequence, finished=following is None)
        return following is None, len(records)

    async def _get_records(self, stream: str, shard: str, sequence: str | None) -> dict[str, Any]:
        """From where it stopped; an iterator that has grown too old is renewed."""
        iterator = self._iterators.pop(shard, None) or await self._iterator(stream, shard, sequence)
        try:
            return await self._store.call("GetRecords", {"ShardIterator": iterator, "Limit": BATCH_RECORDS})
        except (ExpiredIteratorException, TrimmedDataAccessException) as error:
            log.info("a stream iterator had to be renewed", extra={"consumer": self._consumer, "error": repr(error)})
        iterator = await self._iterator(stream, shard, sequence)
        return await self._store.call("GetRecords", {"ShardIterator": iterator, "Limit": BATCH_RECORDS})

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
            self._iterators.pop(shard, None)
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
            answer = await self._handler({"Records": records})
        except Exception as error:
            if len(records) == 1:
                log.exception("a stream handler failed", extra={"consumer": self._consumer})
                return {_sequence(records[0]): one_line(error)}
            # One by one, so that a record is not blamed for its neighbour.
            for record in records:
                failed = await self._failures([record])
                if failed:
                    return failed
            return {}
        return {entry["itemIdentifier"]: entry.get("error", UNTOLD) for entry in answer.get("batchItemFailures", ())}

    async def _pass_by(self, record: Record, reason: str) -> bool:
        """Count a failure; set the record aside when it has failed too often."""
        sequence = _sequence(record)
        attempts = self._attempts[sequence] = self._attempts.get(sequence, 0) + 1
        if attempts < self._attempts_max:
            return False
        now = days.now(self._clock)
        aside = SetAside(
            consumer=self._consumer,
            sequence=sequence,
            record=record,
            error=reason,
            attempts=attempts,
            listed_at=now,
            expires=now + SET_ASIDE_KEPT,
        )
        try:
            await self._runtime.write(set_aside.put(aside))
        except ValidationException:
            # Two images can be more than one item holds. Without them it still says what it was about, and the
            # records behind it pass.
            await self._runtime.write(set_aside.put(replace(aside, record=_without_images(record))))
        del self._attempts[sequence]
        log.error("a stream record was set aside", extra={"consumer": self._consumer, "sequence": sequence})
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
        """Only one worker reads a shard at a time."""
        update = (
            checkpoints.upsert(self._consumer, shard)
            .set_if_absent(Checkpoint.finished, False)
            .set(Checkpoint.expires, days.now(self._clock) + CHECKPOINT_KEPT)
            .when(self._leases.held(self._worker) | self._leases.free())
        )
        found = await take(self._runtime, self._leases.taking(update, self._worker))
        if found is None:
            self._leased.discard(shard)
            self._iterators.pop(shard, None)
        else:
            self._leased.add(shard)
        return found

    async def _save(self, shard: str, sequence: str | None, finished: bool = False) -> None:
        """Raises LeaseLost: whoever was overtaken must not say how far it is read."""
        update = checkpoints.update(self._consumer, shard).set(Checkpoint.finished, finished)
        update = update.remove(Checkpoint.sequence) if sequence is None else update.set(Checkpoint.sequence, sequence)
        if await take(self._runtime, update.when(self._leases.held(self._worker))) is None:
            self._iterators.pop(shard, None)
            raise LeaseLost("Another worker reads the shard.")

    async def put_down(self) -> None:
        """Let another worker go on at once with what this one has read; for an orderly end."""
        for shard in self._leased:
            update = checkpoints.update(self._consumer, shard)
            await take(self._runtime, self._leases.putting_down(update, self._worker))
        self._leased.clear()


def _without_images(record: Record) -> Record:
    kept = {name: value for name, value in record["dynamodb"].items() if name not in ("NewImage", "OldImage")}
    return {**record, "dynamodb": kept}


def _sequence(record: Mapping[str, Any]) -> str:
    return str(record["dynamodb"]["SequenceNumber"])
