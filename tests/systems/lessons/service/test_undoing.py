from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from sekkei.design import Database
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import DeskVerb, Status, TieKind
from sekkei_systems.lessons.rules.slots import Slot
from tests.systems.lessons.service.test_moves import TO
from tests.systems.lessons.steps import booked, tie
from tests.systems.lessons.world import LESSON, STAFF, World


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
