"""Space is bounded by retention, and several processes may keep one file in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from sekkei.clock import ManualClock
from sekkei.engine import Engine
from sekkei.engine.history import housekeeping
from sekkei.engine.upkeep.verify import verify_file
from tests.engine.conftest import Tables, item

DAY = 24 * 3600
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


def count(engine: Engine, table: str) -> int:
    file = apsw.Connection(engine.path)
    try:
        return int(file.execute(f"SELECT count(*) FROM {table}").get)
    finally:
        file.close()


async def soon(is_so: Callable[[], bool]) -> None:
    """Wait for what the writer does by the clock."""
    async with asyncio.timeout(100):
        while not is_so():  # noqa: ASYNC110 (the writer's thread tells nobody)
            await asyncio.sleep(0.005)


async def set_recovery(tables: Tables, enabled: bool = True, days: int | None = None) -> None:
    specification: dict[str, object] = {"PointInTimeRecoveryEnabled": enabled}
    if days is not None:
        specification["RecoveryPeriodInDays"] = days
    await tables("UpdateContinuousBackups", TableName="plain", PointInTimeRecoverySpecification=specification)


async def write_for(tables: Tables, days: int, per_day: int = 10) -> None:
    for _ in range(days * per_day):
        tables.clock.advance(DAY / per_day)
        await tables.put("plain", pk="a", n=int(tables.clock.now()))
        await tables.engine.sweep()


async def test_a_stream_keeps_a_day_of_changes(tables: Tables) -> None:
    await tables.create_plain(StreamSpecification=STREAM)
    await write_for(tables, days=5)
    assert count(tables.engine, "changes") == 10


async def test_recovery_keeps_its_period(tables: Tables) -> None:
    await tables.create_plain(StreamSpecification=STREAM)
    await set_recovery(tables, days=3)
    await write_for(tables, days=6)
    assert count(tables.engine, "changes") == 30
    await set_recovery(tables, days=2)
    await tables.engine.sweep()
    assert count(tables.engine, "changes") == 20
    await set_recovery(tables, enabled=False)
    await tables.engine.sweep()
    assert count(tables.engine, "changes") == 10, "the stream's day"
    await tables("UpdateTable", TableName="plain", StreamSpecification={"StreamEnabled": False})
    tables.clock.advance(DAY + 1)
    await tables.engine.sweep()
    assert count(tables.engine, "changes") == count(tables.engine, "streams") == 0


async def test_a_deleted_table_leaves_nothing_behind_after_a_day(tables: Tables) -> None:
    await tables.create_plain(StreamSpecification=STREAM)
    await write_for(tables, days=1)
    await tables("DeleteTable", TableName="plain")
    await tables.engine.sweep()
    assert count(tables.engine, "changes") > 0
    tables.clock.advance(DAY + 1)
    await tables.engine.sweep()
    assert count(tables.engine, "changes") == count(tables.engine, "streams") == 0
    assert list(verify_file(tables.engine.path)) == []


async def test_a_day_of_a_clock_that_was_fast_does_not_block_trimming(tables: Tables) -> None:
    await tables.create_plain(StreamSpecification=STREAM)
    await tables.put("plain", pk="a", n=1)
    tables.clock.advance(400 * DAY)
    await tables.put("plain", pk="a", n=2)
    tables.clock.advance(-400 * DAY)
    await tables.put("plain", pk="a", n=3)
    tables.clock.advance(DAY + 1)
    await tables.put("plain", pk="a", n=4)
    await tables.engine.sweep()
    assert count(tables.engine, "changes") == 1


async def test_trimming_is_done_in_bounded_steps(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "ROWS_PER_COMMIT", 7)
    await tables.create_plain(StreamSpecification=STREAM)
    for number in range(50):
        await tables.put("plain", pk="a", n=number)
    tables.clock.advance(DAY + 1)
    await tables.put("plain", pk="a", n=-1)
    await tables.engine._writer.run(housekeeping.step)
    assert count(tables.engine, "changes") == 51 - 7
    await tables.engine.sweep()
    assert count(tables.engine, "changes") == 1


async def test_tokens_are_forgotten(tables: Tables) -> None:
    await tables.create_plain()
    for number in range(20):
        put = {"Put": {"TableName": "plain", "Item": item(pk=str(number))}}
        await tables("TransactWriteItems", TransactItems=[put], ClientRequestToken=f"token-{number}")
        tables.clock.advance(60)
    await tables.engine.sweep()
    assert count(tables.engine, "tokens") == 9, "those of the last ten minutes"


async def test_the_writer_keeps_house_by_itself(clock: ManualClock) -> None:
    with Engine(None, clock=clock, housekeeping_seconds=0.005) as engine:
        tables = Tables(engine, clock)
        await tables.create_plain(StreamSpecification=STREAM)
        await tables.put("plain", pk="a")
        clock.advance(DAY + 1)
        await soon(lambda: count(engine, "changes") == 0)


async def test_a_store_that_is_only_read_is_kept_in_order_too(tmp_path: Path, clock: ManualClock) -> None:
    path = tmp_path / "store.db"
    with Engine(path, clock=clock, housekeeping_seconds=None) as engine:
        tables = Tables(engine, clock)
        await tables.create_plain()
        specification = {"Enabled": True, "AttributeName": "expires"}
        await tables("UpdateTimeToLive", TableName="plain", TimeToLiveSpecification=specification)
        await tables.put("plain", pk="a", expires=int(clock.now()))
    with Engine(path, clock=clock, housekeeping_seconds=0.005) as engine:
        await soon(lambda: count(engine, "index_2") == 0)
        assert await Tables(engine, clock).all("plain") == []


async def test_several_engines_on_one_file_keep_it_in_order_together(tmp_path: Path, clock: ManualClock) -> None:
    path = tmp_path / "store.db"
    with Engine(path, clock=clock) as first, Engine(path, clock=clock) as second:
        tables = Tables(first, clock)
        await tables.create_plain(StreamSpecification=STREAM)
        specification = {"Enabled": True, "AttributeName": "expires"}
        await tables("UpdateTimeToLive", TableName="plain", TimeToLiveSpecification=specification)
        for number in range(600):
            await tables.put("plain", pk=str(number), expires=int(clock.now()) + number)
        clock.advance(299)
        await asyncio.gather(first.sweep(), second.sweep(), first.sweep(), second.sweep())
        assert len(await tables.all("plain")) == 300
        assert count(first, "changes WHERE event = 'REMOVE'") == 300, "each item has expired once"
    assert list(verify_file(str(path))) == []
