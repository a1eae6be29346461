"""Dropping in parts: what is large goes while others write, and is gone in the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sekkei.engine import Engine
from sekkei.engine.history import jobs
from sekkei.engine.storage import transaction
from sekkei.engine.upkeep.verify import verify_file
from tests.engine.conftest import Tables
from tests.engine.operations.waiting import jobs_done

ITEMS, ROWS_AT_A_TIME, NO_TIME = 120, 5, -1.0


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """On every machine a part has time for one step, which is the least that a part does."""
    monkeypatch.setattr(jobs, "AT_ONCE_ITEMS", 10)
    monkeypatch.setattr(jobs, "ROWS_AT_A_TIME", ROWS_AT_A_TIME)
    monkeypatch.setattr(jobs, "PART_SECONDS", NO_TIME)
    monkeypatch.setattr(transaction, "PART_SECONDS", NO_TIME)


async def fill(tables: Tables) -> None:
    for number in range(ITEMS):
        await tables.put(pk=f"p{number % 5}", sk=number, g=f"g{number % 3}", l=str(number))


def left(engine: Engine) -> list[str]:
    rows = engine._snapshot().rows("SELECT name FROM sqlite_schema WHERE name GLOB 'i[nt]*_[0-9]*'")
    return [name for (name,) in rows]


async def test_a_large_table_goes_in_parts_and_its_name_is_free_at_once(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = []
    kind = jobs.KINDS["drop"]

    def counted(*arguments: Any) -> bool:
        parts.append(1)
        return kind.part(*arguments)

    monkeypatch.setitem(jobs.KINDS, "drop", jobs.JobKind(counted, kind.finish))
    await tables.create()
    await fill(tables)
    await tables("DeleteTable", TableName="items")
    await tables.create()
    await tables.put(pk="new", sk=1)
    assert len(await tables.all()) == 1
    await jobs_done(tables.engine)
    kept = len(left(tables.engine))
    assert kept == 3, "the items of the new table and its two indexes"
    assert len(parts) == kept * ITEMS // ROWS_AT_A_TIME
    assert len(await tables.all()) == 1


async def test_a_large_index_goes_in_parts(tables: Tables) -> None:
    await tables.create()
    await fill(tables)
    await tables("UpdateTable", TableName="items", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by_g"}}])
    await tables.put(pk="new", sk=1, g="g")
    await jobs_done(tables.engine)
    assert len(left(tables.engine)) == 2


async def test_a_drop_that_was_cut_short_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Engine(path, housekeeping_seconds=None) as engine:
        tables = Tables(engine, None)  # type: ignore[arg-type]
        await tables.create()
        await fill(tables)
        await tables("DeleteTable", TableName="items")
    assert list(verify_file(str(path))) == []
    with Engine(path, housekeeping_seconds=None) as engine:
        await jobs_done(engine)
        assert left(engine) == []
    assert list(verify_file(str(path))) == []
