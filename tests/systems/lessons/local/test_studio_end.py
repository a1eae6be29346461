"""The demo has a studio with a system of its own, in this process and marked as such."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.settings import Settings
from sekkei.store import Embedded
from sekkei.web.testing import Client, opened
from sekkei_fakes.studio.demo import DAYS, LESSONS
from sekkei_fakes.studio.end import LocalStudio
from sekkei_systems import days
from sekkei_systems.lessons.design import design
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.system import SYSTEM, demo_studio
from tests.systems.lessons.world import NOON

LESSON = "ebs/2025-07-30/08:00"
BOOKINGS = "/lessons/api/me/bookings"


def studio_of(client: Client) -> LocalStudio:
    service: Service = client.shell.deployment.systems["lessons"].parts.service
    found = service.provider.feed("ebs")
    assert isinstance(found, LocalStudio)
    return found


async def test_both_sides_agree_and_nothing_is_forgotten_by_a_restart() -> None:
    clock = ManualClock(NOON)
    store = Embedded(clock=clock)
    async with opened(SYSTEM, store=store, clock=clock, demo=True) as client:
        await client.sign_in("demo-aoi")
        system = studio_of(client).system
        assert system.taken(LESSON) == system.lessons[LESSON].capacity - 1
        assert (await client.json("POST", BOOKINGS, {"lesson": LESSON})).status == 201
        assert system.taken(LESSON) == system.lessons[LESSON].capacity
    async with opened(SYSTEM, store=store, clock=clock) as client:
        mei = client.another()
        await mei.sign_in("demo-mei")
        assert (await mei.json("POST", BOOKINGS, {"lesson": LESSON})).status == 409
        await client.sign_in("demo-aoi")
        assert (await client.json("DELETE", f"{BOOKINGS}/{LESSON}")).status == 204
        clock.advance(2)
        await client.work()
        system = studio_of(client).system
        assert system.taken(LESSON) == system.lessons[LESSON].capacity - 1
        assert (await mei.json("POST", BOOKINGS, {"lesson": LESSON})).status == 201
    await store.close()


async def test_its_connection_says_that_it_is_local() -> None:
    async with opened(SYSTEM, clock=ManualClock(NOON)) as client:
        await client.sign_in("demo-aoi")
        local, ours = "/lessons/desk/ebs/connection", "/lessons/desk/gnz/connection"
        assert "デモ用の予約システム" in (await client.get(local)).text
        assert "runs on this machine" in (await client.get(f"{local}?lang=en", follow=True)).text
        assert "on this machine" not in (await client.get(f"{ours}?lang=en", follow=True)).text
        real = {"booking_url": "https://studio.example", "token": "s3cret"}
        saved = await client.post(local, {**real, "bookings_entered": "on"}, follow=True)
        assert "on this machine" not in saved.text
        assert "on this machine" in (await client.post(f"{local}/forget", {}, follow=True)).text


async def test_every_day_it_offers_another() -> None:
    clock = ManualClock(NOON)
    async with opened(SYSTEM, clock=clock) as client:
        studio = studio_of(client)
        before, last = len(studio.system.lessons), days.today(clock) + timedelta(days=DAYS)
        assert await studio.list("ebs", last, last) == []
        clock.advance(24 * 3600)
        assert len(await studio.list("ebs", last, last) or []) == len(LESSONS)
        assert len(studio.system.lessons) == before + len(LESSONS)


@pytest.mark.parametrize("name", ["lessons_studios", "lessons_feed_url", "lessons_booking_url", "lessons_booking_page"])
def test_it_is_not_there_where_studios_are_set_up(name: str) -> None:
    clock = ManualClock(NOON)
    db = design.open(Embedded(clock=clock), clock=clock)
    for settings in (Settings(demo=True, values={name: "gnz=x"}), Settings(demo=False)):
        assert demo_studio(settings, db, clock) is None
    assert demo_studio(Settings(demo=True), db, clock) is not None
