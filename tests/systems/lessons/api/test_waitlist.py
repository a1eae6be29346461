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
