"""RestoreTableToPointInTime."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sekkei.clock import ManualClock
from sekkei.engine import Engine, operations
from sekkei.engine.history import backups, copies
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import (
    InvalidRestoreTimeException,
    PointInTimeRecoveryUnavailableException,
    TableAlreadyExistsException,
    TableNotFoundException,
    ValidationException,
)
from tests.engine.conftest import DAY, Tables, item
from tests.engine.operations.calls import recovery_of, set_recovery
from tests.engine.operations.test_backups import everything, fill
from tests.engine.operations.test_get_records import perform, writes
from tests.engine.operations.waiting import HeldJobs, jobs_done, jobs_under_way
from tests.engine.refusals import INVALID, refusal


async def begin_restore(
    tables: Tables, moment: float, name: str = "restored", table: str = "plain", **more: Any
) -> None:
    await tables(
        "RestoreTableToPointInTime",
        SourceTableName=table,
        TargetTableName=name,
        RestoreDateTime=moment,
        **more,
    )


async def restore(tables: Tables, moment: float, name: str = "restored", table: str = "plain", **more: Any) -> None:
    await begin_restore(tables, moment, name, table, **more)
    await jobs_done(tables.engine)


@pytest.fixture
async def kept(tables: Tables) -> Tables:
    await tables.create_plain()
    await set_recovery(tables)
    return tables


@settings(max_examples=40, deadline=None)
@given(
    writes=writes,
    pauses=st.lists(st.floats(0.001, 3), min_size=31, max_size=31),
    part=st.sampled_from([2, 3, 5_000]),
)
async def test_a_restored_second_equals_a_copy_taken_then(
    writes: list[tuple[str, int, int]], pauses: list[float], part: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(copies, "CHANGES_PER_COMMIT", part)
        clock = ManualClock()
        with Engine(None, clock=clock, housekeeping_seconds=None) as engine:
            tables = Tables(engine, clock)
            await tables.create_plain()
            await set_recovery(tables)
            taken: dict[int, list[dict[str, Any]]] = {}
            for write, pause in zip([*writes, None], pauses, strict=False):
                # In every second that begins before the next write the table is what it is now.
                last = clock.now()
                clock.advance(pause)
                for second in range(math.ceil(last), math.ceil(clock.now())):
                    taken[second] = await tables.all("plain")
                if write is not None:
                    await perform(tables, *write)
            for second, copy in taken.items():
                await restore(tables, second, f"at-{second}")
                assert await tables.all(f"at-{second}") == copy
            assert list(verify_file(engine.path)) == []


async def test_indexes_are_restored(tables: Tables) -> None:
    await tables.create()
    await set_recovery(tables, table="items")
    for number in range(30):
        await tables.put(pk="a", sk=number, g=f"g{number % 3}", l=str(number))
    before = await tables.all(index="by_g")
    moment = tables.clock.now()
    tables.clock.advance(5)
    for number in range(10):
        await tables("DeleteItem", TableName="items", Key=item(pk="a", sk=number))
    await restore(tables, moment, table="items")
    assert await tables.all("restored", "by_g") == before
    assert list(verify_file(tables.engine.path)) == []


async def test_the_latest_moment(kept: Tables) -> None:
    await kept.put("plain", pk="a", n=1)
    await kept(
        "RestoreTableToPointInTime", SourceTableName="plain", TargetTableName="latest", UseLatestRestorableTime=True
    )
    assert await kept.all("latest") == [item(pk="a", n=1)]


async def test_a_large_restore_is_one_moment_though_writes_go_on(kept: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backups, "RESTORED_ITEMS_PER_COMMIT", 100)
    held = HeldJobs(monkeypatch, "restore")
    await fill(kept, 500)
    before = await everything(kept, "plain")
    moment = kept.clock.now()
    kept.clock.advance(10)
    for number in range(0, 500, 100):
        await kept("DeleteItem", TableName="plain", Key=item(pk=f"{number:05d}"))
        await kept.put("plain", pk=f"{number:05d}-new")
    await begin_restore(kept, moment)
    for number in range(0, 500, 50):
        await kept.put("plain", pk=f"{number:05d}", n=7)
        await held.do_parts(kept.engine, 1)
    held.let_go()
    await jobs_done(kept.engine)
    assert await everything(kept, "restored") == before


async def test_a_restore_cut_short_goes_on_where_it_was(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "RESTORED_ITEMS_PER_COMMIT", 50)
    held = HeldJobs(monkeypatch, "restore")
    path = tmp_path / "store.db"
    with Engine(path, clock=clock, housekeeping_seconds=None) as engine:
        tables = Tables(engine, clock)
        await tables.create_plain()
        await set_recovery(tables)
        await fill(tables, 300)
        before = await everything(tables, "plain")
        moment = clock.now()
        clock.advance(10)
        await tables.put("plain", pk="00000", n=9)
        await begin_restore(tables, moment)
        await held.do_parts(engine, 3)
    assert list(verify_file(str(path))) == []
    held.let_go()
    with Engine(path, clock=clock, housekeeping_seconds=None) as engine:
        tables = Tables(engine, clock)
        await tables.put("plain", pk="00001", n=9)
        await jobs_done(engine)
        assert await everything(tables, "restored") == before
    assert list(verify_file(str(path))) == []


async def test_a_job_whose_process_has_gone_is_taken_over(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another engine that has the file open goes on with it after a minute."""
    held = HeldJobs(monkeypatch, "restore")
    path = tmp_path / "store.db"
    with Engine(path, clock=clock, housekeeping_seconds=None) as other:
        with Engine(path, clock=clock, housekeeping_seconds=None) as engine:
            tables = Tables(engine, clock)
            await tables.create_plain()
            await set_recovery(tables)
            await tables.put("plain", pk="a")
            await begin_restore(tables, clock.now())
        held.let_go()
        await other.sweep()
        assert jobs_under_way(other) == 1
        clock.advance(61)
        await other.sweep()
        assert jobs_under_way(other) == 0
        assert await Tables(other, clock).all("restored") == [item(pk="a")]


async def test_a_clock_that_was_fast_for_a_while_hides_nothing(kept: Tables) -> None:
    await kept.put("plain", pk="a", n=1)
    kept.clock.advance(30 * DAY)
    await kept.put("plain", pk="a", n=2)
    kept.clock.advance(-30 * DAY)
    await kept.put("plain", pk="a", n=3)
    moment = kept.clock.now()
    kept.clock.advance(10)
    await kept.put("plain", pk="a", n=4)
    await restore(kept, moment)
    assert await kept.all("restored") == [item(pk="a", n=3)]


async def test_what_a_table_was_before_recovery_cannot_be_asked(tables: Tables) -> None:
    await tables.create_plain()
    await tables.put("plain", pk="a")
    tables.clock.advance(100)
    start = tables.clock.now()
    await set_recovery(tables, RecoveryPeriodInDays=1)
    tables.clock.advance(2 * DAY)
    now = tables.clock.now()
    for moment in (start, now - DAY - 1, now + 1, 0):
        with pytest.raises(InvalidRestoreTimeException):
            await restore(tables, moment)
    await restore(tables, now - DAY)
    assert await tables.all("restored") == [item(pk="a")]


async def test_what_is_refused(kept: Tables) -> None:
    await kept.create_plain("other")
    now = kept.clock.now()
    with pytest.raises(PointInTimeRecoveryUnavailableException, match="is not enabled for table 'other'"):
        await restore(kept, now, table="other")
    with pytest.raises(TableNotFoundException):
        await restore(kept, now, table="none")
    with pytest.raises(TableAlreadyExistsException, match="Table already exists: other"):
        await restore(kept, now, "other")
    with pytest.raises(TableNotFoundException):
        await recovery_of(kept, "none")
    with pytest.raises(ValidationException):
        await set_recovery(kept, RecoveryPeriodInDays=36)
    with pytest.raises(ValidationException):
        await set_recovery(kept, RecoveryPeriodInDays=0)
    with pytest.raises(ValidationException):
        await restore(kept, now, UseLatestRestorableTime=True)


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"TargetTableName": "abd"}, INVALID + "Exactly one of SourceTableArn and SourceTableName must be specified"),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("RestoreTableToPointInTime", request_) == text


@pytest.mark.parametrize(
    "request_",
    [
        {"TargetTableName": "abd", "SourceTableName": "abc", "UseLatestRestorableTime": True},
    ],
)
def test_requests_that_can_be(request_: dict[str, Any]) -> None:
    assert operations.check("RestoreTableToPointInTime", request_).request == request_
