"""Leaving with the account: places go back, and the studio's records name nobody."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from sekkei.design import Action, Database
from sekkei.runtime import days
from sekkei.runtime.data_subjects import Person
from sekkei.runtime.refusals import Changed
from sekkei_systems.lessons.design import DeskVerb, Role, StaffMember, acts_of, all_of_user, contacts, staff_members
from sekkei_systems.lessons.rules.studios import Studio
from sekkei_systems.lessons.service.access import Staff
from sekkei_systems.lessons.service.acts import Acts
from sekkei_systems.lessons.service.personal import LessonPeople
from tests.systems.leaving import exported, leave, look_again
from tests.systems.lessons.steps import booked
from tests.systems.lessons.world import LESSON, STAFF, World

HANA = Person("hana", "hana@example.com", "花")


def people(world: World) -> LessonPeople:
    return LessonPeople(world.db, world.service.bookings)


async def at_home(world: World) -> None:
    await world.lesson(capacity=2)
    await world.person("hana", email="hana@example.com")
    await world.book("hana", LESSON)
    await world.book("ren", LESSON)
    await world.like("hana", LESSON)
    world.settle()


async def test_a_booking_gives_its_place_back_and_nothing_is_left(world: World) -> None:
    await at_home(world)
    await leave(people(world).personal(), HANA)
    assert await booked(world) == 1
    assert await world.db.all(all_of_user("hana").consistent()) == []
    assert await world.db.get(contacts("hana").consistent()) is None
    assert len(await world.list_of("ren")) == 1


async def test_the_desk_remembers_no_name(world: World) -> None:
    await at_home(world)
    studio = Studio(LESSON.studio_code, "銀座")
    acts = Acts(world.db, world.clock)
    for by, about, name in (("hana", "ren", "蓮"), ("ren", "hana", "花")):
        act = acts.act(Staff(by, studio), LESSON, DeskVerb.BOOKED, user_id=about, name=name)
        await world.db.write(acts.noted(act))
    staff = StaffMember(
        studio_code=studio.code,
        email="hana@example.com",
        role=Role.DESK,
        added_by="ren",
        added_at=days.now(world.clock),
    )
    await world.db.write(staff_members.put(staff))
    await leave(people(world).personal(), HANA)
    found = await world.db.all(acts_of(LESSON.studio_code, LESSON.lesson_date, LESSON.start_time).consistent())
    assert {(one.by, one.user_id, one.name) for one in found} == {("—", "ren", "蓮"), ("ren", "—", "—")}
    assert await world.db.get(staff_members("all", studio.code, "hana@example.com").consistent()) is None


async def test_everything_of_somebody(world: World) -> None:
    await at_home(world)
    found = await exported(people(world).personal(), HANA)
    assert set(found) == {"contact.json", "lessons.json"}
    assert {one["kind"].value for one in found["lessons.json"]} == {"booking", "favorite"}
    assert await exported(people(world).personal(), Person("nobody", "", "")) == {}


async def test_a_booking_that_comes_back_meanwhile_gives_its_place_back_too(world: World) -> None:
    """A lesson is moved there and back while somebody leaves: what had ended when it was read goes on."""
    await at_home(world)
    await world.cancel("hana", LESSON)
    leaving, delete, read = people(world), Database.write, asyncio.Event()

    async def comes_back() -> None:
        await read.wait()
        await world.book("hana", LESSON)

    coming = asyncio.create_task(comes_back())

    async def books_again(self: Database, action: Action[Any, Any], **more: Any) -> Any:
        patch.setattr(Database, "write", delete)
        read.set()
        await coming
        return await delete(self, action, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "write", books_again)
        await leave(leaving.personal(), HANA)
    assert await world.db.all(all_of_user("hana").consistent()) == []
    assert await booked(world) == 1, "ren's"


async def test_whom_the_desk_books_while_they_leave_has_left(world: World) -> None:
    await at_home(world)
    await world.cancel("hana", LESSON)
    personal = people(world).personal()
    await leave(replace(personal, leaving=personal.leaving[:1]), HANA)
    await world.service.desk.book_for(STAFF, LESSON, "hana")
    await leave(replace(personal, leaving=personal.leaving[1:]), HANA)
    assert await world.db.all(all_of_user("hana").consistent()) == []
    assert await booked(world) == 1, "ren's"


async def test_nobody_is_booked_who_left_while_the_desk_looked(world: World) -> None:
    await at_home(world)
    await world.cancel("hana", LESSON)
    desk, leaving = world.service.desk, people(world).personal()
    book = desk.bookings.book

    async def left_first(*given: Any, **more: Any) -> Any:
        await leave(leaving, HANA)
        return await book(*given, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(desk.bookings, "book", left_first)
        with pytest.raises(Changed):
            await desk.book_for(STAFF, LESSON, "hana")
    assert await world.db.all(all_of_user("hana").consistent()) == []


async def test_what_somebody_asked_for_before_they_left_goes_a_day_later(world: World) -> None:
    """Their own request was on its way while everything of theirs was taken away."""
    await at_home(world)
    await world.cancel("hana", LESSON)
    personal = people(world).personal()
    await leave(personal, HANA)
    await world.person("hana", email="hana@example.com")
    await world.service.desk.book_for(STAFF, LESSON, "hana")
    await world.like("hana", LESSON)
    await look_again(personal, HANA)
    assert await world.db.all(all_of_user("hana").consistent()) == []
    found = await world.db.all(acts_of(LESSON.studio_code, LESSON.lesson_date, LESSON.start_time).consistent())
    assert [(one.user_id, one.name) for one in found] == [("—", "—")], "the desk booked whom it knew again"
    assert await world.db.get(contacts("hana").consistent()) is None
    assert await booked(world) == 1, "ren's"
