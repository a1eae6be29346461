from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei.design import replace
from sekkei.runtime import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, Status, TieKind, UserLesson, lesson, user_lesson
from sekkei_systems.lessons.rules.places import Availability
from sekkei_systems.lessons.rules.timetable import draft_of
from tests.systems.lessons.world import LESSON, STAFF, World

SLOT = (LESSON.studio_code, LESSON.lesson_date, LESSON.start_time)


async def people(world: World, *names: str) -> None:
    for name in names:
        await world.person(name)


async def told(world: World) -> list[tuple[str, str]]:
    notices = await world.notices()
    return sorted((one.to.partition("@")[0], str(one.body["subject"]).partition(":")[0]) for one in notices)


async def tie(world: World, user: str, kind: TieKind) -> UserLesson:
    return await world.db.need(user_lesson(user, *SLOT, kind))


async def current(world: World) -> Lesson:
    return await world.db.need(lesson(*SLOT))


async def full_house(world: World) -> None:
    """hana has booked and likes it, ren has booked, sora waits, mei likes it."""
    await people(world, "hana", "ren", "sora", "mei")
    await world.lesson(capacity=2)
    await world.book("hana", LESSON)
    await world.book("ren", LESSON)
    await world.join("sora", LESSON)
    await world.like("hana", LESSON)
    await world.like("mei", LESSON)
    world.settle()


async def test_who_has_booked_is_reminded_once(world: World) -> None:
    await full_house(world)
    assert await world.alerts.remind() == 0, "too early"
    world.clock.set((LESSON.starts_at - timedelta(hours=2)).timestamp())
    assert await world.alerts.remind() == 2
    assert await world.alerts.remind() == 0
    title = "まもなくレッスンです"
    assert await told(world) == [("hana", title), ("ren", title)]


async def test_another_instructor_is_told_and_copied(world: World) -> None:
    await full_house(world)
    await world.service.desk.change(STAFF, draft_of(replace(await current(world), instructor="Mako")))
    assert await world.alerts.lesson_changed(LESSON) == 4
    assert await world.alerts.lesson_changed(LESSON) == 0, "done again, it changes and tells nothing"
    title = "レッスンの内容が変わりました"
    assert await told(world) == [("hana", title), ("mei", title), ("ren", title)], "one each; who waits is not told"
    for user, kind in (("hana", TieKind.BOOKING), ("hana", TieKind.FAVORITE), ("sora", TieKind.WAITLIST)):
        assert (await tie(world, user, kind)).instructor == "Mako"
    text = str((await world.notices())[0].body["text"])
    assert "インストラクター: YUKI → Mako" in text
    # There and back again are two changes.
    for name in ("YUKI", "Mako"):
        world.settle()
        await world.service.desk.change(STAFF, draft_of(replace(await current(world), instructor=name)))
        assert await world.alerts.lesson_changed(LESSON) == 4
    assert len(await told(world)) == 9


async def test_an_index_that_is_behind_tells_nobody_twice(world: World) -> None:
    await full_house(world)
    await world.like("ren", LESSON)
    await world.service.desk.call_off(STAFF, LESSON)
    assert await world.alerts.lesson_changed(LESSON) == 4
    world.settle()
    assert await world.alerts.lesson_changed(LESSON) == 0, "what ren liked a moment ago has ended with the booking"
    assert [name for name, _ in await told(world)] == ["hana", "mei", "ren", "sora"]


async def test_a_lesson_called_off_ends_everything_and_tells_everybody(world: World) -> None:
    await full_house(world)
    await world.service.desk.call_off(STAFF, LESSON)
    assert await world.alerts.lesson_changed(LESSON) == 4
    assert await world.alerts.lesson_changed(LESSON) == 0
    assert {title for _, title in await told(world)} == {"休講のお知らせ"}
    assert [user for user, _ in await told(world)] == ["hana", "mei", "ren", "sora"]
    for user, kind in (
        ("hana", TieKind.BOOKING),
        ("ren", TieKind.BOOKING),
        ("sora", TieKind.WAITLIST),
        ("mei", TieKind.FAVORITE),
    ):
        assert (await tie(world, user, kind)).status is Status.CANCELLED
    found = await current(world)
    assert (found.booked, found.is_open, found.called_off) == (0, False, True)
    with pytest.raises(refusals.Closed):
        await world.book("mei", LESSON)
    assert await world.watch() == 0, "a lesson that does not take place has no free places"


async def test_a_lesson_of_the_past_cannot_be_put_into_the_timetable(world: World) -> None:
    found = await world.lesson()
    world.clock.set(LESSON.starts_at.timestamp())
    with pytest.raises(refusals.LessonOver):
        await world.service.desk.change(STAFF, draft_of(replace(found, instructor="Mako")))
    assert days.now(world.clock) == LESSON.starts_at
    assert (await current(world)).instructor == "YUKI"


async def test_what_one_likes_is_recalled_while_there_are_places(world: World) -> None:
    await people(world, "hana", "mei", "ren")
    await world.lesson(capacity=2)
    for user in ("hana", "mei"):
        await world.like(user, LESSON)
    await world.book("hana", LESSON)
    await world.book("ren", LESSON)
    world.clock.set((LESSON.starts_at - timedelta(hours=2, minutes=30)).timestamp())
    assert await world.alerts.remind() == 2, "who has booked"
    await world.cancel("ren", LESSON)
    world.settle()
    assert await world.alerts.remind() == 1, "and who likes it, now that there is room; hana has it already"
    assert await world.alerts.remind() == 0
    titles = {user: title for user, title in await told(world) if user != "ren"}
    assert titles == {"hana": "まもなくレッスンです", "mei": "気になるレッスンがまもなく始まります"}


async def test_a_lesson_called_off_is_told_to_those_too_whom_its_studio_did_not_count(world: World) -> None:
    await people(world, "hana", "ren")
    await world.lesson(capacity=2)
    await world.book("hana", LESSON)
    await world.book("ren", LESSON)
    await world.monitor.pushed(LESSON, Availability(1, 2, True))
    world.settle()
    await world.service.desk.call_off(STAFF, LESSON)
    assert await world.alerts.lesson_changed(LESSON) == 2
    assert [user for user, _ in await told(world)] == ["hana", "ren"]
    found = await current(world)
    assert (found.booked, found.booked_here) == (1, 0), "the studio's own one is its own business"


async def test_who_cannot_be_reached_is_not_marked_as_reminded(world: World) -> None:
    await world.lesson(capacity=2)
    await world.book("hana", LESSON)
    world.clock.set((LESSON.starts_at - timedelta(hours=2)).timestamp())
    assert await world.alerts.remind() == 0
    assert (await tie(world, "hana", TieKind.BOOKING)).reminded_at is None
    await world.person("hana")
    assert await world.alerts.remind() == 1, "as soon as they can be reached"
