from __future__ import annotations

from sekkei.web.testing import Client, Reply
from tests.systems.lessons.world import LESSON


async def test_a_request_with_a_key_is_carried_out_once(client: Client) -> None:
    async def post(path: str, key: str, lesson: str = str(LESSON)) -> Reply:
        headers = {"Idempotency-Key": key}
        return await client.json("POST", f"/lessons/api/me/{path}", {"lesson": lesson}, headers=headers)

    first, again = await post("bookings", "k1"), await post("bookings", "k1")
    assert (first.status, again.status, again.json()) == (201, 201, first.json())
    assert (await post("bookings", "k2")).json()["code"] == "already-registered"
    assert (await post("waitlist", "k1")).json()["code"] == "key-reused"
    await client.json("DELETE", f"/lessons/api/me/bookings/{LESSON}")
    assert (await post("bookings", "k1")).json() == first.json()
    mine = await client.json("GET", "/lessons/api/me/lessons")
    assert [entry["status"] for entry in mine.json()["items"]] == ["cancelled"], "an old request books nothing anew"
    assert (await post("bookings", "x" * 256)).status == 422
    await post("bookings", "k3")
    mei = client.another()
    await mei.sign_in("demo-mei")
    key = {"Idempotency-Key": "k1"}
    waits = [await mei.json("POST", "/lessons/api/me/waitlist", {"lesson": str(LESSON)}, headers=key) for _ in "ab"]
    assert [(one.status, one.json()["type"]) for one in waits] == [(201, "waitlist")] * 2, "keys are everybody's own"
    assert waits[0].json()["waitlistId"] == waits[1].json()["waitlistId"]


async def test_a_walk_in_that_is_sent_again_takes_one_place(client: Client) -> None:
    """By the shell, as everything that writes; a key is one's own for all of it."""
    assert (await client.json("PUT", f"/lessons/api/lessons/{LESSON}", {"capacity": 3})).status == 200
    headers = {"Idempotency-Key": "door"}
    seats = [
        await client.json("POST", f"/lessons/api/desk/{LESSON}/places", {"name": "花"}, headers=headers) for _ in "ab"
    ]
    assert [(one.status, one.json()) for one in seats] == [(201, seats[0].json())] * 2
    found = (await client.json("GET", f"/lessons/api/lessons/{LESSON}")).json()["lesson"]
    assert found["free"] == 2
    other = await client.json("POST", "/lessons/api/me/bookings", {"lesson": str(LESSON)}, headers=headers)
    assert (other.status, other.json()["code"]) == (422, "key-reused")
