"""An old waitlist table beside the new one, on every kind of store, for the tests of the move."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.design import ConditionFailed, Database, tables
from sekkei.errors import ResourceNotFoundException
from sekkei.runtime import days
from sekkei.store import Store
from sekkei_lessons_migration import old_rows
from sekkei_lessons_migration.configuration import OldTable
from sekkei_lessons_migration.mapping import Unusable, mapped
from sekkei_lessons_migration.moving import Move
from sekkei_lessons_migration.old_rows import OldRows, stored
from sekkei_lessons_migration.places import Place, place_of
from sekkei_lessons_migration.sample import fill, make_table
from sekkei_lessons_migration.sample import old_rows as generated
from sekkei_systems.lessons.design import Stage, Status, UserLesson, change_status, design, user_lessons

OLD = OldTable()
KEY = ("userId", "waitlistId")


@pytest.fixture
async def db(store: Store, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Database:
    monkeypatch.setattr(old_rows, "PAGE_ROWS", 25)
    with contextlib.suppress(ResourceNotFoundException):
        await store.call("DeleteTable", {"TableName": OLD.table})
    await tables.create(store, design, "test", clock)
    await make_table(store, OLD.table)
    return design.open(store, env="test", clock=clock)


def sample(clock: ManualClock, count: int = 160, seed: int = 3) -> list[dict[str, Any]]:
    return list(generated(count, days.now(clock), seed))


async def put(db: Database, *rows: dict[str, Any]) -> None:
    await fill(db.store, OLD.table, iter(rows), db.clock)


async def delete(db: Database, row: dict[str, Any]) -> None:
    await db.store.call("DeleteItem", {"TableName": OLD.table, "Key": stored({name: row[name] for name in KEY})})


async def everything(db: Database) -> list[UserLesson]:
    return sorted(await db.all(user_lessons.scan().consistent()), key=lambda tie: (tie.user_id, tie.starts_at))


async def end(db: Database, tie: UserLesson, status: Status) -> None:
    """What the service does when a tie ends."""
    with contextlib.suppress(ConditionFailed):  # by its own effect, when the weather lost the answer
        await db.write(change_status(tie, status, days.now(db.clock)))
    assert (await db.need(place_of(tie).ref)).status is status


async def old_table(db: Database) -> dict[tuple[str, str], Any]:
    pages = [page async for page, _ in OldRows(db.store, OLD.table, db.clock).pages(0, 1, None)]
    return {(row["userId"], row["waitlistId"]): row for page in pages for row in page}


def places(rows: list[dict[str, Any]], clock: ManualClock) -> dict[Place, list[dict[str, Any]]]:
    """Which rows go where, found without the move: by mapping them one by one."""
    found: dict[Place, list[dict[str, Any]]] = {}
    for row in rows:
        try:
            tie = mapped(row, OLD)
        except Unusable:
            continue
        if tie.ttl is not None and tie.ttl > days.now(clock):
            found.setdefault(place_of(tie), []).append(row)
    return found


async def stage(move: Move) -> Stage | None:
    state = await move.state()
    return state.stage if state is not None else None
