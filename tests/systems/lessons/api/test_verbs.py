"""The desk's verbs by the API."""

from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.web.testing import Client
from tests.systems.conftest import LATEST_INDEX_SECONDS
from tests.systems.lessons.world import LESSON

DESK = f"/lessons/api/desk/{LESSON}"


async def test_the_desk_by_the_api(api_client: Client, clock: ManualClock) -> None:
    client = api_client
    made = await client.json("POST", f"{DESK}/places", {"name": "Walk In"})
    assert made.status == 201
    clock.advance(LATEST_INDEX_SECONDS + 0.1)
    roll = (await client.json("GET", f"/lessons/api/roll/{LESSON}")).json()
    assert [(one["name"], one["walkIn"]) for one in roll["booked"]] == [("Walk In", True)]
    assert (await client.json("POST", f"{DESK}/places", {"name": "Two"})).json()["code"] == "full"
    for wrong in ({}, {"name": "x", "email": "x@example.com"}, {"email": "nobody@example.com"}):
        assert (await client.json("POST", f"{DESK}/places", wrong)).status == 422
    mei = client.another()
    await mei.sign_in("demo-mei")
    assert (await mei.json("POST", "/lessons/api/me/waitlist", {"lesson": str(LESSON)})).status == 201
    clock.advance(LATEST_INDEX_SECONDS + 0.1)
    rows = (await client.json("GET", "/lessons/api/desk/gnz?from=2025-07-30&to=2025-07-30")).json()["items"]
    assert [(row["lesson"]["lesson"], row["waiting"]) for row in rows] == [(str(LESSON), 1)]
    acts = (await client.json("GET", f"{DESK}/acts")).json()["items"]
    assert [(one["verb"], one["mayUndo"]) for one in acts] == [("walk-in", True)]
    assert (await client.json("POST", f"{DESK}/acts/{acts[0]['id']}/undo")).status == 204
    assert (await client.json("POST", f"{DESK}/acts/{acts[0]['id']}/undo")).status == 409
    assert (await client.json("POST", f"{DESK}/messages", {"words": "hello"})).status == 200
    moved = await client.json("POST", f"{DESK}/move", {"to": "gnz/2025-07-31/20:00"})
    assert moved.json()["lesson"] == "gnz/2025-07-31/20:00"
    assert (await client.json("DELETE", "/lessons/api/lessons/gnz/2025-07-31/20:00?words=storm")).status == 204
    assert (await mei.json("POST", f"{DESK}/messages", {"words": "hello"})).status == 403
