"""What somebody does with Q. in a day (`sekkei measure q --journeys`)."""

from __future__ import annotations

from sekkei.web.journeys import Journeys, Traveller
from sekkei_systems.q.system import SYSTEM

JOURNEYS = Journeys(SYSTEM)
API = "/q/api"
FRIEND = "demo-ren"
KNOWN = "friend-daichi"
"""Follows Aoi, and is not followed back."""


@JOURNEYS.begin
async def arrive(me: Traveller) -> None:
    """Aoi has not answered yet."""
    await me.sign_in("demo-aoi")
    me.memory["day"] = (await me.json("GET", f"{API}/today")).json()["question"]["date"]


@JOURNEYS.journey
async def opens_today(me: Traveller) -> None:
    """See today's question."""
    await me.json("GET", f"{API}/today")


@JOURNEYS.journey
async def answers(me: Traveller) -> None:
    """Answer it; friends are told."""
    text = "商店街の外れにできた、小さな本屋の手書きの看板。"
    await me.json("POST", f"{API}/answers", {"text": text, "date": me.memory["day"]})


@JOURNEYS.journey
async def reads_the_timeline(me: Traveller) -> None:
    """Read what friends answered, a page of it."""
    await me.json("GET", f"{API}/timeline")


@JOURNEYS.journey
async def opens_an_answer(me: Traveller) -> None:
    """Open one answer with its reactions."""
    await me.json("GET", f"{API}/answers/{me.memory['day']}/{FRIEND}")


@JOURNEYS.journey
async def reacts(me: Traveller) -> None:
    """React to a friend's answer; the friend is told."""
    await me.json("PUT", f"{API}/answers/{me.memory['day']}/{FRIEND}/reaction", {"reaction": "❤️"})


@JOURNEYS.journey
async def opens_a_profile(me: Traveller) -> None:
    """Look at a friend's page."""
    await me.json("GET", f"{API}/users/{FRIEND}")


@JOURNEYS.journey
async def unfollows(me: Traveller) -> None:
    """Stop following somebody."""
    await me.json("DELETE", f"{API}/users/{FRIEND}/follow")


@JOURNEYS.journey
async def follows(me: Traveller) -> None:
    """Follow somebody; they are told."""
    await me.json("PUT", f"{API}/users/{KNOWN}/follow")
