"""What begins with a copy of tables made before is what would have been made."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.deployment import Deployment, assemble
from sekkei.store import Embedded
from sekkei.web.testing import test_settings
from sekkei_systems.tasks.system import SYSTEM
from tests import prepared

MOMENT = 1_762_398_000.0


async def everything(make: Any, now: float = MOMENT) -> tuple[Any, ...]:
    """Names as they were returned, tables as they are described, and what chance gives next."""
    clock = ManualClock(now)
    store = Embedded(clock=clock)
    found = assemble([SYSTEM], store, test_settings(), clock)
    names = await make(found)
    described = [await store.call("DescribeTable", {"TableName": name}) for name in names]
    expiring = [await store.call("DescribeTimeToLive", {"TableName": name}) for name in names]
    kept = [await store.call("DescribeContinuousBackups", {"TableName": name}) for name in names]
    await store.call("PutItem", {"TableName": "task-table-v3", "Item": {"PK": {"S": "a"}, "SK": {"S": "b"}}})
    count = (await store.call("Scan", {"TableName": "task-table-v3"}))["Count"]
    await store.close()
    return names, described, expiring, kept, count, clock.uuid()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Deployment]:
    """For which tables were made, call by call."""
    found: list[Deployment] = []
    plain = prepared._make

    async def noted(deployment: Deployment, *further: Any) -> list[str]:
        found.append(deployment)
        return await plain(deployment, *further)

    monkeypatch.setattr(prepared, "_make", noted)
    monkeypatch.setattr(prepared, "_prepared", {})
    return found


async def test_a_copy_is_what_would_have_been_made(made: list[Deployment]) -> None:
    by_calls = await everything(prepared._make)
    assert [await everything(prepared.make_tables) for _ in range(3)] == [by_calls] * 3
    assert by_calls[4] == 1, "nobody sees what was written to another copy"
    assert len(made) == 2, "and once more by the first"


async def test_another_moment_has_tables_of_its_own(made: list[Deployment]) -> None:
    first = await everything(prepared.make_tables)
    assert await everything(prepared.make_tables, MOMENT + 1) != first
    assert len(made) == 2


async def test_where_there_are_tables_those_that_are_missing_are_made(made: list[Deployment]) -> None:
    clock = ManualClock(MOMENT)
    store = Embedded(clock=clock)
    found = assemble([SYSTEM], store, test_settings(), clock)
    names = await prepared.make_tables(found)
    await store.call("DeleteTable", {"TableName": names[0]})
    assert await prepared.make_tables(found) == names[:1]
    await store.close()


async def test_what_is_kept_of_one_design_is_not_overwritten(made: list[Deployment], monkeypatch: Any) -> None:
    """This file itself empties the list of what is known, in a process whose other tests go on with what was kept."""
    known = dict(prepared._prepared)
    first = await everything(prepared.make_tables)
    known |= prepared._prepared
    monkeypatch.setattr(prepared, "_prepared", {})
    await everything(prepared.make_tables, MOMENT + 1)
    monkeypatch.setattr(prepared, "_prepared", known)
    assert await everything(prepared.make_tables) == first
    assert len(made) == 2
