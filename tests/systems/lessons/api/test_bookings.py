from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.web.testing import Client
from tests.systems.lessons.steps import HOUSE, everything
from tests.systems.lessons.world import LESSON


async def test_the_api(client: Client) -> None:
    made = await client.json("POST", "/lessons/api/me/bookings", {"lesson": str(LESSON)})
    assert (made.status, made.json()["status"]) == (201, "active")
    again = await client.json("POST", "/lessons/api/me/bookings", {"lesson": str(LESSON)})
    assert (again.status, again.json()["code"]) == (409, "already-registered")
    favorite = await client.json("PUT", f"/lessons/api/me/favorites/{LESSON}", {"notes": "いつもの"})
    assert favorite.json()["notes"] == "いつもの"
    mine = await client.json("GET", "/lessons/api/me/lessons")
    assert [entry["type"] for entry in mine.json()["items"]] == ["booking", "favorite"]
    found = await client.json("GET", "/lessons/api/studios/gnz/lessons?from=2025-07-30&to=2025-07-30")
    assert [entry["free"] for entry in found.json()["items"]] == [0]
    assert (await client.json("DELETE", f"/lessons/api/me/bookings/{LESSON}")).status == 204
    assert (await client.json("GET", "/lessons/openapi.json")).json()["openapi"].startswith("3.1")


async def test_lessons_of_the_past(api_client: Client, clock: ManualClock) -> None:
    past = "gnz/2025-07-29/11:59"
    before = await everything(api_client)
    made = await api_client.json("POST", f"/lessons/api/lessons/{past}", HOUSE)
    assert (made.status, made.json()["code"]) == (409, "lesson-over")
    clock.set(LESSON.starts_at.timestamp())
    for method, path, body in (
        ("POST", "/me/bookings", {"lesson": str(LESSON)}),
        ("POST", "/me/waitlist", {"lesson": str(LESSON)}),
        ("PUT", f"/me/favorites/{LESSON}", {"notes": "x"}),
        ("PUT", f"/lessons/{LESSON}", {**HOUSE, "instructor": "Mako"}),
        ("DELETE", f"/lessons/{LESSON}", None),
    ):
        answer = await api_client.json(method, f"/lessons/api{path}", body)
        assert (answer.status, answer.json()["code"]) == (409, "lesson-over"), (method, path)
    assert await everything(api_client) == before
