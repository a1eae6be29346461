"""What a member of a studio does (`sekkei measure lessons --journeys`)."""

from __future__ import annotations

from datetime import timedelta

from sekkei.web.journeys import Journeys, Traveller
from sekkei_systems import days
from sekkei_systems.lessons.system import SYSTEM

JOURNEYS = Journeys(SYSTEM)
STUDIO = "gnz"
API = "/lessons/api"


@JOURNEYS.begin
async def arrive(me: Traveller) -> None:
    """Mei books and cancels; Yui waits for what is full."""
    await me.sign_in("demo-mei")
    day = days.today(me.clock) + timedelta(days=3)
    mine = {one["lesson"] for one in (await me.json("GET", f"{API}/me/lessons")).json()["items"]}
    found = (await me.json("GET", f"{API}/studios/{STUDIO}/lessons?from={day}&to={day}")).json()["items"]
    fresh = [one for one in found if one["lesson"] not in mine and one["isOpen"]]
    me.memory["day"] = day
    me.memory["free"] = next(one["lesson"] for one in fresh if one["free"])
    me.memory["full"] = next(one["lesson"] for one in fresh if not one["free"])


@JOURNEYS.journey
async def opens_the_timetable(me: Traveller) -> None:
    """Open a studio's timetable of a day."""
    await me.get(f"/lessons/?studio={STUDIO}&day={me.memory['day']}")


@JOURNEYS.journey
async def opens_a_lesson(me: Traveller) -> None:
    """Open one lesson."""
    await me.get(f"/lessons/lessons/{me.memory['free']}")


@JOURNEYS.journey
async def opens_my_list(me: Traveller) -> None:
    """Look at one's bookings, waitlists and favourites."""
    await me.get("/lessons/mine")


@JOURNEYS.journey
async def marks_a_favourite(me: Traveller) -> None:
    """Mark a lesson as a favourite."""
    await me.json("PUT", f"{API}/me/favorites/{me.memory['free']}", {})


@JOURNEYS.journey
async def books(me: Traveller) -> None:
    """Book a place, with the confirmation by mail."""
    await me.json("POST", f"{API}/me/bookings", {"lesson": me.memory["free"]})


@JOURNEYS.journey
async def cancels(me: Traveller) -> None:
    """Cancel a booking."""
    await me.json("DELETE", f"{API}/me/bookings/{me.memory['free']}")


@JOURNEYS.journey
async def waits(me: Traveller) -> None:
    """Wait for a place in a lesson that is full."""
    await me.json("POST", f"{API}/me/waitlist", {"lesson": me.memory["full"]})
