"""The stages of the move on every kind of store: embedded, in bad weather, and on a program that is not ours."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database, replace
from sekkei.errors import ResourceNotFoundException
from sekkei.store import Embedded
from sekkei_lessons_migration.configuration import OldTable
from sekkei_lessons_migration.ledger import Ledger, WrongStage
from sekkei_lessons_migration.mapping import mapped
from sekkei_lessons_migration.moving import Move
from sekkei_lessons_migration.old_rows import NoOldTable, stored
from sekkei_lessons_migration.places import digest, place_of
from sekkei_lessons_migration.sample import fill, make_table
from sekkei_lessons_migration.sample import old_rows as generated
from sekkei_systems import days
from sekkei_systems.lessons.design import (
    Stage,
    Status,
    TieKind,
    UserLesson,
    design,
    user_lesson,
    user_lessons,
    user_lessons_table,
)
from sekkei_systems.lessons.rules.slots import Slot
from tests.lost import answer_lost
from tests.systems.lessons_migration.old_waitlists import (
    KEY,
    OLD,
    db,
    delete,
    end,
    everything,
    old_table,
    places,
    put,
    sample,
    stage,
)

ROWS = 160
__all__ = ["db"]


async def test_a_plan_writes_nothing_a_run_does_what_it_said_and_a_second_one_nothing(
    db: Database, clock: ManualClock
) -> None:
    rows = sample(clock)
    await put(db, *rows)
    expected = places(rows, clock)
    move = Move(db, clock, OLD)
    plan = await move.plan()
    assert (await everything(db), await move.state()) == ([], None)
    first = await move.run()
    once = await everything(db)
    assert plan.rows == first.rows == ROWS
    assert len(once) == plan.written == first.written == len(expected)
    assert plan.conflicts.count == first.conflicts.count == sum(len(some) - 1 for some in expected.values()) > 5
    assert plan.over == first.over > 0
    assert plan.unusable.count == first.unusable.count > 0
    assert plan.rows == sum(map(len, expected.values())) + plan.over + plan.unusable.count, "every row is accounted for"
    second = await move.run()
    assert (second.written, second.removed, second.unchanged) == (0, 0, len(expected))
    assert await everything(db) == once
    verified = await move.verify()
    assert (verified.drift.count, verified.unchanged) == (0, len(expected))
    assert await stage(move) is Stage.VERIFIED


async def test_every_row_is_found_again_in_the_new_table(db: Database, clock: ManualClock) -> None:
    rows = sample(clock)
    await put(db, *rows)
    await Move(db, clock, OLD).run()
    found = {place_of(tie): tie for tie in await everything(db)}
    for place, some in places(rows, clock).items():
        legacy = found[place].legacy or {}
        newest = max(some, key=lambda row: mapped(row, OLD).updated_at)
        others = [row for row in some if row is not newest]
        assert found[place].waitlist_id == newest["waitlistId"]
        assert sorted(legacy.get("conflicts", []), key=repr) == sorted(others, key=repr)
        assert legacy["studioName"] == newest["studioName"]


async def test_unusable_rows_are_listed_with_their_reasons_and_stay(db: Database, clock: ManualClock) -> None:
    good, bad = sample(clock, 1)[0], {"userId": "ken", "waitlistId": "gnz#2025-08-01#19:30#House", "status": "lost"}
    await put(db, good, bad)
    report = await Move(db, clock, OLD).run()
    reason = "status is 'lost'; name it in \"statuses\" of the mapping"
    assert report.unusable.listed == [{"key": {name: bad[name] for name in KEY}, "reason": reason}]
    assert (await old_table(db))["ken", bad["waitlistId"]] == bad


async def test_of_a_row_that_becomes_unusable_the_last_good_state_stays(db: Database, clock: ManualClock) -> None:
    row = next(row for row in sample(clock) if row["status"] == "active" and "lessonDateTime" in row)
    await put(db, row)
    move = Move(db, clock, OLD)
    await move.run()
    before = await everything(db)
    await put(db, {**row, "status": "lost"})
    report = await move.run()
    assert (report.unusable.count, report.removed, await everything(db)) == (1, 0, before)
    assert (await move.verify()).drift.count == 0


async def test_a_row_that_fills_an_item_is_moved_without_what_has_no_place(db: Database, clock: ManualClock) -> None:
    row = sample(clock, 1)[0]
    await put(db, {**row, "note": "x" * 390_000}, {**row, "waitlistId": f"{row['waitlistId']} 2", "note": "y" * 20_000})
    move = Move(db, clock, OLD)
    report = await move.run()
    assert (report.unusable.count, report.shortened.count > 0) == (0, True)
    (found,) = await everything(db)
    assert "leftOut" in (found.legacy or {})
    assert (await move.verify()).drift.count == 0


async def test_a_run_catches_up_with_what_changed_and_with_what_is_gone(db: Database, clock: ManualClock) -> None:
    rows = [row for some in places(sample(clock), clock).values() for row in some]
    await put(db, *rows)
    move = Move(db, clock, OLD)
    await move.run()
    changed = {**rows[0], "instructor": "新人", "updatedAt": "2025-07-29T02:59:59.999Z"}
    moved = {**rows[1], "lessonDate": "2025-09-15"}
    met = next(row for row in rows[3:] if len(places([row, *rows], clock)[place_of(mapped(row, OLD))]) > 2)
    await put(db, changed, moved)
    await delete(db, rows[2])
    await delete(db, met)
    drift = await move.verify()
    assert {entry["what"] for entry in drift.drift.listed} >= {"the old row has changed since it was copied"}
    assert await stage(move) is Stage.COPIED
    await move.run()
    assert (await move.verify()).drift.count == 0
    now = {**{row["waitlistId"]: row for row in rows[3:] if row is not met}}
    expected = places([changed, moved, *now.values()], clock)
    assert {place_of(tie) for tie in await everything(db)} == set(expected)


async def test_what_a_user_did_since_stays(db: Database, clock: ManualClock) -> None:
    row = next(row for row in sample(clock) if row["status"] == "active")
    await put(db, row)
    move = Move(db, clock, OLD)
    await move.run()
    tie = (await everything(db))[0]
    clock.advance(60)
    await end(db, tie, Status.CANCELLED)
    report = await move.run()
    assert (report.written, report.ahead.count) == (0, 1)
    assert (await everything(db))[0].status is Status.CANCELLED
    verified = await move.verify()
    assert (verified.drift.count, verified.ahead.listed) == (0, [{"place": str(place_of(tie))}])


@pytest.mark.parametrize("how", ["deleted", "altered", "told", "unreadable", "left over", "conflict lost"])
async def test_drift_is_found(db: Database, clock: ManualClock, how: str) -> None:
    rows = sample(clock, 60)
    await put(db, *rows)
    move = Move(db, clock, OLD)
    await move.run()
    victim = (await everything(db))[0]
    key = (victim.studio_code, victim.lesson_date, victim.start_time, TieKind.WAITLIST)
    if how == "deleted":
        await db.write(user_lessons.delete(victim.user_id, *key))
    elif how == "altered":
        await db.write(user_lessons.update(victim.user_id, *key).set(UserLesson.lesson_name, "?"))
    elif how == "told":
        other = not victim.notification_sent
        await db.write(user_lessons.update(victim.user_id, *key).set(UserLesson.notification_sent, other))
    elif how == "unreadable":
        item = {**user_lessons.encode(victim), "status": {"S": "?"}}
        await db.store.call("PutItem", {"TableName": db.table_name(user_lessons_table), "Item": item})
    elif how == "left over":
        await db.write(user_lessons.put(replace(victim, user_id="nobody", legacy=_elsewhere(victim))))
    else:
        met = next(tie for tie in await everything(db) if "conflicts" in (tie.legacy or {}))
        legacy = {name: value for name, value in (met.legacy or {}).items() if name != "conflicts"}
        await db.write(user_lessons.put(replace(met, legacy=legacy)))
    found = await move.verify()
    assert found.drift.count == 1, found.drift.listed
    assert await stage(move) is Stage.COPIED
    with pytest.raises(WrongStage):
        await move.cutover(allow_silent=True)
    if how not in ("unreadable", "left over"):
        await move.run()
        assert (await move.verify()).drift.count == 0


def _elsewhere(tie: UserLesson) -> dict[str, Any]:
    """As if it had come from a row that is not there, and been left as it was put."""
    source = {"table": OLD.table, "key": {"userId": "nobody", "waitlistId": "x"}}
    legacy = {"from": source}
    return {"from": {**source, "digest": digest(replace(tie, user_id="nobody", legacy=legacy))}}


async def test_the_way_back_before_the_cutover(db: Database, clock: ManualClock) -> None:
    await put(db, *sample(clock))
    before = await old_table(db)
    move = Move(db, clock, OLD)
    with pytest.raises(WrongStage):
        await move.verify()
    await move.run()
    favourite = replace((await everything(db))[0], kind=TieKind.FAVORITE, waitlist_id=None, legacy=None)
    touched = next(tie for tie in await everything(db) if tie.status is Status.ACTIVE)
    await db.write(user_lessons.put(favourite))
    await end(db, touched, Status.COMPLETED)
    report = await move.rollback()
    left = await everything(db)
    assert {(tie.kind, tie.status) for tie in left} == {
        (TieKind.FAVORITE, favourite.status),
        (TieKind.WAITLIST, Status.COMPLETED),
    }
    assert (report.ahead.listed, report.written) == ([{"place": str(place_of(touched))}], 0)
    assert await old_table(db) == before, "the old table was never written to"
    with pytest.raises(WrongStage):
        await move.cutover(allow_silent=True)
    await move.run()
    assert (await move.verify()).drift.count == 0


async def test_after_the_cutover_a_rollback_takes_back_what_users_did(db: Database, clock: ManualClock) -> None:
    await put(db, *sample(clock))
    move = Move(db, clock, OLD)
    await move.run()
    await move.verify()
    with pytest.raises(WrongStage):
        await move.make_final()
    assert (await move.cutover(allow_silent=True)).drift.count == 0
    before = await old_table(db)
    left, joined, favourite = await use_the_new_table(db, clock)
    report = await move.rollback()
    assert (report.written, report.ahead.count) == (2, 0)
    after = await old_table(db)
    assert len(after) == len(before) + 1
    assert after[left.user_id, left.waitlist_id or ""]["status"] == "cancelled"
    slot = Slot(joined.studio_code, joined.lesson_date, joined.start_time)
    row = next(row for row in after.values() if row["userId"] == "newcomer")
    assert (place_of(mapped(row, OLD)).slot, row["status"]) == (slot, "active")
    unchanged = {key for key in before if key != (left.user_id, left.waitlist_id)}
    assert all(after[key] == before[key] for key in unchanged)
    assert await everything(db) == [favourite]
    await move.run()
    assert (await move.verify()).drift.count == 0
    again = await db.need(user_lesson(left.user_id, *place_of(left).key))
    assert again.status is Status.CANCELLED


async def use_the_new_table(db: Database, clock: ManualClock) -> tuple[UserLesson, UserLesson, UserLesson]:
    """Somebody leaves a waitlist, somebody joins one, somebody has a favourite."""
    clock.advance(3600)
    left = next(tie for tie in await everything(db) if tie.status is Status.ACTIVE and tie.paused_until is None)
    await end(db, left, Status.CANCELLED)
    now = days.now(clock)
    joined = replace(left, user_id="newcomer", waitlist_id="wl_1", created_at=now, updated_at=now, legacy=None)
    await db.write(user_lessons.put(joined))
    favourite = replace(joined, kind=TieKind.FAVORITE, waitlist_id=None, notification_sent=None)
    await db.write(user_lessons.put(favourite))
    key = (joined.studio_code, joined.lesson_date, joined.start_time, TieKind.FAVORITE)
    return left, joined, await db.need(user_lesson("newcomer", *key))


async def test_what_the_old_table_is_given_after_the_cutover_is_not_lost(db: Database, clock: ManualClock) -> None:
    rows = [row for some in places(sample(clock, 40), clock).values() for row in some]
    await put(db, *rows)
    move = Move(db, clock, OLD)
    await move.run()
    await move.verify()
    await move.cutover(allow_silent=True)
    late = {**rows[0], "userId": "late"}
    await put(db, late)
    await delete(db, rows[1])
    report = await move.make_final()
    assert [entry["what"] for entry in report.drift.listed] == ["missing in the new table"]
    assert await stage(move) is Stage.CUT_OVER
    count = len(await everything(db))
    assert (await move.run()).written == 1
    assert len(await everything(db)) == count + 1, "and what was deleted from the old table stays in the new one"
    assert (await move.make_final()).drift.count == 0
    for forbidden in (move.rollback, move.run, move.verify, move.cutover):
        with pytest.raises(WrongStage):
            await forbidden()


async def test_an_old_table_is_deleted_only_when_all_of_it_is_in_a_file(
    db: Database, clock: ManualClock, tmp_path: Path
) -> None:
    await put(db, *sample(clock, 90))
    before = await old_table(db)
    move = Move(db, clock, OLD)
    await move.run()
    await move.verify()
    await move.cutover(allow_silent=True)
    with pytest.raises(WrongStage):
        await move.retire(tmp_path / "old.jsonl")
    await move.make_final()
    assert await move.retire(tmp_path / "old.jsonl") == 90
    saved = [orjson.loads(line)["Item"] for line in (tmp_path / "old.jsonl").read_bytes().splitlines()]
    assert {(row["userId"]["S"], row["waitlistId"]["S"]): row for row in saved} == {
        key: stored(row) for key, row in before.items()
    }
    with pytest.raises(NoOldTable):
        await move.plan()


async def test_a_changed_mapping_starts_a_cut_off_run_from_the_beginning(db: Database, clock: ManualClock) -> None:
    await put(db, *sample(clock))

    def stop(done: int, rows: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        await Move(db, clock, OLD, stop).run()
    changed = OldTable(statuses={"lost": "cancelled"})
    report = await Move(db, clock, changed).run()
    assert (report.rows, report.resumed) == (ROWS, 0)
    assert not [entry for entry in report.unusable.listed if "lost" in entry["reason"]]


async def test_of_two_runs_at_once_the_first_is_stopped_and_nothing_is_lost(db: Database, clock: ManualClock) -> None:
    await put(db, *sample(clock))
    first = Ledger(db, clock, OLD.table)
    with answer_lost(db):
        begun = await first.enter(Stage.RUNNING, None, mapping=OLD.fingerprint)
    second = Move(db, clock, OLD)
    await second.run()
    with pytest.raises(WrongStage):
        await first.save(begun, {}, {})
    with pytest.raises(WrongStage):
        await first.enter(Stage.COPIED, begun)
    assert (await second.verify()).drift.count == 0


async def test_rows_that_meet_may_stand_far_apart_in_the_old_table(db: Database, clock: ManualClock) -> None:
    old = OldTable(table="old-waits", user="uid", waitlist="code")
    with contextlib.suppress(ResourceNotFoundException):
        await db.store.call("DeleteTable", {"TableName": old.table})
    request = {
        "TableName": old.table,
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "N"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    await db.store.call("CreateTable", request)
    rows = [
        {"id": at, "uid": f"u{at % 20}", "code": f"gnz#2025-08-01#19:30#{at // 20}", "updatedAt": 1_753_700_000 + at}
        for at in range(60)
    ]
    await fill(db.store, old.table, iter(rows), clock)
    move = Move(db, clock, old)
    plan = await move.plan()
    assert (plan.written, plan.conflicts.count) == (20, 40)
    assert (await move.run()).conflicts.count == 40
    for stage_again in (move.run, move.verify):
        report = await stage_again()
        assert (report.unchanged, report.conflicts.count, report.written, report.drift.count) == (20, 40, 0, 0)
    found = await everything(db)
    assert {tie.lesson_name for tie in found} == {"2"}
    kept = {tie.user_id: [row["id"] for row in (tie.legacy or {})["conflicts"]] for tie in found}
    assert kept == {f"u{at}": [at + 20, at] for at in range(20)}
    await move.cutover(allow_silent=True)
    _, joined, _ = await use_the_new_table(db, clock)
    report = await move.rollback()
    said = {"place": str(place_of(joined)), "what": "has no id"}
    assert (report.written, report.removed, report.ahead.listed) == (1, 20, [said]), "what has no key there stays here"


async def test_a_plan_needs_no_new_table(clock: ManualClock) -> None:
    store = Embedded(clock=clock)
    await make_table(store, OLD.table)
    await fill(store, OLD.table, iter(sample(clock, 50)), clock)
    report = await Move(design.open(store, env="test", clock=clock), clock, OLD).plan()
    assert report.written > 30
    assert (await store.call("ListTables", {}))["TableNames"] == [OLD.table]
    await store.close()


def test_a_sample_is_the_same_every_time_and_has_all_kinds_of_rows(clock: ManualClock) -> None:
    now = days.now(clock)
    rows = list(generated(2_000, now))
    assert rows == list(generated(2_000, now))
    assert len({(row["userId"], row["waitlistId"]) for row in rows}) == 2_000
    paused = [row for row in rows if row.get("status") == "paused"]
    assert {"autoResumeAt" in row for row in paused} == {True, False}
    assert any(isinstance(row.get("createdAt"), int) for row in rows)
    assert any(row["lessonDate"] < str(days.day_of(now - timedelta(days=8))) for row in rows if "lessonDate" in row)


async def test_rows_too_large_for_one_item_are_shortened_and_can_be_cut_over(db: Database, clock: ManualClock) -> None:
    rows: list[dict[str, Any]] = [
        {
            "userId": "hana",
            "waitlistId": f"gnz#2025-07-30#19:30#House {number}",
            "updatedAt": f"2025-07-0{number + 1}T00:00:00.000Z",
            "notificationHistory": "x" * 150_000,
        }
        for number in range(3)
    ]
    await put(db, *rows)
    move = Move(db, clock, OLD)
    first = await move.run()
    assert (first.unusable.count, first.written) == (0, 1)
    (found,) = await everything(db)
    legacy = found.legacy or {}
    assert (legacy["leftOut"], len(legacy["conflicts"])) == (["conflicts"], 2)
    assert len(legacy["notificationHistory"]) == 150_000
    assert (await move.run()).written == 0
    verified = await move.verify()
    assert (verified.drift.count, verified.shortened.count) == (0, 1)
    assert (await move.cutover(allow_silent=True)).drift.count == 0


async def test_a_row_changed_in_the_future_does_not_win_for_ever(db: Database, clock: ManualClock) -> None:
    ahead = {"userId": "hana", "waitlistId": "gnz#2025-07-30#19:30#House", "updatedAt": "2031-01-01T00:00:00.000Z"}
    await put(db, {**ahead, "createdAt": "2025-07-01T00:00:00.000Z"})
    move = Move(db, clock, OLD)
    await move.run()
    (found,) = await everything(db)
    assert found.updated_at == found.created_at <= days.now(clock)
    assert (found.legacy or {})["updatedAt"] == "2031-01-01T00:00:00.000Z", "what it said is kept"
    await end(db, found, Status.CANCELLED)
    await move.run()
    (found,) = await everything(db)
    assert found.status is Status.CANCELLED, "what was done here since is newer"
