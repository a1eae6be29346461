from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Status, TieKind
from tests.systems.lessons.steps import tie
from tests.systems.lessons.world import LESSON, STAFF, World


async def test_attendance(world: World) -> None:
    await world.lesson(capacity=3)
    for user in ("hana", "ren", "sora"):
        await world.book(user, LESSON)
    with pytest.raises(refusals.TooEarly):
        await world.service.desk.mark_attendance(STAFF, LESSON, "hana", True)
    world.clock.set((LESSON.starts_at - timedelta(minutes=10)).timestamp())
    await world.service.desk.mark_attendance(STAFF, LESSON, "hana", True)
    world.clock.set((LESSON.starts_at + timedelta(hours=1)).timestamp())
    await world.jobs.expire({})
    await world.service.desk.mark_attendance(STAFF, LESSON, "ren", False)
    with pytest.raises(refusals.NoSuchTie):
        await world.service.desk.mark_attendance(STAFF, LESSON, "nobody", True)
    world.settle()
    roll = await world.service.desk.roll(STAFF, LESSON)
    assert {one.user_id: one.attended for one in roll.booked} == {"hana": True, "ren": False, "sora": None}
    figures = {user: await world.statistics(user) for user in ("hana", "ren", "sora")}
    assert {user: (one.lessons, one.absences) for user, one in figures.items()} == {
        "hana": (1, 0),
        "ren": (0, 1),
        "sora": (1, 0),
    }
    assert figures["hana"].months == [("2025-07", 1)]
    assert figures["hana"].names == [("BSL House 1", 1)]


async def test_the_desk_books_out_of_the_queue_and_cancels_and_the_member_is_told(world: World) -> None:
    await world.lesson(capacity=1)
    await world.person("hana")
    await world.book("ren", LESSON)
    await world.join("hana", LESSON)
    with pytest.raises(refusals.Full):
        await world.service.desk.book_for(STAFF, LESSON, "hana")
    await world.cancel("ren", LESSON)
    await world.service.desk.book_for(STAFF, LESSON, "hana")
    waiting = await tie(world, "hana", TieKind.WAITLIST)
    assert waiting is not None
    assert waiting.status is Status.COMPLETED
    with pytest.raises(refusals.NoSuchTie):
        await world.service.desk.book_for(STAFF, LESSON, "a stranger")
    world.clock.set((LESSON.starts_at - timedelta(minutes=20)).timestamp())
    with pytest.raises(refusals.TooLateToCancel):
        await world.cancel("hana", LESSON)
    await world.service.desk.cancel_for(STAFF, LESSON, "hana")
    found = await tie(world, "hana", TieKind.BOOKING)
    assert found is not None
    assert (found.status, found.cancelled_late) == (Status.CANCELLED, None), "not by their fault"
    subjects = [str(one.body["subject"]).partition(":")[0] for one in await world.notices()]
    assert sorted(subjects) == ["予約が入りました", "予約が取り消されました"]
    assert (await world.lesson_now()).booked == 0


async def test_the_desk_sees_how_many_wait(world: World) -> None:
    await world.lesson(capacity=0)
    for user in ("hana", "ren"):
        await world.join(user, LESSON)
    world.settle()
    day = LESSON.lesson_date
    assert await world.service.desk.waiting(STAFF, day - timedelta(days=1), day) == {LESSON: 2}
    assert await world.service.desk.waiting(STAFF, day + timedelta(days=1), day + timedelta(days=1)) == {}
