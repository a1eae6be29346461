from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, time

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.design import newest_messages
from sekkei.web.testing import Client
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.ports.booking import NoWord
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.access import Member
from tests.systems.lessons.steps import act, add_lesson, notices_of
from tests.systems.lessons.test_season import Season, Size, season


async def test_places_that_come_and_go_between_two_passes_are_openings(client: Client) -> None:
    """Booked, given back, booked and given back in one breath: the stream has it all, in its order."""
    mei = client.another()
    await mei.sign_in("demo-mei")
    await act(client, "book")
    await act(mei, "wait")
    await client.work()
    for _ in range(2):
        await act(client, "cancel")
        await act(client, "book")
        await act(client, "cancel")
        assert len(await notices_of(client)) >= 1
        await act(client, "book")
        await client.work()
    assert await notices_of(client) == [("mei@demo.example", "空きが出ました")] * 2


async def test_openings_one_after_the_other_are_gathered_after_the_first(client: Client, clock: ManualClock) -> None:
    mei = client.another()
    await mei.sign_in("demo-mei")
    await mei.post("/lessons/searches", {"instructor": "Mako"})
    hours = ("10:00", "11:00", "12:00", "13:00")
    for hour in hours:
        await add_lesson(client, lesson_date="2025-08-01", instructor="Mako", start_time=hour, capacity="0")
    await client.work()

    async def opens(hour: str) -> int:
        clock.advance(20)
        change = {"lesson_name": "x", "instructor": "Mako", "capacity": "3", "is_open": "on"}
        await client.post(f"/lessons/desk/gnz/people/gnz/2025-08-01/{hour}", change)
        return len(await notices_of(client))

    assert [await opens(hour) for hour in hours[:3]] == [1, 1, 1], "the first at once, the others later"
    clock.advance(121)
    assert len(await notices_of(client)) == 2
    newest, first = await client.shell.deployment.runtime.all(newest_messages())
    assert [hour in first.body["text"] for hour in hours] == [True, False, False, False]
    assert [hour in newest.body["text"] for hour in hours] == [False, True, True, False], "together"
    clock.advance(121)
    assert await opens(hours[3]) == 3, "at once again"


YOGA = Slot("ebs", date(2025, 7, 31), time(20, 30))
HOUR = 3_600.0


@dataclass(frozen=True, slots=True)
class Ebisu:
    """A lesson of a studio whose own system tells late what is free, and in which we book: one of five is free."""

    season: Season

    async def pass_by(self, seconds: float) -> None:
        """Minute by minute, as the monitor looks."""
        while seconds > 0:
            self.season.clock.advance(min(60.0, seconds))
            await self.season.deployment.worker.run_until_idle()
            seconds -= 60.0

    async def goes_on(self) -> None:
        await self.season.deployment.worker.run_until_idle()

    def lags(self, seconds: float) -> None:
        self.season.studio.system.faults.lag_seconds = seconds

    def gives_back(self) -> None:
        self.season.studio.system.give_back(str(YOGA))

    def sells(self) -> None:
        assert self.season.studio.system.sell(str(YOGA))

    async def book(self, user: str) -> None:
        await self.season.service.bookings.book(Member(user), YOGA)

    async def cancel(self, user: str) -> None:
        await self.season.service.bookings.cancel(Member(user), YOGA)

    async def lesson(self) -> Lesson:
        return await self.season.service.timetable.get(YOGA)

    def told(self) -> int:
        """How often whoever waits has read of a place, since this was asked last."""
        read, self.season.post.read = self.season.post.read, []
        return sum(slot == YOGA for slot, _ in read)


@pytest.fixture
async def ebisu(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ebisu]:
    """m7 waits, and has been told of the place an hour ago."""
    async with season(Size(members=8, days=1, rush=0, hours=24), monkeypatch) as found:
        found.studio.lost = 0.0
        made = Ebisu(found)
        while found.studio.system.availability(str(YOGA))["available"]:
            made.sells()
        found.clock.advance(HOUR)
        await made.goes_on()
        with pytest.raises(refusals.Full):
            await made.book("m7")
        await found.service.waitlist.join(Member("m7"), YOGA)
        found.clock.advance(HOUR)
        await made.goes_on()
        made.gives_back()
        await made.pass_by(60)
        assert made.told() == 1
        found.clock.advance(HOUR)
        await made.goes_on()
        yield made


async def test_a_place_that_we_have_booked_is_not_told_of_again(ebisu: Ebisu) -> None:
    """The studio's feed still shows the place that we took."""
    ebisu.lags(300)
    await ebisu.book("m2")
    await ebisu.pass_by(1_200)
    assert ebisu.told() == 0
    assert not (await ebisu.lesson()).was_available
    ebisu.gives_back()
    await ebisu.pass_by(360)
    assert ebisu.told() == 1, "this one is there"


async def test_a_place_that_is_given_back_is_told_at_once(ebisu: Ebisu) -> None:
    """Also within the minutes in which a feed may be behind: the studio has acknowledged it."""
    await ebisu.book("m2")
    await ebisu.pass_by(60)
    await ebisu.cancel("m2")
    assert (await ebisu.lesson()).booked == 5, "the studio does not have it back yet"
    await ebisu.pass_by(2)
    assert ebisu.told() == 1
    assert (await ebisu.lesson()).booked == 4


async def test_a_place_is_free_when_the_studio_has_it_back(ebisu: Ebisu) -> None:
    """While nobody is there, what it told of before our booking may still be about."""
    await ebisu.book("m2")
    ebisu.lags(300)
    await ebisu.cancel("m2")
    found = await ebisu.lesson()
    assert (found.booked, found.booked_here) == (5, 0)

    async def nobody(key: str) -> None:
        raise NoWord("lost")

    release, ebisu.season.studio.release = ebisu.season.studio.release, nobody  # type: ignore[method-assign]
    await ebisu.pass_by(1_800)
    assert ebisu.told() == 0
    ebisu.season.studio.release = release  # type: ignore[method-assign]
    ebisu.lags(0)
    await ebisu.pass_by(HOUR)
    assert ebisu.told() == 1
    assert (await ebisu.lesson()).booked == 4


async def test_a_feed_that_goes_back_in_time_tells_of_a_place_once(ebisu: Ebisu) -> None:
    ebisu.sells()
    await ebisu.pass_by(1_200)
    assert ebisu.told() == 0
    ebisu.gives_back()
    for lag in (0, 300, 0, 300, 0, 120):
        ebisu.lags(lag)
        await ebisu.pass_by(60)
    assert ebisu.told() == 1
    await ebisu.pass_by(1_200)
    ebisu.sells()
    for lag in (0, 300, 0, 300, 0, 120, 0):
        ebisu.lags(lag)
        await ebisu.pass_by(60)
    await ebisu.pass_by(1_200)
    assert ebisu.told() == 0, "it was sold, and stays so"
    assert not (await ebisu.lesson()).was_available
