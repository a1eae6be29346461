"""Studios, timetables, and a lesson as I see it."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.lessons.world import LESSON

API = "/lessons/api"


async def test_studios_and_their_lessons(client: Client) -> None:
    studios = (await client.json("GET", f"{API}/studios")).json()["items"]
    assert {"code": "gnz", "name": "銀座"} in studios
    found = (await client.json("GET", f"{API}/studios/gnz/lessons?from=2025-07-30&to=2025-07-30")).json()["items"]
    assert [(one["lesson"], one["free"]) for one in found] == [(str(LESSON), 1)]
    assert (await client.json("GET", f"{API}/studios/nowhere/lessons?from=2025-07-30&to=2025-07-30")).status == 404
    assert (await client.json("GET", f"{API}/studios/gnz/lessons?from=2025-07-30")).status == 422


async def test_one_lesson_as_i_see_it(client: Client) -> None:
    await client.json("POST", f"{API}/me/bookings", {"lesson": str(LESSON)})
    found = (await client.json("GET", f"{API}/lessons/{LESSON}")).json()
    assert (found["lesson"]["free"], found["waiting"], found["position"]) == (0, 0, None)
    assert [tie["type"] for tie in found["mine"]] == ["booking"]
    assert (await client.json("GET", f"{API}/lessons/gnz/2025-07-31/19:30")).status == 404


async def test_a_lesson_says_when_it_ends_and_who_sells_it(client: Client) -> None:
    lesson = {"name": "Late", "instructor": "YUKI", "end": "00:30"}
    made = (await client.json("POST", f"{API}/lessons/gnz/2025-07-30/23:30", lesson)).json()
    assert (made["startsAt"], made["endsAt"]) == ("2025-07-30T23:30:00+09:00", "2025-07-31T00:30:00+09:00")
    assert (made["sellsHere"], made["bookingUrl"]) == (True, None)
    found = (await client.json("GET", f"{API}/lessons/{LESSON}")).json()
    assert found["lesson"]["endsAt"] is None
