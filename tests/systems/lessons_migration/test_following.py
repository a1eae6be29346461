"""Both tables in use: changes follow, the flag says which one leads, nobody is told twice or too early."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database, replace, tables
from sekkei.runtime import days
from sekkei.runtime.deployment import assemble
from sekkei.runtime.design import design as runtime_design
from sekkei.runtime.pump import Pump
from sekkei.runtime.settings import Settings
from sekkei.store import Embedded, Request, Response, Store
from sekkei_lessons_migration.configuration import BadMapping, OldTable
from sekkei_lessons_migration.leading import (
    MonitorBesideOld,
    WaitlistBesideOld,
    follow_all,
    follower,
    old_table_of,
)
from sekkei_lessons_migration.ledger import Ledger
from sekkei_lessons_migration.mapping import mapped
from sekkei_lessons_migration.moving import Move
from sekkei_lessons_migration.places import place_of
from sekkei_lessons_migration.sample import make_table
from sekkei_systems.lessons.design import Lesson, Status, TieKind, design, lessons
from sekkei_systems.lessons.refusals import WaitlistsElsewhere
from sekkei_systems.lessons.rules.policy import Policy
from sekkei_systems.lessons.system import SYSTEM
from tests.scripted_store import ScriptedStore
from tests.systems.lessons.world import LESSON, World, open_world
from tests.systems.lessons_migration.old_waitlists import OLD, db, delete, end, everything, places, put, sample

__all__ = ["db"]

WAITING = {
    "userId": "hana",
    "waitlistId": f"gnz#{LESSON.lesson_date}#19:30#BSL House 1",
    "status": "active",
    "updatedAt": "2025-07-29T00:00:00.000Z",
}


@pytest.fixture
async def pump(db: Database, clock: ManualClock) -> Pump:
    await tables.create(db.store, runtime_design, "test", clock)
    return follower(db, runtime_design.open(db.store, env="test", clock=clock), clock, OLD)


async def test_changes_of_the_old_table_are_carried_over(db: Database, clock: ManualClock, pump: Pump) -> None:
    rows = [row for some in places(sample(clock, 60), clock).values() for row in some]
    await put(db, *rows)
    move = Move(db, clock, OLD)
    await move.run()
    joined = {**rows[0], "userId": "newcomer"}
    changed = {**rows[1], "status": "cancelled", "updatedAt": "2025-07-29T02:59:59.999Z"}
    elsewhere = {**rows[2], "lessonDate": "2025-09-15"}
    await put(db, joined, changed, elsewhere, {**WAITING, "status": "lost"})
    await delete(db, rows[3])
    assert await follow_all(pump) > 0
    expected = places([joined, changed, elsewhere, rows[0], *rows[4:]], clock)
    found = {place_of(tie): tie for tie in await everything(db)}
    assert set(found) == set(expected)
    assert found[place_of(mapped(changed, OLD))].status is Status.CANCELLED
    assert (await move.verify()).drift.count == 0
    assert await follow_all(pump) == 0, "nothing comes twice"


async def test_nothing_is_followed_before_the_first_run_and_after_the_end(
    db: Database, clock: ManualClock, pump: Pump
) -> None:
    await put(db, *sample(clock, 5))
    await follow_all(pump)
    assert await everything(db) == []
    move = Move(db, clock, OLD)
    await move.run()
    await move.verify()
    await move.cutover(allow_silent=True)
    await move.make_final()
    count = len(await everything(db))
    await put(db, {**WAITING, "userId": "late"})
    await follow_all(pump)
    assert len(await everything(db)) == count


async def test_after_the_cutover_the_old_table_may_add_but_not_take_away(
    db: Database, clock: ManualClock, pump: Pump
) -> None:
    row = next(row for row in sample(clock) if row.get("status") == "active" and "updatedAt" in row)
    await put(db, row)
    move = Move(db, clock, OLD)
    await move.run()
    await move.verify()
    await move.cutover(allow_silent=True)
    clock.advance(60)
    tie = (await everything(db))[0]
    await end(db, tie, Status.CANCELLED)
    await put(db, {**row, "instructor": "?"}, WAITING)
    await follow_all(pump)
    await delete(db, row)
    await follow_all(pump)
    found = {entry.user_id: entry for entry in await everything(db)}
    assert set(found) == {tie.user_id, "hana"}
    assert (found[tie.user_id].status, found[tie.user_id].instructor) == (Status.CANCELLED, tie.instructor)


async def small_world(clock: ManualClock) -> Database:
    store = Embedded(clock=clock)
    await tables.create(store, design, "test", clock)
    await make_table(store, OLD.table)
    db = design.open(store, env="test", clock=clock)
    await put(db, WAITING)
    return db


async def test_what_a_user_does_in_the_very_moment_of_a_copy_stays(clock: ManualClock) -> None:
    db = await small_world(clock)
    await Move(db, clock, OLD).run()
    later = {**WAITING, "instructor": "YUKI", "updatedAt": "2025-07-29T01:00:00.000Z"}
    await put(db, later)

    async def leave() -> None:
        await end(db, (await everything(db))[0], Status.CANCELLED)

    left = [leave]

    async def meddle(operation: str, request: Request) -> None:
        if operation == "PutItem" and request["TableName"] != "Lessons" and left:
            await left.pop()()

    meddling = ScriptedStore(db.store, before=meddle)
    report = await Move(design.open(meddling, env="test", clock=clock), clock, OLD).run()
    assert ((await everything(db))[0].status, report.ahead.count) == (Status.CANCELLED, 1)
    await db.close()


async def test_a_run_does_not_put_back_what_the_follower_has_carried_past_it(clock: ManualClock) -> None:
    db = await small_world(clock)
    move = Move(db, clock, OLD)
    await move.run()
    later = {**WAITING, "status": "cancelled", "updatedAt": "2025-07-29T01:00:00.000Z"}

    async def change() -> None:
        await put(db, later)
        keys = {name: {"S": WAITING[name]} for name in ("userId", "waitlistId")}
        await move.follow({"Records": [{"dynamodb": {"Keys": keys}}]})

    left = [change]

    async def meddle(operation: str, request: Request, answer: Response) -> None:
        if operation == "Scan" and request["TableName"] != "Lessons" and answer["Items"] and left:
            await left.pop()()

    meddling = ScriptedStore(db.store, after=meddle)
    await Move(design.open(meddling, env="test", clock=clock), clock, OLD).run()
    assert (await everything(db))[0].status is Status.CANCELLED
    await db.close()


# Which table leads


async def beside(store: Store, clock: ManualClock) -> tuple[World, Move]:
    """The system beside an old table in which hana waits for a full lesson."""
    world = await open_world(store, clock, Policy())
    ledger = Ledger(world.db, clock, OLD.table)
    service = world.service
    monitor = MonitorBesideOld(**vars(service.monitor), ledger=ledger)
    waitlist = WaitlistBesideOld(**vars(service.waitlist), ledger=ledger)
    beside_old = dataclasses.replace(service, monitor=monitor, waitlist=waitlist)
    world = dataclasses.replace(world, service=beside_old)
    await make_table(store, OLD.table)
    await world.lesson(capacity=1, booked=1)
    await world.person("hana")
    return world, Move(world.db, clock, OLD)


async def open_a_place(world: World) -> None:
    await world.db.write(
        lessons.update(LESSON.studio_code, LESSON.lesson_date, LESSON.start_time).set(Lesson.booked, 0)
    )


async def test_until_the_cutover_waitlists_are_changed_and_told_of_in_the_old_system_only(clock: ManualClock) -> None:
    store = Embedded(clock=clock)
    world, move = await beside(store, clock)
    await put(world.db, WAITING)
    await move.run()
    for change in (world.join("ken", LESSON), world.leave("hana", LESSON)):
        with pytest.raises(WaitlistsElsewhere):
            await change
    await open_a_place(world)
    assert await world.watch() == 0
    assert await world.monitor.look_at(LESSON) == 0
    await move.verify()
    await move.cutover(allow_silent=True)
    assert await world.watch() == 1, "told as soon as the new table leads"
    await world.leave("hana", LESSON)
    await move.rollback()
    with pytest.raises(WaitlistsElsewhere):
        await world.join("ken", LESSON)
    await store.close()


async def test_who_got_a_place_here_does_not_wait_again_when_the_old_row_changes(clock: ManualClock) -> None:
    store = Embedded(clock=clock)
    world, move = await beside(store, clock)
    await put(world.db, WAITING)
    await move.run()
    await open_a_place(world)
    await world.book("hana", LESSON)
    told = (days.now(clock) + timedelta(minutes=5)).isoformat()
    await put(world.db, {**WAITING, "notificationSent": True, "updatedAt": told})
    await move.run()
    assert await world.queue(LESSON) == []
    assert (await move.verify()).drift.count == 0
    back = (days.now(clock) + timedelta(minutes=6)).isoformat()
    await put(world.db, {**WAITING, "status": "cancelled", "updatedAt": back})
    await move.run()
    (entry,) = [tie for tie in await everything(world.db) if tie.kind is TieKind.WAITLIST]
    assert entry.status is Status.CANCELLED, "what ended there has ended here"
    await store.close()


async def test_a_paused_entry_is_not_told_until_it_resumes(clock: ManualClock) -> None:
    store = Embedded(clock=clock)
    world, move = await beside(store, clock)
    resumes = days.now(clock) + timedelta(hours=2)
    await put(world.db, {**WAITING, "status": "paused", "autoResumeAt": resumes.isoformat()})
    await put(world.db, {**WAITING, "userId": "mika", "status": "paused"})
    await move.run()
    await move.verify()
    await move.cutover(allow_silent=True)
    await open_a_place(world)
    assert await world.watch() == 0
    clock.advance(2 * 3600)
    assert await world.watch() == 1
    assert [message.to for message in await world.notices()] == ["hana@example.com"]
    await store.close()


def test_the_old_table_is_a_setting(tmp_path: Any) -> None:
    assert old_table_of(Settings()) is None
    assert old_table_of(Settings(values={"lessons_old_table": "waits"})) == OldTable(table="waits")
    file = tmp_path / "old.json"
    file.write_text('{"table": "waits", "user": "uid"}')
    found = old_table_of(Settings(values={"lessons_old_mapping": str(file), "lessons_old_table": "ignored"}))
    assert found == OldTable(table="waits", user="uid")
    file.write_text("{}}")
    with pytest.raises(BadMapping):
        old_table_of(Settings(values={"lessons_old_mapping": str(file)}))


async def test_the_running_system_follows_the_old_table(clock: ManualClock) -> None:
    store = Embedded(clock=clock)
    settings = Settings(env="test", values={"lessons_old_table": OLD.table})
    deployment = assemble([SYSTEM], store, settings, clock)
    await deployment.make_tables()
    opened = deployment.systems["lessons"]
    assert isinstance(opened.parts.service.waitlist, WaitlistBesideOld)
    assert "follow" in opened.parts.recurring
    await make_table(store, OLD.table)
    await Move(opened.context.db, clock, OLD).run()
    await put(opened.context.db, WAITING)
    await opened.parts.scheduled["follow"]({})
    assert [tie.user_id for tie in await everything(opened.context.db)] == ["hana"]
    await store.close()


async def test_an_entry_moved_and_told_of_by_the_monitor_is_no_drift(clock: ManualClock) -> None:
    store = Embedded(clock=clock)
    world, move = await beside(store, clock)
    await put(world.db, WAITING)
    await move.run()
    entry = (await everything(world.db))[0]
    assert entry == replace(entry, notify_count=0)
    await move.verify()
    await move.cutover(allow_silent=True)
    await open_a_place(world)
    assert await world.watch() == 1
    assert (await move.verify()).drift.count == 0
    assert (await move.run()).written == 0
    await store.close()
