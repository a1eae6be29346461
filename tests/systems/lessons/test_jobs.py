from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Any, cast

import orjson
import pytest

from sekkei.runtime.design import Schedule, due_schedules
from sekkei.runtime.http import Http
from sekkei_systems import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, Status, TieKind, lessons
from sekkei_systems.lessons.ports.timetable import ByStudio, Catalogue, Feed
from sekkei_systems.lessons.rules.slots import Slot
from tests.systems.lessons.steps import tie
from tests.systems.lessons.world import LESSON, STAFF, World


async def test_lessons_around_midnight_end_on_the_right_day(world: World) -> None:
    late, early = Slot("gnz", date(2025, 7, 30), time(23, 55)), Slot("gnz", date(2025, 7, 31), time(0, 5))
    for one in (late, early):
        await world.lesson(one, capacity=9)
        await world.book("hana", one)
        await world.like("hana", one)
    world.clock.set(days.at(date(2025, 7, 31), 0, 0).timestamp())
    await world.jobs.expire({})
    world.settle()
    await world.jobs.expire({})
    history = await tie(world, "hana", TieKind.HISTORY, late)
    booking = await tie(world, "hana", TieKind.BOOKING, late)
    assert history is not None
    assert booking is not None
    assert (history.status, history.reservation_id) == (Status.COMPLETED, booking.reservation_id)
    assert history.ttl is None
    assert booking.status is Status.COMPLETED
    favorite, still = (
        await tie(world, "hana", TieKind.FAVORITE, late),
        await tie(world, "hana", TieKind.FAVORITE, early),
    )
    assert favorite is not None
    assert still is not None
    assert (favorite.status, still.status) == (Status.EXPIRED, Status.ACTIVE)
    world.settle()
    assert (await world.statistics("hana")).studios == [("gnz", 1)]


async def test_history_outlives_the_booking(world: World) -> None:
    await world.lesson(capacity=3)
    made = await world.book("hana", LESSON)
    assert made.ttl is None, "not before it is history"
    await world.book("ren", LESSON)
    await world.cancel("ren", LESSON)
    given_back = await tie(world, "ren", TieKind.BOOKING)
    assert given_back is not None
    assert given_back.ttl == LESSON.starts_at + timedelta(days=7)
    world.clock.set((LESSON.starts_at + timedelta(days=20)).timestamp())
    await world.jobs.expire({})
    assert await tie(world, "hana", TieKind.BOOKING) is None, "its time is over, whether it has been deleted or not"
    history = await tie(world, "hana", TieKind.HISTORY)
    assert history is not None
    assert (history.reservation_id, history.ttl) == (made.reservation_id, None)
    world.settle()
    assert [one.kind for one in await world.list_of("hana")] == [TieKind.HISTORY]


@dataclass
class Answer:
    status: int
    body: bytes


class FakeHttp:
    """A feed of one studio."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.asked = answer, list[str]()

    async def json(self, method: str, url: str, content: Any = None) -> Answer:
        self.asked.append(url)
        return self.answer


async def test_a_feed_is_taken_in_by_the_clock(world: World) -> None:
    row = {"studio": "gnz", "date": "2025-07-30", "start": "19:30", "name": "House", "instructor": "Y", "capacity": 3}
    foreign = {**row, "studio": "sby"}
    http = FakeHttp(Answer(200, orjson.dumps({"lessons": [row, foreign]})))
    feed = Feed("https://feed.example/", cast(Http, http), world.clock)
    provider = ByStudio({"gnz": feed}, Catalogue(world.db))
    service = dataclasses.replace(world.service, provider=provider)
    jobs = dataclasses.replace(world.jobs, service=service)
    await jobs.refresh({})
    assert http.asked == ["https://feed.example/gnz?from=2025-07-29&to=2025-08-12"]
    assert (await world.service.timetable.get(LESSON)).capacity == 3
    with pytest.raises(refusals.NoSuchLesson):
        await world.service.timetable.get(Slot("sby", LESSON.lesson_date, LESSON.start_time))
    for broken in (Answer(500, b""), Answer(200, b"<html>")):
        http.answer = broken
        await jobs.refresh({})
    assert (await world.service.timetable.get(LESSON)).capacity == 3
    http.answer = Answer(200, orjson.dumps({"lessons": [row]}))
    await world.service.desk.call_off(STAFF, LESSON)
    world.clock.advance(3600)  # the feed has been asked too often, and went wrong
    await jobs.refresh({})
    assert len(http.asked) == 4
    found = await world.service.timetable.get(LESSON)
    assert (found.called_off, found.is_open) == (True, False), "a feed that is behind does not bring it back"


async def test_what_begins_soon_is_looked_at_between_the_minutes(world: World) -> None:
    soon = Slot("gnz", LESSON.lesson_date, time(13, 0))
    for slot in (soon, LESSON):
        await world.lesson(slot, capacity=0)
        await world.join("hana", slot)
    world.clock.set((soon.starts_at - timedelta(hours=1)).timestamp())
    await world.jobs.monitor({})
    world.settle()
    later = days.now(world.clock) + timedelta(seconds=60)
    found: list[Schedule] = await world.runtime.all(due_schedules(later))
    started = soon.starts_at - timedelta(hours=1)
    assert sorted((one.job, (one.due_at - started).seconds) for one in found if one.due_at) == [
        ("near", 20),
        ("near", 40),
    ]
    for slot in (soon, LESSON):
        update = lessons.update(slot.studio_code, slot.lesson_date, slot.start_time)
        await world.db.write(update.set(Lesson.capacity, 1))
    await world.jobs.near({})
    assert [str(one.id).split("/")[2:5] for one in await world.notices()] == [str(soon).split("/")]


@pytest.mark.parametrize("hours_before", [-1, 3, 30])
async def test_between_the_minutes_nobody_looks_when_nothing_begins_soon(world: World, hours_before: int) -> None:
    await world.lesson(LESSON, capacity=0)
    await world.join("hana", LESSON)
    world.clock.set((LESSON.starts_at - timedelta(hours=hours_before)).timestamp())
    await world.jobs.monitor({})
    assert await world.runtime.all(due_schedules(days.now(world.clock) + timedelta(seconds=60))) == []


async def test_many_ties_end_in_one_pass(world: World) -> None:
    slots = [Slot("gnz", LESSON.lesson_date, time(hour, 0)) for hour in range(6, 23)]
    for slot in slots:
        await world.lesson(slot, capacity=9)
        await world.book("hana", slot)
        await world.like("hana", slot)
    world.clock.set(days.start_of(LESSON.lesson_date + timedelta(days=1)).timestamp())
    await world.jobs.expire({})
    found = await world.list_of("hana")
    assert {(one.kind, one.status) for one in found} == {
        (TieKind.BOOKING, Status.COMPLETED),
        (TieKind.FAVORITE, Status.EXPIRED),
        (TieKind.HISTORY, Status.COMPLETED),
    }
    assert len(found) == 3 * len(slots)


async def test_the_monitor_finds_nothing_before_another_day_comes_into_sight(world: World) -> None:
    await world.lesson(capacity=1)
    await world.book("ren", LESSON)
    assert await world.jobs.monitor({}) == days.at(date(2025, 7, 30), 0, 0)
    await world.join("hana", LESSON)
    world.settle()
    assert await world.jobs.monitor({}) is None, "somebody waits, and a place may come free at any time"


@pytest.mark.parametrize(("job", "sooner"), [("expire", timedelta()), ("remind", timedelta(hours=3))])
async def test_what_found_nothing_says_when_it_could_find_something(world: World, job: str, sooner: timedelta) -> None:
    run, slot = getattr(world.jobs, job), Slot("gnz", date(2025, 8, 2), time(19, 30))
    await world.lesson(slot)
    await world.book("hana", slot)
    world.settle()
    said, looks = await run({}), 1
    while said < slot.starts_at - sooner:  # it sees a day ahead
        world.clock.set(said.timestamp())
        said, looks = await run({}), looks + 1
    assert said == slot.starts_at - sooner
    assert looks <= 6
    world.clock.set(said.timestamp() - 1)
    assert await run({}) == said
    world.clock.set(said.timestamp() + 1)
    assert await run({}) is None
