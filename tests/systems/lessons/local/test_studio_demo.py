"""One studio beside ours: its timetable is listed here, and a place is sold when both sides agree."""

from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.runtime.http import Http
from sekkei.web.testing import opened, test_settings
from sekkei_fakes.studio.demo import CODE, NAME, demo_studio, offer, settings_for
from sekkei_systems import days
from sekkei_systems.lessons.ports.timetable import TIMEOUTS, Feed
from sekkei_systems.lessons.rules.studios import Studio
from sekkei_systems.lessons.system import SYSTEM
from tests.systems.lessons.ports.test_booking import running
from tests.systems.lessons.world import NOON

LESSON = "ebs/2025-07-30/08:00"


async def test_a_demo_studio_is_listed_and_booked_beside_ours() -> None:
    clock = ManualClock(NOON)
    system = demo_studio(clock)
    async with running(system, clock) as url:
        values = {name.removeprefix("SEKKEI_").lower(): text for name, text in settings_for(url, "secret").items()}
        async with opened(SYSTEM, settings=test_settings(values=values), clock=clock, demo=True) as client:
            await client.sign_in("demo-aoi")
            shown = await client.json("GET", f"/lessons/api/lessons/{LESSON}")
            assert shown.status == 200, shown.text
            assert shown.json()["lesson"]["sellsHere"] is True
            before = system.taken(LESSON)
            assert (await client.json("POST", "/lessons/api/me/bookings", {"lesson": LESSON})).status == 201
            assert system.taken(LESSON) == before + 1
            mei = client.another()
            await mei.sign_in("demo-mei")
            assert system.taken(LESSON) == system.lessons[LESSON].capacity
            assert (await mei.json("POST", "/lessons/api/me/bookings", {"lesson": LESSON})).status == 409
            assert (await client.json("DELETE", f"/lessons/api/me/bookings/{LESSON}")).status == 204
            clock.advance(2)
            await client.work()
            assert system.taken(LESSON) == before


async def test_its_counter_and_its_timetable_over_http() -> None:
    from sekkei.store.http import Limits

    clock = ManualClock(NOON)
    system = demo_studio(clock)
    async with running(system, clock) as url:
        http, token = Http(Limits(4, 1.0, 5.0, 5.0)), {"Authorization": "Bearer secret"}
        listed = await http.json("GET", f"{url}/ebs?from=2025-07-30&to=2025-07-30")
        assert listed.body.count(b'"studio"') == 3
        free = system.lessons[LESSON].capacity - system.taken(LESSON)
        sold = [(await http.json("POST", f"{url}/counter/{LESSON}", {}, headers=token)).status for _ in range(free + 1)]
        assert sold == [200] * free + [409]
        assert (await http.json("DELETE", f"{url}/counter/{LESSON}", None, headers=token)).status == 200
        assert (await http.json("POST", f"{url}/counter/{LESSON}", {})).status == 401
        assert (await http.json("POST", f"{url}/counter/ebs/none/08:00", {}, headers=token)).status == 404
        assert (await http.json("PUT", f"{url}/reservations/x", [], headers=token)).status == 400
        http.close()


async def test_the_counterpart_tells_what_is_free_to_a_feed() -> None:
    """Its path was not decoded: it knew no lesson, whoever waited was never told."""
    clock = ManualClock(NOON)
    async with offer(clock).opened(0) as url:
        feed = Feed(url, Http(TIMEOUTS), clock, [Studio(CODE, NAME)])
        (first, *_) = await feed.list(CODE, days.today(clock), days.today(clock)) or ()
        told = await feed.availability(first.fresh(days.now(clock)))
    assert told is not None
    assert told.total == first.capacity
