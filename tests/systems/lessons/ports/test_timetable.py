from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date, time
from typing import Any, cast

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.http import Http
from sekkei.runtime.settings import Settings
from sekkei.store.http import Limits
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.ports.timetable import (
    FAILURES_MAX,
    ByStudio,
    Catalogue,
    Feed,
    Patience,
    availability_in,
    provider_of,
)
from sekkei_systems.lessons.rules.places import Availability
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.timetable import draft_of
from tests.runtime.servers import http_server
from tests.systems.lessons.world import LESSON, NOON, STUDIOS, World


@pytest.mark.parametrize("content", [None, 1, [], {"total": True}, {"available": 10_001}, {"available": 1.5}])
def test_what_is_no_availability(content: Any) -> None:
    with pytest.raises(ValueError):
        availability_in(content)


def test_nobody_counts() -> None:
    assert availability_in({}).has_places
    assert not availability_in({"isOpen": False, "available": 3}).has_places
    assert not cast(Availability, availability_in({"available": 0})).has_places


FOUND = Lesson(
    studio_code="gnz",
    lesson_date=LESSON.lesson_date,
    start_time=LESSON.start_time,
    lesson_name="House",
    instructor="Y",
    capacity=20,
    booked=20,
    updated_at=LESSON.starts_at,
)


class Sleeper:
    """Sleeps by moving the clock."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock, self.slept = clock, list[float]()

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.clock.advance(seconds)


@asynccontextmanager
async def feed_with(clock: ManualClock, *answers: Any) -> AsyncIterator[tuple[Feed, Any]]:
    async with http_server(*answers) as server:
        patience = Patience(clock, 10.0, Sleeper(clock))
        yield Feed(server.url, Http(Limits(2, 1.0, 0.3, 5.0)), clock, STUDIOS, patience), server


async def test_a_feed_says_what_is_free(clock: ManualClock) -> None:
    async with feed_with(clock, (200, {}, {"available": 2, "total": 20, "isOpen": True})) as (feed, server):
        assert await feed.availability(FOUND) == Availability(2, 20, True)
        assert server.received[0].path == "/gnz/2025-07-30/19%3A30"


async def test_a_feed_lists_its_own_lessons(clock: ManualClock) -> None:
    row = {"studio": "gnz", "date": "2025-08-01", "start": "10:00", "name": "House", "instructor": "Y"}
    rows = [row, {**row, "studio": "sby"}, {**row, "start": "9:75"}]
    async with feed_with(clock, (200, {}, {"lessons": rows})) as (feed, server):
        found = await feed.list("gnz", date(2025, 8, 1), date(2025, 8, 2))
        assert found is not None
        assert [one.slot for one in found] == [Slot("gnz", date(2025, 8, 1), time(10, 0))]
        assert server.received[0].path == "/gnz?from=2025-08-01&to=2025-08-02"


@pytest.mark.parametrize(
    "answer",
    [
        (500, {}, {}),
        (200, {}, {"available": "many"}),
        (200, {}, {"available": -1}),
        (200, {}, {"available": 21, "total": 20}),
        (200, {}, {"available": 1, "isOpen": "yes"}),
        (200, {}, []),
    ],
)
async def test_what_a_feed_must_not_say_is_no_answer(clock: ManualClock, answer: Any) -> None:
    async with feed_with(clock, answer) as (feed, _):
        assert await feed.availability(FOUND) is None


async def test_a_feed_that_is_silent_or_gone_is_no_answer(clock: ManualClock) -> None:
    http = Http(Limits(2, 0.3, 0.3, 5.0))
    feed = Feed("http://127.0.0.1:9/", http, clock, STUDIOS, Patience(clock, 10.0, Sleeper(clock)))
    assert await feed.availability(FOUND) is None
    assert await feed.list("gnz", date(2025, 8, 1), date(2025, 8, 2)) is None


async def test_a_feed_that_is_down_is_left_alone_and_tried_by_one(clock: ManualClock) -> None:
    ok = (200, {}, {"available": 0, "total": 20})
    async with feed_with(clock, *[(503, {}, {})] * (FAILURES_MAX + 1), ok, ok) as (feed, server):
        for _ in range(FAILURES_MAX + 3):
            assert await feed.availability(FOUND) is None
        assert len(server.received) == FAILURES_MAX, "then nobody asks"
        clock.advance(80)
        assert await feed.availability(FOUND) is None
        assert await feed.availability(FOUND) is None
        assert len(server.received) == FAILURES_MAX + 1, "one tries, and the rest wait for how it went"
        clock.advance(80)
        assert [await feed.availability(FOUND) for _ in "ab"] == [Availability(0, 20, True)] * 2


async def test_requests_keep_an_uneven_distance(clock: ManualClock) -> None:
    sleeper = Sleeper(clock)
    patience = Patience(clock, 10.0, sleeper)
    for _ in range(21):
        assert await patience.turn()
    assert 20 * 0.075 <= clock.now() - NOON <= 20 * 0.125
    assert len({round(pause, 6) for pause in sleeper.slept}) > 10


async def test_every_studio_has_its_own_feed_or_our_timetable(world: World) -> None:
    values = {"lessons_feed_url": "gnz=https://a.example/x?k=1, sby=https://b.example"}
    found = provider_of(Settings(values=values), world.db, world.clock, STUDIOS)
    assert [type(found.feed(code)).__name__ for code in ("gnz", "sby", "snj")] == ["Feed", "Feed", "NoneType"]
    for_all = provider_of(Settings(values={"lessons_feed_url": "https://a.example/?k=v"}), world.db, world.clock, [])
    assert isinstance(for_all.feed("snj"), Feed)
    there = await world.lesson(capacity=5)
    ours = ByStudio({}, Catalogue(world.db))
    assert await ours.availability(there) == Availability(5, 5, True, told=False)
    world.settle()
    assert await ours.list("gnz", LESSON.lesson_date, LESSON.lesson_date) == [draft_of(there)]
