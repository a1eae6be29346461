"""Killed after every single call to the store, with the last call done or not done, every stage goes on to its end."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database, replace, tables
from sekkei.runtime import days
from sekkei.store import Embedded, Store
from sekkei_lessons_migration import old_rows
from sekkei_lessons_migration.configuration import OldTable
from sekkei_lessons_migration.moving import Move
from sekkei_lessons_migration.old_rows import OldRows
from sekkei_lessons_migration.sample import fill, make_people_table, make_table, old_people
from sekkei_lessons_migration.sample import old_rows as generated
from sekkei_systems.lessons.design import Stage, Status, UserLesson, change_status, contacts, design, user_lessons
from tests.scripted_store import dying

OLD = OldTable()
PEOPLE = {"table": "usersTable", "user": "userId", "name": "displayName", "mail": "email", "line": "lineId"}
OLD_WITH_PEOPLE = OldTable(account="line-{user}", contacts=PEOPLE)
ROWS = 12
SEED = 125
"""With rows that meet, paused ones, one that is over and two that are unusable."""
CALLS_MAX = 400

Do = Callable[[Move], Awaitable[object]]


class Killed(BaseException):
    """As if the process had been killed."""


@dataclass
class World:
    store: Embedded
    clock: ManualClock

    def move(self, store: Store | None = None, old: OldTable = OLD) -> Move:
        return Move(self.db(store), self.clock, old)

    def db(self, store: Store | None = None) -> Database:
        return design.open(store or self.store, env="test", clock=self.clock)

    async def content(self) -> tuple[list[UserLesson], list[Any]]:
        """Both tables, whole."""
        entries = await self.db().all(user_lessons.scan().consistent())
        pages = [page async for page, _ in OldRows(self.store, OLD.table, self.clock).pages(0, 1, None)]
        rows = [row for page in pages for row in page]
        return sorted(entries, key=lambda tie: (tie.user_id, tie.starts_at)), sorted(rows, key=repr)


async def made() -> World:
    clock = ManualClock(1_753_758_000.0)
    store = Embedded(clock=clock)
    await tables.create(store, design, "test", clock)
    await make_table(store, OLD.table)
    await fill(store, OLD.table, generated(ROWS, days.now(clock), seed=SEED), clock)
    return World(store, clock)


async def made_with_people() -> World:
    world = await made()
    await make_people_table(world.store, PEOPLE)
    await fill(world.store, PEOPLE["table"], old_people(ROWS * 10, PEOPLE), world.clock)
    return world


async def nothing(world: World) -> None:
    """The stage begins with two tables as they were made."""


async def copied(world: World) -> None:
    await world.move().run()


async def verified(world: World) -> None:
    await copied(world)
    await world.move().verify()


async def used(world: World) -> None:
    """Cut over, and then somebody left and somebody joined."""
    await verified(world)
    await world.move().cutover(allow_silent=True)
    world.clock.advance(60)
    entries, _ = await world.content()
    left = next(tie for tie in entries if tie.status is Status.ACTIVE and tie.paused_until is None)
    now = days.now(world.clock)
    await world.db().write(change_status(left, Status.CANCELLED, now))
    joined = replace(left, user_id="newcomer", waitlist_id="wl_1", created_at=now, updated_at=now, legacy=None)
    await world.db().write(user_lessons.put(joined))


CASES: dict[str, tuple[Callable[[World], Awaitable[None]], Do, Stage]] = {
    "run": (nothing, Move.run, Stage.COPIED),
    "verify": (copied, Move.verify, Stage.VERIFIED),
    "rollback": (copied, Move.rollback, Stage.ROLLED_BACK),
    "rollback after the cutover": (used, Move.rollback, Stage.ROLLED_BACK),
}


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(old_rows, "PAGE_ROWS", 3)


@pytest.mark.parametrize("done", [True, False], ids=["done", "not-done"])
@pytest.mark.parametrize("case", CASES)
async def test_killed_after_every_call_it_goes_on(case: str, done: bool) -> None:
    prepare, stage, end = CASES[case]
    world = await made()
    await prepare(world)
    await stage(world.move())
    expected = await world.content()
    await world.store.close()
    kills = 0
    for calls in range(1, CALLS_MAX):
        world = await made()
        await prepare(world)
        try:
            await stage(world.move(dying(world.store, calls, Killed, done=done)))
        except Killed:
            kills += 1
            await stage(world.move())
            state = await world.move().state()
            assert state is not None
            assert (state.stage, await world.content()) == (end, expected), f"killed at call {calls}"
            await world.store.close()
        else:
            await world.store.close()
            break
    assert CALLS_MAX > kills > 10, kills


@pytest.mark.parametrize("done", [True, False], ids=["done", "not-done"])
async def test_killed_after_every_call_contacts_come_along(done: bool) -> None:
    """Nobody's is missing, and none is written twice or changed."""
    world = await made_with_people()
    await world.move(old=OLD_WITH_PEOPLE).run()
    expected = await world.db().all(contacts.scan())
    assert len(expected) >= 2
    await world.store.close()
    for calls in range(1 + done, CALLS_MAX, 2):
        world = await made_with_people()
        try:
            await world.move(dying(world.store, calls, Killed, done=done), OLD_WITH_PEOPLE).run()
        except Killed:
            await world.move(old=OLD_WITH_PEOPLE).run()
            assert await world.db().all(contacts.scan()) == expected, f"killed at call {calls}"
            await world.store.close()
        else:
            await world.store.close()
            break
    assert CALLS_MAX > calls > 20


@pytest.mark.parametrize("final", [False, True])
async def test_a_cutover_killed_after_every_call_is_done_or_not_begun(final: bool) -> None:
    stage = Move.make_final if final else functools.partial(Move.cutover, allow_silent=True)
    before, after = (Stage.CUT_OVER, Stage.FINAL) if final else (Stage.VERIFIED, Stage.CUT_OVER)
    seen = []
    for calls in range(1, CALLS_MAX):
        world = await made()
        await verified(world)
        if final:
            await world.move().cutover(allow_silent=True)
        try:
            await stage(world.move(dying(world.store, calls, Killed, done=True)))
        except Killed:
            state = await world.move().state()
            assert state is not None
            seen.append(state.stage)
            if state.stage is before:
                await stage(world.move())
            await world.store.close()
        else:
            await world.store.close()
            break
    assert seen == [before] * (len(seen) - 1) + [after]


async def test_a_run_that_goes_on_counts_every_row_once() -> None:
    world = await made()
    whole = (await world.move().run()).counts()
    await world.store.close()
    for calls in (10, 16, 22):
        world = await made()
        with pytest.raises(Killed):
            await world.move(dying(world.store, calls, Killed, done=True)).run()
        report = await world.move().run()
        names = ("rows", "over", "unusable", "conflicts")
        assert {name: report.counts()[name] for name in names} == {name: whole[name] for name in names}
        await world.store.close()
