"""A lesson is moved with everybody who has to do with it; places are exact at every moment."""

from __future__ import annotations

import asyncio
from dataclasses import replace as changed
from datetime import date, time, timedelta

import pytest

from sekkei.design import replace
from sekkei.runtime import days
from sekkei.runtime.design import schedules
from sekkei.runtime.refusals import Changed, Refusal
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, Status, TieKind, lessons, register, user_lessons
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.waitlist import Wishes
from sekkei_systems.lessons.service.access import Member
from tests.systems.lessons.service.test_rulebook import rules
from tests.systems.lessons.steps import tie
from tests.systems.lessons.world import LESSON, STAFF, World

TO = Slot("gnz", date(2025, 7, 31), time(20, 0))


async def filled(world: World) -> None:
    """Two have booked, two were sold elsewhere, one waits, one likes it."""
    await world.lesson(capacity=4, booked=2, end_time=time(20, 15))
    for user in ("hana", "ren", "sora", "umi"):
        await world.person(user)
    for user in ("hana", "ren"):
        await world.book(user, LESSON)
    await world.join("sora", LESSON)
    await world.like("umi", LESSON, "いつもの")
    world.settle()


async def test_everything_moves_and_everybody_is_told(world: World) -> None:
    await filled(world)
    before = await world.service.waitlist.prefer(Member("sora"), LESSON, Wishes(6))
    world.settle()
    await world.service.moves.move(STAFF, LESSON, TO)
    world.settle()
    await world.jobs.move({"slot": str(LESSON)})
    await world.jobs.move({"slot": str(LESSON)})
    new = await world.lesson_now(TO)
    assert (new.booked, new.booked_here, new.capacity, new.is_open, new.end_time) == (4, 2, 4, True, time(20, 45))
    with pytest.raises(refusals.NoSuchLesson):
        await world.lesson_now(LESSON)
    for user, kind in (("hana", TieKind.BOOKING), ("ren", TieKind.BOOKING), ("umi", TieKind.FAVORITE)):
        old, moved = await tie(world, user, kind), await tie(world, user, kind, TO)
        assert old is not None
        assert moved is not None
        assert (old.status, moved.status, moved.reservation_id) == (
            Status.CANCELLED,
            Status.ACTIVE,
            old.reservation_id,
        )
    waiting = await tie(world, "sora", TieKind.WAITLIST, TO)
    assert waiting is not None
    assert waiting.queue_key == before.queue_key
    assert waiting.auto_book_until == TO.starts_at - timedelta(hours=6), "before the start that it has now"
    assert [one.user_id for one in await world.queue(TO)] == ["sora"]
    told = sorted((one.to, str(one.body["subject"]).partition(":")[0]) for one in await world.notices())
    assert told == [(f"{user}@example.com", "レッスンの日時が変わりました") for user in ("hana", "ren", "sora", "umi")]


async def test_a_move_that_is_cut_off_goes_on_and_nobody_slips_in(world: World) -> None:
    await filled(world)
    carry = world.service.moves.carry

    async def died(slot: Slot) -> int:
        raise ConnectionError("the process is gone")

    world.service.moves.carry = died  # type: ignore[method-assign]
    with pytest.raises(ConnectionError):
        await world.service.moves.move(STAFF, LESSON, TO)
    world.service.moves.carry = carry  # type: ignore[method-assign]
    for slot in (LESSON, TO):
        with pytest.raises(refusals.Closed):
            await world.book("mei", slot)
    await world.cancel("ren", LESSON)
    with pytest.raises(Changed):
        await world.service.moves.move(STAFF, LESSON, changed(TO, start_time=time(21, 0)))
    for _ in range(3):
        world.settle()
        await world.jobs.move({"slot": str(LESSON)})
    new = await world.lesson_now(TO)
    assert (new.booked, new.booked_here, new.is_open) == (3, 1, True)
    await world.book("mei", TO)


async def test_cancelling_and_moving_at_once_keeps_the_count(world: World) -> None:
    await world.lesson(capacity=8)
    users = [f"user{number}" for number in range(8)]
    for user in users:
        await world.book(user, LESSON)
    world.settle()

    async def cancelled(user: str) -> None:
        for slot in (LESSON, TO, LESSON, TO):
            try:
                await world.cancel(user, slot)
                break
            except Refusal:
                await asyncio.sleep(0)

    await asyncio.gather(world.service.moves.move(STAFF, LESSON, TO), *(cancelled(user) for user in users[:4]))
    for _ in range(3):
        world.settle()
        await world.jobs.move({"slot": str(LESSON)})
    active = [await tie(world, user, TieKind.BOOKING, TO) for user in users]
    assert (await world.lesson_now(TO)).booked_here == sum(
        one is not None and one.status is Status.ACTIVE for one in active
    )


async def test_what_cannot_be_moved_is_refused(world: World) -> None:
    await world.lesson()
    await world.lesson(TO)
    with pytest.raises(refusals.SlotTaken):
        await world.service.moves.move(STAFF, LESSON, TO)
    with pytest.raises(refusals.LessonOver):
        await world.service.moves.move(STAFF, LESSON, changed(TO, lesson_date=date(2025, 7, 1)))
    with pytest.raises(refusals.NoSuchLesson):
        await world.service.moves.move(STAFF, LESSON, changed(TO, studio_code="sby"))
    assert (await world.lesson_now()).is_open


async def test_what_has_not_arrived_is_not_moved_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever moved it died on the way: moved on, it would stay closed, and those on the way lose it."""
    await filled(world)
    with monkeypatch.context() as patch:
        patch.setattr(world.service.moves, "carry", _dies)
        with pytest.raises(ConnectionError):
            await world.service.moves.move(STAFF, LESSON, TO)
    further = changed(TO, start_time=time(21, 30))
    with pytest.raises(Changed):
        await world.service.moves.move(STAFF, TO, further)
    world.settle()
    await world.jobs.move({"slot": str(LESSON)})
    world.settle()
    await world.service.moves.move(STAFF, TO, further)
    new = await world.lesson_now(further)
    assert (new.is_open, new.booked_here) == (True, 2)


async def _dies(slot: Slot) -> int:
    raise ConnectionError("killed")


async def test_whoever_was_noted_as_absent_has_missed_nothing_when_it_is_moved(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, no_shows_max=1))
    await filled(world)
    world.clock.set((LESSON.starts_at - timedelta(minutes=10)).timestamp())
    await world.service.desk.mark_attendance(STAFF, LESSON, "hana", came=False)
    await world.service.moves.move(STAFF, LESSON, TO)
    moved = await tie(world, "hana", TieKind.BOOKING, TO)
    assert moved is not None
    assert (moved.status, moved.attended) == (Status.ACTIVE, None)
    await world.lesson(changed(TO, start_time=time(21, 30)))
    await world.book("hana", changed(TO, start_time=time(21, 30)))


async def test_what_is_on_its_way_when_the_old_time_comes_is_no_history(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything was down for a while: nobody was at the lesson at its old time."""
    await filled(world)
    with monkeypatch.context() as patch:
        patch.setattr(world.service.moves, "carry", _dies)
        with pytest.raises(ConnectionError):
            await world.service.moves.move(STAFF, LESSON, TO)
    world.clock.set((LESSON.starts_at + timedelta(minutes=10)).timestamp())
    await world.jobs.expire({})
    for _ in range(2):
        world.settle()
        await world.jobs.move({"slot": str(LESSON)})
    assert await world.service.timetable.find(LESSON) is None
    assert (await world.lesson_now(TO)).booked_here == 2
    moved = await tie(world, "hana", TieKind.BOOKING, TO)
    assert moved is not None
    assert moved.status is Status.ACTIVE


async def test_whoever_likes_it_at_its_new_time_already_does_not_hold_the_move_up(world: World) -> None:
    """Their first like is over; the old slot was never free again before."""
    await filled(world)
    carry = world.service.moves.carry

    async def died(slot: Slot) -> int:
        raise ConnectionError("the process is gone")

    world.service.moves.carry = died  # type: ignore[method-assign]
    with pytest.raises(ConnectionError):
        await world.service.moves.move(STAFF, LESSON, TO)
    world.service.moves.carry = carry  # type: ignore[method-assign]
    await world.like("umi", TO, "夜の方")
    for _ in range(3):
        world.settle()
        await world.jobs.move({"slot": str(LESSON)})
    with pytest.raises(refusals.NoSuchLesson):
        await world.lesson_now(LESSON)
    old, new = await tie(world, "umi", TieKind.FAVORITE), await tie(world, "umi", TieKind.FAVORITE, TO)
    assert old is not None
    assert new is not None
    assert (old.status, new.status) == (Status.CANCELLED, Status.ACTIVE)


async def test_a_slot_is_not_free_while_somebody_is_on_the_way_to_it(world: World) -> None:
    """Moved twice within a minute: whoever the index shows late goes to where the lesson is."""
    await world.lesson(capacity=4)
    await world.person("umi")
    await world.service.moves.move(STAFF, LESSON, TO)
    await world.like("umi", LESSON, "いつもの")  # not in the index yet
    further = changed(TO, start_time=time(21, 30))
    await world.service.moves.move(STAFF, TO, further)
    await world.jobs.move({"slot": str(TO)})
    for _ in range(3):
        world.settle()
        for slot in (LESSON, TO):
            await world.jobs.move({"slot": str(slot)})
    assert [await world.service.timetable.find(slot) for slot in (LESSON, TO)] == [None, None]
    liked = await tie(world, "umi", TieKind.FAVORITE, further)
    assert liked is not None
    assert liked.status is Status.ACTIVE


async def test_whoever_moves_takes_everything_along_and_hears_once_that_it_is_off(world: World) -> None:
    """What the index showed late came a minute after the rest, into a lesson that they had heard was off."""
    await filled(world)
    await world.like("hana", LESSON, "いつもの")  # not in the index yet
    await world.service.moves.move(STAFF, LESSON, TO)
    world.settle()
    await world.service.desk.call_off(STAFF, TO)
    for _ in range(2):
        await world.alerts.lesson_changed(TO)
        await world.jobs.move({"slot": str(LESSON)})
        world.settle()
    off = [one.to for one in await world.notices() if str(one.body["subject"]).startswith("休講")]
    assert sorted(off) == [f"{user}@example.com" for user in ("hana", "ren", "sora", "umi")]


async def test_whoever_likes_it_at_its_new_time_already_takes_the_rest_along(world: World) -> None:
    await filled(world)
    await world.like("hana", LESSON)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world.service.moves, "carry", _dies)
        with pytest.raises(ConnectionError):
            await world.service.moves.move(STAFF, LESSON, TO)
    await world.like("hana", TO)
    world.settle()
    await world.jobs.move({"slot": str(LESSON)})
    moved = await tie(world, "hana", TieKind.BOOKING, TO)
    assert moved is not None
    assert moved.status is Status.ACTIVE
    assert (await world.lesson_now(TO)).booked_here == 2


async def test_whoever_comes_to_a_lesson_that_is_off_is_told(world: World) -> None:
    """Everybody else was told long ago, and nobody looked again."""
    await world.lesson(capacity=4)
    await world.person("umi")
    await world.service.moves.move(STAFF, LESSON, TO)
    await world.like("umi", LESSON)  # not in the index yet
    await world.service.desk.call_off(STAFF, TO)
    await world.alerts.lesson_changed(TO)
    world.settle()
    await world.jobs.move({"slot": str(LESSON)})
    looks = [one for one in await world.runtime.all(schedules.scan().consistent()) if one.job == "changed"]
    assert [one.payload for one in looks] == [{"slot": str(TO)}]


async def test_whoever_has_booked_at_the_new_time_does_not_wait_there(world: World) -> None:
    """They waited and the index had not shown them yet, and they booked when they heard of the move."""
    await filled(world)
    await world.person("mei")
    lesson = await world.service.timetable.get(LESSON)
    await world.service.moves.move(STAFF, LESSON, TO)
    await world.cancel("ren", TO)
    await world.book("mei", TO)
    await world.db.write(register(world.ties.made("mei", lesson, TieKind.WAITLIST, waitlist_id="wl_1")))
    world.settle()
    await world.jobs.move({"slot": str(LESSON)})
    kinds = [(TieKind.WAITLIST, LESSON), (TieKind.WAITLIST, TO), (TieKind.BOOKING, TO)]
    found = [await tie(world, "mei", kind, slot) for kind, slot in kinds]
    assert [one and one.status for one in found] == [Status.CANCELLED, None, Status.ACTIVE]


async def test_a_lesson_brought_back_while_its_move_ends_opens(world: World) -> None:
    """Whoever ended the move had read that it was off, and closed it."""
    await filled(world)
    await world.service.moves.move(STAFF, LESSON, TO)
    await world.service.desk.call_off(STAFF, TO)
    goal = world.service.moves._goal
    with pytest.MonkeyPatch.context() as patch:

        async def brought_back(old: Lesson) -> Lesson | None:
            found = await goal(old)
            await world.service.restoring.bring_back(TO)
            return found

        patch.setattr(world.service.moves, "_goal", brought_back)
        await world.jobs.move({"slot": str(LESSON)})
    for _ in range(3):
        world.settle()
        await world.jobs.move({"slot": str(LESSON)})
        await world.jobs.restore({"slot": str(TO)})
    assert (await world.lesson_now(TO)).is_open


async def test_a_lesson_that_takes_place_nowhere_any_more_is_off(world: World) -> None:
    await filled(world)
    liked = await tie(world, "umi", TieKind.FAVORITE)
    assert liked is not None
    await world.service.moves.move(STAFF, LESSON, TO)
    await world.db.write(lessons.delete(TO.studio_code, TO.lesson_date, TO.start_time))
    await world.db.write(user_lessons.put(replace(liked, updated_at=days.now(world.clock))))
    world.settle()
    await world.jobs.move({"slot": str(LESSON)})
    old = await world.lesson_now(LESSON)
    assert (old.moving_to, old.called_off, old.is_open) == (None, True, False)
    world.clock.set((LESSON.starts_at + timedelta(minutes=10)).timestamp())
    await world.jobs.expire({})
    left = await tie(world, "umi", TieKind.FAVORITE)
    assert left is not None
    assert left.status is not Status.ACTIVE, "it was kept for a move that never came"
