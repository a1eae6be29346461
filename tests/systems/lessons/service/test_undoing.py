from __future__ import annotations

import pytest

from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Status, TieKind
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
    await world.service.desk.call_off(STAFF, LESSON)
    await undo_newest(world)
    assert not (await world.lesson_now()).called_off
