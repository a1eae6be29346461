"""A studio's own system, set in the table: used at once, sealed, and never inside our own network."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sekkei.clock import ManualClock
from sekkei.design import replace
from sekkei.runtime.settings import Secrets
from sekkei.store import Store
from sekkei.web.testing import Client, opened, test_settings
from sekkei_fakes.studio.system import State, StudioSystem
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import ReservationState, Role, lessons_table, studio_secrets
from sekkei_systems.lessons.rules.places import Availability
from sekkei_systems.lessons.rules.studios import Studio
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import Member, Staff
from sekkei_systems.lessons.service.connections import KEPT_SECONDS, StudioSecrets, Wanted
from sekkei_systems.lessons.system import SYSTEM
from tests.systems.lessons.ports.test_booking import running
from tests.systems.lessons.steps import add_lesson
from tests.systems.lessons.world import LESSON, STAFF, World

AOI = Staff("demo-aoi", Studio("gnz", "銀座"))
TOKEN = "secret"
ALLOW = {"webhook_allow": "127.0.0.0/8"}


def _service(client: Client) -> Service:
    found: Service = client.shell.deployment.systems["lessons"].parts.service
    return found


@asynccontextmanager
async def beside_a_system(
    store: Store, clock: ManualClock, places: int = 1
) -> AsyncIterator[tuple[StudioSystem, str, Service]]:
    """A lesson in our timetable and in the studio's own system, which nobody has named yet."""
    system = StudioSystem(clock)
    system.offer(str(LESSON), places)
    settings = test_settings(values=ALLOW)
    async with running(system, clock) as url, opened(SYSTEM, store=store, clock=clock, settings=settings) as client:
        await client.sign_in("demo-aoi")
        await add_lesson(client, capacity=str(places))
        yield system, url, _service(client)


async def test_a_booking_goes_to_the_system_that_the_table_names(store: Store, clock: ManualClock) -> None:
    async with beside_a_system(store, clock) as (system, url, service):
        await service.connections.save(AOI, Wanted(booking_url=url, token=TOKEN))
        await service.bookings.book(Member("hana"), LESSON)
        assert [one.state for one in system.reservations.values()] == [State.SOLD]
        with pytest.raises(refusals.Full):
            await service.bookings.book(Member("ren"), LESSON)
        await service.connections.forget(AOI)
        assert service.reservations.port("gnz") is None, "the environment has none"


async def test_what_is_booked_here_is_never_sold_again_there(store: Store, clock: ManualClock) -> None:
    """One of two is booked here before the studio's own system, which knows of none, takes over."""
    async with beside_a_system(store, clock, places=2) as (_, url, service):
        await service.bookings.book(Member("hana"), LESSON)
        for wanted in (
            Wanted(booking_url=url, token=TOKEN),
            Wanted(feed_url=url),
            Wanted(booking_page="https://studio.example"),
        ):
            with pytest.raises(refusals.BookingsOnlyHere) as refused:
                await service.connections.save(AOI, wanted)
            assert "1" in refused.value.text("en")
        assert await service.connections.of(AOI) is None
        assert await service.bookings.book(Member("ren"), LESSON), "as before"


async def test_a_system_that_was_told_of_our_bookings_counts_them(world: World) -> None:
    await world.lesson(capacity=5)
    for person in ("hana", "ren"):
        await world.book(person, LESSON)
    feed = Wanted(feed_url="https://studio.example", bookings_entered=True)
    await world.service.connections.save(AOI, feed)
    await world.monitor.pushed(LESSON, Availability(2, 5, True))
    lesson = await world.lesson_now()
    assert (lesson.booked, lesson.booked_here) == (3, 2)
    await world.service.connections.save(AOI, Wanted(feed_url="https://other.example"))
    found = await world.service.connections.of(AOI)
    assert found is not None
    assert found.counts_ours, "asked once"


async def test_what_is_over_needs_no_entering(world: World) -> None:
    await world.lesson(capacity=5)
    await world.book("hana", LESSON)
    world.clock.advance(86_400 * 2)
    assert await world.service.connections.save(AOI, Wanted(feed_url="https://studio.example"))


async def test_a_connection_may_go_while_a_reservation_is_unfinished(store: Store, clock: ManualClock) -> None:
    """It is asked again, until the studio's system is there again or the row's time is over; nothing fails for ever."""
    async with beside_a_system(store, clock) as (system, url, service):
        wanted = Wanted(booking_url=url, token=TOKEN)
        await service.connections.save(AOI, wanted)
        booking = await service.bookings.book(Member("hana"), LESSON)
        await service.bookings.cancel(Member("hana"), LESSON)
        await service.connections.forget(AOI)
        assert booking.reservation_id is not None
        assert (await service.timetable.get(LESSON)).booked == 1, "the studio does not have it back"
        assert await service.reservations.settle(booking.reservation_id) is ReservationState.RELEASING
        assert (await service.timetable.get(LESSON)).booked == 0, "nobody else sells any more"
        await service.connections.save(AOI, wanted)
        await service.reservations.settle(booking.reservation_id)
        assert await service.reservations.settle(booking.reservation_id) is None
        assert (await service.timetable.get(LESSON)).booked == 0, "given back once"
        assert [one.state for one in system.reservations.values()] == [State.RELEASED]


async def test_another_process_knows_before_it_sells(store: Store, clock: ManualClock) -> None:
    async with opened(SYSTEM, store=store, clock=clock) as client, opened(SYSTEM, store=store, clock=clock) as other:
        await client.sign_in("demo-aoi")
        await add_lesson(client)
        await _service(other).sellers.fresh()
        await _service(client).connections.save(AOI, Wanted(booking_page="https://studio.example/{date}"))
        clock.advance(KEPT_SECONDS + 1)
        with pytest.raises(refusals.BookedElsewhere):
            await _service(other).bookings.book(Member("hana"), LESSON)
        lesson = await _service(other).timetable.upcoming(LESSON)
        assert _service(other).sellers.page(lesson) == "https://studio.example/2025-07-30"
        await _service(client).connections.forget(AOI)
        clock.advance(KEPT_SECONDS + 1)
        assert await _service(other).bookings.book(Member("hana"), LESSON)


async def test_an_address_inside_our_network_is_never_asked(store: Store, clock: ManualClock) -> None:
    system = StudioSystem(clock)
    system.offer(str(LESSON), 1)
    async with running(system, clock) as url, opened(SYSTEM, store=store, clock=clock) as client:
        await client.sign_in("demo-aoi")
        await add_lesson(client)
        service = _service(client)
        await service.connections.save(AOI, Wanted(feed_url=url, booking_url=url, token=TOKEN))
        with pytest.raises(refusals.StudioSilent):
            await service.bookings.book(Member("hana"), LESSON)
        assert system.reservations == {}
        assert await service.provider.availability(await service.timetable.upcoming(LESSON)) is None


async def test_the_token_is_sealed_and_stays_when_it_is_not_said(world: World) -> None:
    connections = world.service.connections
    await connections.save(AOI, Wanted(booking_url="https://studio.example", token="open sesame".replace(" ", "-")))
    stored = await world.db.store.call("Scan", {"TableName": world.db.table_name(lessons_table)})
    assert "open-sesame" not in str(stored)
    await connections.save(AOI, Wanted(booking_url="https://other.example"))
    found = await connections.of(AOI)
    assert found is not None
    assert (found.booking_url, connections._opened(found)) == ("https://other.example", "open-sesame")
    await connections.save(AOI, Wanted(feed_url="https://studio.example"))
    found = await connections.of(AOI)
    assert found is not None
    assert found.sealed_token is None, "no booking system, no token"


@pytest.mark.parametrize(
    "wrong",
    [
        Wanted(feed_url="ftp://x.example"),
        Wanted(feed_url="x.example"),
        Wanted(booking_page="https://user:pass@x.example"),
        Wanted(booking_url="https://x.example"),
        Wanted(booking_url="https://x.example", token="two words"),
        Wanted(feed_url="https://x.example/" + "x" * 500),
    ],
)
async def test_what_cannot_be_used_is_refused(world: World, wrong: Wanted) -> None:
    with pytest.raises(refusals.BadConnection):
        await world.service.connections.save(AOI, wrong)
    assert await world.service.connections.of(AOI) is None


async def test_the_desk_may_not(world: World) -> None:
    with pytest.raises(refusals.NotManager):
        await world.service.connections.save(Staff("mei", AOI.studio, Role.DESK), Wanted())


async def test_a_secret_is_sealed_and_belongs_to_its_studio(world: World) -> None:
    secrets = world.service.studio_secrets
    assert await secrets.secret("gnz") is None
    made = await secrets.renew(STAFF)
    assert await secrets.secret("gnz") == made.encode()
    stored = await secrets.find("gnz")
    assert stored is not None
    assert made not in stored.sealed
    await world.db.write(studio_secrets.put(replace(stored, studio_code="sby")))
    assert await secrets.secret("sby") != made.encode()
    other = StudioSecrets(world.db, world.clock, Secrets(b"another secret of tests"))
    assert await other.secret("gnz") != made.encode(), "another SEKKEI_SECRET verifies nothing"
    assert await secrets.renew(STAFF) != made
    await secrets.forget(STAFF)
    assert await secrets.secret("gnz") is None
