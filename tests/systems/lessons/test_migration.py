from __future__ import annotations

import random
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database, tables
from sekkei.design.codecs import to_stored
from sekkei.store import Embedded
from systems.lessons.design import Kind, Stage, Status, UserLesson, design, user_lesson, user_lessons
from systems.lessons.migration import moving
from systems.lessons.migration.mapping import OldTable, Unusable, mapped
from systems.lessons.migration.moving import Move, WrongStage
from systems.lessons.rules import parse_slot

OLD = OldTable(studios={"銀座": "gnz"}, studio="studioName")
ROW = {
    "userId": "hana",
    "waitlistId": "gnz#2025-07-30#19:30#BSL House 1",
    "studioName": "銀座",
    "lessonDate": "2025-07-30",
    "startTime": "19:30",
    "lessonName": "BSL House 1",
    "instructor": "Shiori.I",
    "status": "active",
    "createdAt": "2025-07-29T03:45:00.000Z",
    "updatedAt": "2025-07-29T03:45:00.000Z",
    "endTime": "20:15",
    "ttl": 1722319500,
}


def test_a_row_becomes_a_waitlist_entry() -> None:
    tie = mapped(ROW, OLD)
    assert (tie.user_id, tie.studio_code, tie.kind, tie.status) == ("hana", "gnz", Kind.WAITLIST, Status.ACTIVE)
    assert tie.legacy == {"from": "waitlistTable", "rest": {"endTime": "20:15"}}
    assert tie.ttl == datetime.fromisoformat("2025-08-06T19:30:00+09:00"), "computed, not the wrong one of the old row"


def test_a_paused_row_waits_until_it_resumes() -> None:
    tie = mapped({**ROW, "status": "paused", "autoResumeAt": "2025-07-30T00:00:00.000Z"}, OLD)
    assert tie.status is Status.ACTIVE
    assert tie.paused_until == datetime.fromisoformat("2025-07-30T00:00:00.000Z")


def test_an_id_tells_what_attributes_do_not() -> None:
    only_id = {"userId": "hana", "waitlistId": "gnz#2025-07-30#9:30#朝ヨガ#中級"}
    tie = mapped(only_id, OLD)
    assert (str(tie.start_time)[:5], tie.lesson_name) == ("09:30", "朝ヨガ#中級")


@pytest.mark.parametrize(
    "change",
    [{"userId": ""}, {"userId": "a#b"}, {"lessonDate": "2025-02-30"}, {"startTime": "25:00"}, {"status": "lost"}],
)
def test_what_cannot_be_moved_says_why(change: dict[str, str]) -> None:
    with pytest.raises(Unusable):
        mapped({**ROW, **change}, OLD)


def test_a_mapping_with_a_typing_error_is_refused() -> None:
    with pytest.raises(ValueError, match="usr"):
        OldTable.read(b'{"usr": "userId"}')


# The stages, on a store


@pytest.fixture
async def db(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    monkeypatch.setattr(moving, "PAGE_ROWS", 40)
    clock = ManualClock()
    store = Embedded(clock=clock)
    await tables.create(store, design, "test", clock)
    attributes = [{"AttributeName": name, "AttributeType": "S"} for name in ("userId", "waitlistId")]
    keys = [{"AttributeName": "userId", "KeyType": "HASH"}, {"AttributeName": "waitlistId", "KeyType": "RANGE"}]
    await store.call(
        "CreateTable",
        {
            "TableName": "waitlistTable",
            "AttributeDefinitions": attributes,
            "KeySchema": keys,
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    yield design.open(store, env="test", clock=clock)
    await store.close()


def generated(count: int, seed: int = 3) -> list[dict[str, Any]]:
    """Rows with conflicts (one slot, two names), oddities and different dates."""
    chance = random.Random(seed)
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    while len(rows) < count:
        user, day = f"u{chance.randrange(60)}", f"2025-08-{chance.randrange(1, 6):02d}"
        name = chance.choice(["House 1", "House 2", "Hip Hop"])
        slot = f"gnz#{day}#19:30"
        updated = f"2025-07-{chance.randrange(10, 29)}T03:{chance.randrange(60):02d}:00.000Z"
        row = {**ROW, "userId": user, "waitlistId": f"{slot}#{name}", "lessonDate": day, "lessonName": name}
        row.update(updatedAt=updated, status=chance.choice(["active", "paused", "expired", "cancelled", "lost"]))
        rows[user, f"{slot}#{name}"] = row
    return list(rows.values())


async def fill(db: Database, rows: list[dict[str, Any]]) -> None:
    for start in range(0, len(rows), 25):
        puts = [
            {"PutRequest": {"Item": {name: to_stored(value) for name, value in row.items()}}}
            for row in rows[start : start + 25]
        ]
        await db.store.call("BatchWriteItem", {"RequestItems": {"waitlistTable": puts}})


async def everything(db: Database) -> list[UserLesson]:
    return sorted(await db.all(user_lessons.scan()), key=lambda tie: (tie.user_id, tie.starts_at))


async def test_a_plan_writes_nothing_and_a_second_run_changes_nothing(db: Database) -> None:
    await fill(db, generated(300))
    move = Move(db, db.clock, OLD)
    plan = await move.plan()
    assert await everything(db) == []
    assert plan.unusable
    first = await move.run()
    once = await everything(db)
    assert len(once) == plan.places == plan.written
    assert first.rows == 300
    second = await move.run()
    assert (second.written, await everything(db)) == (0, once)
    verified = await move.verify()
    assert (verified.drift, await move.stage()) == ([], Stage.VERIFIED)


class Killed(BaseException):
    """As if the process had been killed."""


@pytest.mark.parametrize("pages", [0, 1, 3, 6])
async def test_a_run_killed_anywhere_goes_on(db: Database, pages: int) -> None:
    await fill(db, generated(300))
    seen = 0

    def stop(rows: int) -> None:
        nonlocal seen
        seen += 1
        if seen > pages:
            raise Killed

    with pytest.raises(Killed):
        await Move(db, db.clock, OLD, stop).run()
    move = Move(db, db.clock, OLD)
    rest = await move.run()
    assert rest.rows < 300, "what had been read is not read again"
    assert (await move.verify()).drift == []


async def test_what_a_user_did_since_stays(db: Database) -> None:
    await fill(db, [dict(ROW)])
    move = Move(db, db.clock, OLD)
    await move.run()
    slot = parse_slot("gnz/2025-07-30/19:30")
    key = (slot.studio_code, slot.lesson_date, slot.start_time, Kind.WAITLIST)
    later = datetime.fromisoformat("2025-07-29T09:00:00.000Z")
    update = user_lessons.update("hana", *key).set(UserLesson.status, Status.CANCELLED)
    await db.write(update.set(UserLesson.updated_at, later))
    assert (await move.run()).kept == 1
    assert (await db.need(user_lesson("hana", *key))).status is Status.CANCELLED
    assert (await move.verify()).drift == []


async def test_drift_is_found(db: Database) -> None:
    await fill(db, generated(50))
    move = Move(db, db.clock, OLD)
    await move.run()
    victim = (await everything(db))[0]
    await db.write(
        user_lessons.delete(victim.user_id, victim.studio_code, victim.lesson_date, victim.start_time, victim.kind)
    )
    assert len((await move.verify()).drift) == 1
    with pytest.raises(WrongStage):
        await move.cutover()


async def test_the_way_back_is_open_until_the_cutover(db: Database) -> None:
    await fill(db, generated(80))
    move = Move(db, db.clock, OLD)
    with pytest.raises(WrongStage):
        await move.verify()
    await move.run()
    await move.verify()
    assert await move.rollback() > 0
    assert await everything(db) == []
    await move.run()
    await move.verify()
    await move.cutover()
    for forbidden in (move.rollback, move.run, move.verify):
        with pytest.raises(WrongStage):
            await forbidden()
