from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.web.testing import Client
from tests.systems.conftest import LATEST_INDEX_SECONDS
from tests.systems.lessons.steps import HOUSE, everything
from tests.systems.lessons.world import LESSON


async def test_a_second_lesson_in_one_slot(api_client: Client) -> None:
    before = await everything(api_client)
    for method, body in (("POST", {**HOUSE, "name": "Yoga"}), ("PUT", {**HOUSE, "name": "Yoga", "id": "b"})):
        answer = await api_client.json(method, f"/lessons/api/lessons/{LESSON}", body)
        assert (answer.status, answer.json()["code"]) == (409, "slot-taken")
        assert "BSL House 1" in answer.json()["detail"]
    assert await everything(api_client) == before
    page = await api_client.post(
        "/lessons/desk/gnz",
        {"lesson_date": "2025-07-30", "start_time": "19:30", "lesson_name": "Yoga", "instructor": "Mako"},
    )
    assert page.status == 409
    assert "BSL House 1" in page.text
    assert await everything(api_client) == before


async def test_lessons_that_cannot_be(api_client: Client) -> None:
    before = await everything(api_client)
    nameless, too_many = {"name": "", "instructor": "x"}, {**HOUSE, "capacity": 10**5}
    for body in ({}, nameless, {**HOUSE, "capacity": -1}, too_many, [], "x"):
        for method in ("POST", "PUT") if body != {} else ("POST",):
            answer = await api_client.json(method, "/lessons/api/lessons/gnz/2025-08-01/10:00", body)
            assert (answer.status, answer.json()["code"]) == (422, "validation")
    assert await everything(api_client) == before


async def test_what_is_called_off_is_brought_back_by_asking_for_it(api_client: Client) -> None:
    path = f"/lessons/api/lessons/{LESSON}"
    assert (await api_client.json("DELETE", path)).status == 204
    before = await everything(api_client)
    refused = await api_client.json("PUT", path, {**HOUSE, "isOpen": True})
    assert (refused.status, refused.json()["code"]) == (409, "called-off")
    assert await everything(api_client) == before
    for quiet in ({}, {"isOpen": False}, {"calledOff": True}):
        changed = (await api_client.json("PUT", path, {**HOUSE, "instructor": "Mako", **quiet})).json()
        assert (changed["instructor"], changed["calledOff"], changed["isOpen"]) == ("Mako", True, False)
    back = (await api_client.json("PUT", path, {**HOUSE, "calledOff": False})).json()
    assert (back["calledOff"], back["isOpen"]) == (False, True)


async def test_what_is_left_out_stays_as_it_was(api_client: Client) -> None:
    path = f"/lessons/api/lessons/{LESSON}"
    said = {"end": "20:15", "capacity": 3, "program": "BSL", "isOpen": False}
    before = (await api_client.json("PUT", path, said)).json()
    assert (before["name"], before["capacity"], before["program"], before["isOpen"]) == ("BSL House 1", 3, "BSL", False)
    changed = (await api_client.json("PUT", path, {"name": "House 2", "instructor": "Mako"})).json()
    assert changed == {**before, "name": "House 2", "instructor": "Mako"}
    none = (await api_client.json("PUT", path, {"capacity": None, "end": None})).json()
    assert (none["capacity"], none["endsAt"], none["program"]) == (None, None, "BSL"), "only what is said to be none"


async def test_an_end_before_the_start_is_refused(api_client: Client) -> None:
    before = await everything(api_client)
    for end in ("19:30", "18:00", "０９:30"):
        answer = await api_client.json("PUT", f"/lessons/api/lessons/{LESSON}", {"end": end})
        assert answer.status == 422, end
        assert [one["pointer"] for one in answer.json()["errors"]] == ["#/end"], "as the client calls it"
    assert await everything(api_client) == before


# The desk's verbs by the API.


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
