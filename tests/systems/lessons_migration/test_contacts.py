"""Contacts out of the old system, and those who would go silent."""

from __future__ import annotations

from collections import Counter

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database, tables
from sekkei.runtime.wakeups import watched
from sekkei.store import Embedded
from sekkei_lessons_migration.configuration import BadMapping, OldTable
from sekkei_lessons_migration.contacts import contact_of
from sekkei_lessons_migration.moving import SEGMENTS, Move
from sekkei_lessons_migration.old_rows import stored
from sekkei_lessons_migration.sample import make_table
from sekkei_systems.lessons.design import Contact, Lesson, Stage, contact, contacts, design, lessons
from tests.systems.lessons.world import LESSON
from tests.systems.lessons_migration.old_waitlists import OLD, db, put, stage

__all__ = ["db"]

PEOPLE = {"table": "usersTable", "user": "userId", "name": "displayName", "mail": "email", "line": "lineId"}


def row(user: str) -> dict[str, object]:
    return {"userId": user, "waitlistId": f"gnz#2025-07-30#19:30#{user}", "createdAt": "2025-07-01T00:00:00.000Z"}


async def people(db: Database, *rows: dict[str, object]) -> None:
    key = [{"AttributeName": "userId", "KeyType": "HASH"}]
    kinds = [{"AttributeName": "userId", "AttributeType": "S"}]
    request = {"TableName": "usersTable", "KeySchema": key, "AttributeDefinitions": kinds}
    await db.store.call("CreateTable", {**request, "BillingMode": "PAY_PER_REQUEST"})
    for one in rows:
        await db.store.call("PutItem", {"TableName": "usersTable", "Item": stored(one)})


async def drop(db: Database) -> None:
    await db.store.call("DeleteTable", {"TableName": "usersTable"})


async def test_nobody_goes_silent_by_a_cutover(db: Database, clock: ManualClock) -> None:
    await put(db, row("hana"), row("ren"))
    await db.write(contacts.put(Contact(user_id="ren", name="ren", email="r@x.example", channels=frozenset({"mail"}))))
    move = Move(db, clock, OLD)
    await move.run()
    clock.advance(5)
    verified = await move.verify()
    assert [one["place"] for one in verified.silent.listed] == ["hana gnz/2025-07-30/19:30"]
    refused = await move.cutover()
    assert (refused.drift.count, refused.silent.count) == (0, 1)
    assert await stage(move) is Stage.VERIFIED, "nothing was switched"
    assert (await move.cutover(allow_silent=True)).silent.count == 1
    assert await stage(move) is Stage.CUT_OVER


async def test_contacts_and_accounts_come_along(db: Database, clock: ManualClock) -> None:
    await people(
        db,
        {"userId": "hana", "displayName": "花", "email": "h@x.example", "lineId": "U1"},
        {"userId": "ren", "email": "old@x.example"},
    )
    try:
        old = OldTable(account="line-{user}", contacts=PEOPLE)
        await put(db, row("hana"), row("ren"), row("ken"))
        mine = Contact(user_id="line-ren", name="蓮", email="new@x.example", channels=frozenset({"mail"}))
        await db.write(contacts.put(mine))
        move = Move(db, clock, old)
        first = await move.run()
        clock.advance(5)
        second = await move.run()
        assert (first.contacts + second.contacts, first.unusable.count) == (1, 0)
        brought = await db.get(contact("line-hana"))
        assert brought is not None
        assert (brought.name, brought.email, brought.line_user_id) == ("花", "h@x.example", "U1")
        assert brought.channels == {"mail", "line"}
        assert await db.get(contact("line-ren")) == mine, "what somebody has set up here stays"
        verified = await move.verify()
        assert [one["place"] for one in verified.silent.listed] == ["line-ken gnz/2025-07-30/19:30"]
        assert verified.drift.count == 0
    finally:
        await drop(db)


async def test_each_table_is_read_once(clock: ManualClock) -> None:
    """On a store that goes over all rows to find some, asking again for those who wait made a verify endless."""
    counted = watched(Embedded(clock=clock))
    await tables.create(counted, design, "test", clock)
    await make_table(counted, OLD.table)
    db = design.open(counted, env="test", clock=clock)
    slots = [f"gnz#2025-07-30#{hour}:30" for hour in range(13, 20)]
    rows = [{**row("hana"), "waitlistId": f"{slot}#BSL"} for slot in slots]
    await put(db, *rows)
    await Move(db, clock, OLD).run()
    before = Counter(counted.calls)
    verified = await Move(db, clock, OLD).verify()
    assert (verified.unchanged, verified.silent.count, verified.unlisted.count) == (7, 7, 7)
    made = Counter(counted.calls) - before
    assert (made["Query"], made["Scan"]) == (0, SEGMENTS + 1), made
    assert made["BatchGetItem"] == 3, "rows, people and lessons, some at a time"


async def test_who_waits_for_a_lesson_that_is_not_in_the_timetable_is_listed(db: Database, clock: ManualClock) -> None:
    await put(db, row("hana"))
    move = Move(db, clock, OLD)
    await move.run()
    clock.advance(5)
    assert (await move.verify()).unlisted.count == 1
    await db.write(
        lessons.put(
            Lesson(
                studio_code="gnz",
                lesson_date=LESSON.lesson_date,
                start_time=LESSON.start_time,
                lesson_name="House",
                instructor="Y",
                updated_at=LESSON.starts_at,
            )
        )
    )
    assert (await move.verify()).unlisted.count == 0


def test_accounts_go_both_ways() -> None:
    old = OldTable(account="line-{user}@x")
    assert old.account_of("hana") == "line-hana@x"
    assert old.user_of("line-hana@x") == "hana"


@pytest.mark.parametrize(
    "wrong",
    [
        b'{"account": "x"}',
        b'{"account": "{user}{user}"}',
        b'{"contacts": {"table": "t"}}',
        b'{"contacts": {"tabel": "t"}}',
    ],
)
def test_a_mapping_that_cannot_be_used(wrong: bytes) -> None:
    with pytest.raises(BadMapping):
        OldTable.read(wrong)


def test_a_contact_without_any_address_has_no_channel() -> None:
    found = contact_of("hana", {"userId": "hana", "email": " ", "lineId": 7}, OldTable(contacts=PEOPLE))
    assert (found.name, found.channels) == ("hana", frozenset())
