from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from sekkei.design import Database
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import DeskVerb, Status, TieKind
from sekkei_systems.lessons.rules.slots import Slot
from tests.systems.lessons.service.test_moves import TO
from tests.systems.lessons.steps import booked, tie
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


async def test_the_class_is_told_once_and_those_who_wait_only_when_asked(world: World) -> None:
    await world.lesson(capacity=2)
    for user in ("hana", "ren"):
        await world.person(user)
    await world.person("mute", channels=frozenset())
    await world.book("hana", LESSON)
    await world.book("mute", LESSON)
    await world.join("ren", LESSON)
    world.settle()
    messages = world.service.class_messages
    assert await messages.send(STAFF, LESSON, " タオルをお持ちください ") == 1
    (act,) = await world.service.acts.of(LESSON)
    assert await messages.finish(LESSON, act.act_id) == 1
    assert [one.to for one in await world.notices()] == ["hana@example.com"]
    assert "タオルをお持ちください" in str((await world.notices())[0].body["text"])
    assert await messages.send(STAFF, LESSON, "空きが出そうです", to_waiting=True) == 2
    assert sorted(one.to for one in await world.notices()) == ["hana@example.com"] * 2 + ["ren@example.com"]
    for words in ("", "  ", "あ" * 1001):
        with pytest.raises(refusals.BadWords):
            await messages.send(STAFF, LESSON, words)


async def undo_newest(world: World, slot: Slot = LESSON) -> None:
    act = (await world.service.acts.of(slot))[0]
    await world.service.undoing.undo(STAFF, slot, act.act_id)
    with pytest.raises(refusals.CannotUndo):
        await world.service.undoing.undo(STAFF, slot, act.act_id)


async def test_bookings_and_cancellations_of_the_desk_are_undone(world: World) -> None:
    await world.lesson(capacity=2)
    await world.person("hana")
    desk = world.service.desk
    await desk.book_for(STAFF, LESSON, "hana")
    await undo_newest(world)
    assert await booked(world) == 0
    world.clock.advance(1)
    guest = await desk.walk_in(STAFF, LESSON, "飛び込み")
    assert await booked(world) == 1
    await undo_newest(world)
    assert await booked(world) == 0
    gone = await tie(world, guest.user_id, TieKind.BOOKING)
    assert gone is not None
    assert gone.status is Status.CANCELLED
    world.clock.advance(1)
    await world.book("hana", LESSON)
    await desk.cancel_for(STAFF, LESSON, "hana")
    world.clock.advance(1)
    await undo_newest(world)
    assert await booked(world) == 1


async def test_what_cannot_be_undone_stays_and_may_be_tried_again(world: World) -> None:
    await world.lesson(capacity=1)
    await world.person("hana")
    await world.book("hana", LESSON)
    await world.service.desk.cancel_for(STAFF, LESSON, "hana")
    await world.book("ren", LESSON)
    (act,) = await world.service.acts.of(LESSON)
    with pytest.raises(refusals.Full):
        await world.service.undoing.undo(STAFF, LESSON, act.act_id)
    await world.cancel("ren", LESSON)
    await world.service.undoing.undo(STAFF, LESSON, act.act_id)
    assert await booked(world) == 1


async def test_a_lesson_moves_back_and_a_message_cannot_be_unsaid(world: World) -> None:
    await world.lesson(capacity=2)
    await world.person("hana")
    await world.book("hana", LESSON)
    world.settle()
    await world.service.moves.move(STAFF, LESSON, TO)
    world.settle()
    await undo_newest(world)
    world.settle()
    back = await tie(world, "hana", TieKind.BOOKING)
    assert back is not None
    assert (back.status, (await world.lesson_now()).booked, (await world.lesson_now()).is_open) == (
        Status.ACTIVE,
        1,
        True,
    )
    await world.service.class_messages.send(STAFF, LESSON, "x")
    message = (await world.service.acts.of(LESSON))[0]
    with pytest.raises(refusals.CannotUndo):
        await world.service.undoing.undo(STAFF, LESSON, message.act_id)
    world.settle()  # of two acts in one moment neither is the newest
    await world.service.desk.call_off(STAFF, LESSON)
    await undo_newest(world)
    assert not (await world.lesson_now()).called_off


class Died(BaseException):
    """A process is gone: nothing that would tidy up runs."""


def dies_before_write(patch: pytest.MonkeyPatch, number: int) -> Callable[[], int]:
    """Counting from nought. Returns how to ask how many were begun."""
    begun = 0

    def dying(sound: Any) -> Any:
        async def write(*about: Any, **more: Any) -> Any:
            nonlocal begun
            begun += 1
            if begun > number:
                raise Died
            return await sound(*about, **more)

        return write

    for name in ("write", "transact"):
        patch.setattr(Database, name, dying(getattr(Database, name)))
    return lambda: begun


async def booked_by_desk(world: World) -> None:
    await world.service.desk.book_for(STAFF, LESSON, "hana")


async def let_in(world: World) -> None:
    await world.service.desk.walk_in(STAFF, LESSON, "飛び込み")


async def cancelled_by_desk(world: World) -> None:
    await world.book("hana", LESSON)
    await world.service.desk.cancel_for(STAFF, LESSON, "hana")


async def called_off(world: World) -> None:
    await world.service.desk.call_off(STAFF, LESSON)


async def moved(world: World) -> None:
    await world.service.moves.move(STAFF, LESSON, TO)
    world.settle()
    await world.jobs.move({"slot": str(LESSON)})


async def is_as_it_was(world: World, deed: Callable[[World], Any]) -> bool:
    for job in (world.jobs.restore, world.jobs.move):
        for slot in (LESSON, TO):
            await job({"slot": str(slot)})  # by their schedules
    found = await world.service.timetable.find(LESSON)
    comes = 1 if deed is cancelled_by_desk else 0
    return found is not None and (found.called_off, found.is_open, found.booked) == (False, True, comes)


@pytest.mark.parametrize("write", range(4))
@pytest.mark.parametrize("deed", [booked_by_desk, let_in, cancelled_by_desk, called_off, moved])
async def test_whoever_dies_over_an_undo_has_not_used_it_up(
    deed: Callable[[World], Any], write: int, world: World
) -> None:
    await world.lesson(capacity=2)
    await world.person("hana")
    await deed(world)
    world.settle()
    act = (await world.service.acts.of(LESSON))[0]
    with pytest.MonkeyPatch.context() as patch:
        dies_before_write(patch, write)
        try:
            await world.service.undoing.undo(STAFF, LESSON, act.act_id)
        except Died:
            pass
    world.settle()
    is_used_up = (await world.service.acts.get(LESSON, act.act_id)).undone_at is not None
    if not is_used_up:
        await world.service.undoing.undo(STAFF, LESSON, act.act_id)
        world.settle()
    assert await is_as_it_was(world, deed)
    with pytest.raises(refusals.CannotUndo):
        await world.service.undoing.undo(STAFF, LESSON, act.act_id)


async def test_of_two_clicks_one_undoes(world: World) -> None:
    await world.lesson(capacity=2)
    await world.person("hana")
    await booked_by_desk(world)
    (act,) = await world.service.acts.of(LESSON)
    clicks = [world.service.undoing.undo(STAFF, LESSON, act.act_id) for _ in range(2)]
    found = await asyncio.gather(*clicks, return_exceptions=True)
    assert [type(one) for one in found if isinstance(one, BaseException)] == [refusals.CannotUndo]
    assert sorted(one.to for one in await world.notices()) == ["hana@example.com"] * 2, "of the place, and of its end"


async def test_an_undo_that_is_refused_is_not_used_up_for_a_moment(world: World) -> None:
    """Somebody who looks or dies meanwhile would take it for done."""
    await world.lesson(capacity=1)
    await world.person("hana")
    await cancelled_by_desk(world)
    await world.book("ren", LESSON)
    (act,) = await world.service.acts.of(LESSON)
    with pytest.MonkeyPatch.context() as patch:
        begun = dies_before_write(patch, 0)
        with pytest.raises(refusals.Full):
            await world.service.undoing.undo(STAFF, LESSON, act.act_id)
    assert begun() == 0


async def test_whoever_dies_over_calling_off_has_done_it_or_may_undo_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.lesson(capacity=1)
    for number in range(3):
        with monkeypatch.context() as patch:
            begun = dies_before_write(patch, number)
            with contextlib.suppress(Died):
                await world.service.desk.call_off(STAFF, LESSON)
            ended = begun() <= number
        noted = [act.verb for act in await world.service.acts.of(LESSON)]
        assert ((await world.lesson_now()).called_off or False) == (DeskVerb.CALLED_OFF in noted)
        if ended:
            break
    assert ended
    await undo_newest(world)
    assert not (await world.lesson_now()).called_off


async def test_what_a_member_booked_since_is_not_undone(world: World) -> None:
    """They gave back what the desk had booked for them, and then wanted to come after all."""
    await world.lesson(capacity=2)
    await world.person("hana")
    await world.service.desk.book_for(STAFF, LESSON, "hana")
    (act,) = await world.service.acts.of(LESSON)
    await world.cancel("hana", LESSON)
    world.clock.advance(60)
    await world.book("hana", LESSON)
    with pytest.raises(refusals.CannotUndo):
        await world.service.undoing.undo(STAFF, LESSON, act.act_id)
    assert await booked(world) == 1
