"""A clock that jumps a day ahead or back between any two steps: nothing breaks, nothing happens twice or too early.

- An item is deleted by a sweep only if its time had come by the clock of that sweep.
- A token repeated within ten minutes by the clock has no second effect, unless a sweep saw it older than that.
- A stream never hands out a record twice to a reader who goes on from where it was, nor out of order.
- The file stays sound, and a restore to the present is the present.

Seen to fail with a sweep that takes items an hour early and with tokens that are forgotten at once
(`test_a_planted_fault_is_noticed`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.engine import Engine
from sekkei.engine.history import housekeeping
from sekkei.engine.storage import documents
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import ExpiredIteratorException, TrimmedDataAccessException
from tests.engine.conftest import Tables, item
from tests.engine.operations.stream_reading import iterator, stream_arn
from tests.engine.operations.waiting import jobs_done
from tests.torture import amounts
from tests.torture.plants import NOTICED

DAY = 24 * 3600
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
TOKEN_SECONDS = 600


class Schedule:
    """One seeded run."""

    def __init__(self, engine: Engine, clock: ManualClock, seed: int) -> None:
        self.engine = engine
        self.clock = clock
        self.tables = Tables(engine, clock)
        self.chance = random.Random(seed)
        self.expires: dict[str, int] = {}
        self.tokens: dict[str, float] = {}
        self.counted = 0
        self.read: list[str] = []
        self.place: str | None = None

    async def run(self, steps: int) -> None:
        await self.tables.create_plain(StreamSpecification=STREAM)
        specification = {"Enabled": True, "AttributeName": "expires"}
        await self.tables("UpdateTimeToLive", TableName="plain", TimeToLiveSpecification=specification)
        await self.tables.create_plain("counter")
        recovery = {"PointInTimeRecoveryEnabled": True}
        await self.tables("UpdateContinuousBackups", TableName="plain", PointInTimeRecoverySpecification=recovery)
        for _ in range(steps):
            self.clock.advance(self.chance.choice((0, 0.001, 1, 60, 599, 3_600, DAY, -1, -3_600, -DAY)))
            await self.chance.choice((self.put, self.sweep, self.count, self.count, self.consume))()
        await self.check_present()

    async def put(self) -> None:
        name = f"item-{self.chance.randrange(6)}"
        expires = int(self.clock.now()) + self.chance.choice((-10, 10, 3_000, 2 * DAY))
        await self.tables.put("plain", pk=name, expires=expires)
        self.expires[name] = expires

    async def sweep(self) -> None:
        await self.engine.sweep()
        left = {found["pk"]["S"] for found in await self.tables.all("plain")}
        due = {name for name, expires in self.expires.items() if expires <= int(self.clock.now())}
        assert left == self.expires.keys() - due
        for name in due:
            del self.expires[name]
        since = self.clock.now() - TOKEN_SECONDS
        self.tokens = {token: moment for token, moment in self.tokens.items() if moment > since}

    async def count(self) -> None:
        """The same token may come again, hours later by a clock that is wrong."""
        token = f"token-{self.chance.randrange(4)}"
        add = {
            "TableName": "counter",
            "Key": item(pk="total"),
            "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        }
        await self.tables("TransactWriteItems", TransactItems=[{"Update": add}], ClientRequestToken=token)
        now = self.clock.now()
        if self.tokens.get(token, 0.0) <= now - TOKEN_SECONDS:
            self.tokens[token] = now
            self.counted += 1
        total = await self.tables.get("counter", pk="total")
        assert total == item(pk="total", n=self.counted)

    async def consume(self) -> None:
        """Read on from the last place; where it is no longer good, from the last record, else from the oldest."""
        arn = await stream_arn(self.engine, "plain")
        try:
            place = self.place or await self._place(arn)
            page = await self.tables("GetRecords", ShardIterator=place)
        except (ExpiredIteratorException, TrimmedDataAccessException):
            self.place = None
            return
        self.read += [record["dynamodb"]["SequenceNumber"] for record in page["Records"]]
        self.place = page["NextShardIterator"]
        assert self.read == sorted(set(self.read)), "in order, and none twice"

    async def _place(self, arn: str) -> str:
        if self.read:
            try:
                return await iterator(self.engine, arn, "AFTER_SEQUENCE_NUMBER", SequenceNumber=self.read[-1])
            except TrimmedDataAccessException:
                pass
        place = await iterator(self.engine, arn)
        if self.read:
            # What is oldest now may have been read already, before the clock went back.
            self.read = []
        return place

    async def check_present(self) -> None:
        request = {"SourceTableName": "plain", "TargetTableName": "present", "UseLatestRestorableTime": True}
        await self.engine.call("RestoreTableToPointInTime", request)
        await jobs_done(self.engine)
        assert await self.tables.all("present") == await self.tables.all("plain")
        assert list(verify_file(self.engine.path)) == []


async def run(seeds: range) -> None:
    for seed in seeds:
        clock = ManualClock(seed=seed)
        with Engine(None, clock=clock, housekeeping_seconds=None) as engine:
            await Schedule(engine, clock, seed).run(steps=60)


async def test_a_few_schedules() -> None:
    await run(range(15))


def _sweep_early(monkeypatch: pytest.MonkeyPatch) -> None:
    original = housekeeping._delete_expired_of

    def early(transaction: Any, table: Any, now: int, limit: int) -> int:
        return original(transaction, table, now + 3_600, limit)

    monkeypatch.setattr(housekeeping, "_delete_expired_of", early)


def _forget_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "TOKEN_SECONDS", 1)


@pytest.mark.parametrize("plant", [_sweep_early, _forget_tokens])
async def test_a_planted_fault_is_noticed(
    plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    with pytest.raises(NOTICED):
        await run(range(30))


@pytest.mark.torture
@pytest.mark.timeout(0)
async def test_many_schedules() -> None:
    first = amounts.seed(1_000)
    await run(range(first, first + amounts.CLOCK_SCHEDULES))
