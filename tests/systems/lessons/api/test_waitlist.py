"""Waiting for a place, by the API."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.lessons.world import LESSON

API = "/lessons/api/me"


async def test_joining_looking_and_leaving(client: Client) -> None:
    asked = {"lesson": str(LESSON)}
    reply = await client.json("POST", f"{API}/waitlist", asked)
    assert (reply.status, reply.json()["code"]) == (409, "not-full")
    await client.json("POST", f"{API}/bookings", asked)
    mei = client.another()
    await mei.sign_in("demo-mei")
    entry = (await mei.json("POST", f"{API}/waitlist", asked)).json()
    assert (await mei.json("GET", f"{API}/waitlist/{entry['waitlistId']}")).json() == entry
    assert (await client.json("GET", f"{API}/waitlist/{entry['waitlistId']}")).status == 404, "somebody else's"
    assert (await mei.json("DELETE", f"{API}/waitlist/{LESSON}")).status == 204
    assert (await mei.json("DELETE", f"{API}/waitlist/{LESSON}")).status == 404


async def test_how_somebody_waits(api_client: Client) -> None:
    mei = api_client.another()
    await mei.sign_in("demo-mei")
    await api_client.json("POST", "/lessons/api/me/bookings", {"lesson": str(LESSON)})
    await mei.json("POST", "/lessons/api/me/waitlist", {"lesson": str(LESSON)})
    path = f"/lessons/api/me/waitlist/{LESSON}"
    wished = (await mei.json("PUT", path, {"bookHours": 6, "pausedUntil": "2025-07-30"})).json()
    assert (wished["autoBookUntil"], wished["pausedUntil"]) == ("2025-07-30T04:30:00Z", "2025-07-29T15:00:00Z")
    kept = (await mei.json("PUT", path, {"pausedUntil": None})).json()
    assert (kept["autoBookUntil"], kept["pausedUntil"]) == ("2025-07-30T04:30:00Z", None)
    for wrong in ({"bookHours": -1}, {"pausedUntil": "2025-07-31"}, {"pausedUntil": "x"}):
        assert (await mei.json("PUT", path, wrong)).status == 422
