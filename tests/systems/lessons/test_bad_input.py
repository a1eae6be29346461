"""What must be refused, through the API and on every store: a clear answer, and nothing changed."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.design import newest_messages
from sekkei.store import Store
from sekkei.web.testing import Client, Reply, opened
from sekkei_systems.lessons import SYSTEM
from sekkei_systems.lessons.design import lessons_table, user_lessons_table
from tests.systems.lessons.conftest import LESSON, NOON

HOUSE = {"name": "BSL House 1", "instructor": "YUKI", "capacity": 1, "id": "a"}


@pytest.fixture
async def client(store: Store, clock: ManualClock) -> AsyncIterator[Client]:
    async with opened(SYSTEM, store=store, clock=clock) as found:
        await found.sign_in("demo-aoi")
        found.language = "en"
        assert (await found.json("POST", f"/lessons/api/lessons/{LESSON}", HOUSE)).status == 201
        yield found


async def everything(client: Client) -> list[dict[str, Any]]:
    """All lessons, ties and messages as they are stored."""
    found: list[dict[str, Any]] = []
    for table in (lessons_table, user_lessons_table):
        name = client.shell.deployment.systems["lessons"].context.db.table_name(table)
        answer = await client.shell.deployment.store.call("Scan", {"TableName": name, "ConsistentRead": True})
        found += sorted(answer["Items"], key=lambda item: str(item["PK"]) + str(item["SK"]))
    return [*found, *[{"message": one.id} for one in await client.shell.deployment.runtime.all(newest_messages())]]


BAD_SLOTS = [
    "g%23z/2025-07-30/19:30",
    "GNZ/2025-07-30/19:30",
    "gnz/2025-07-30/9:5",
    "gnz/2025-07-30/24:00",
    "gnz/2025-02-30/19:30",
    "gnz/20250730/19:30",
    "gnz/2025-07-30",
    "x",
]


async def test_bad_names_of_lessons(client: Client) -> None:
    before = await everything(client)
    for lesson in BAD_SLOTS:
        await refused_everywhere(client, lesson)
    assert await everything(client) == before


async def refused_everywhere(client: Client, lesson: str) -> None:
    written = lesson.replace("%23", "#")
    attempts = [
        ("POST", "/me/bookings", {"lesson": written}),
        ("POST", "/me/waitlist", {"lesson": written}),
        ("PUT", f"/me/favorites/{lesson}", {}),
        ("DELETE", f"/me/bookings/{lesson}", None),
        ("POST", f"/lessons/{lesson}", HOUSE),
        ("PUT", f"/lessons/{lesson}", HOUSE),
        ("DELETE", f"/lessons/{lesson}", None),
    ]
    for method, path, body in attempts:
        answer = await client.json(method, f"/lessons/api{path}", body)
        assert (answer.status, answer.json()["code"]) == (422, "bad-slot"), (method, path)
        assert "09:30" in answer.json()["detail"]


async def test_lessons_of_the_past(client: Client, clock: ManualClock) -> None:
    past = "gnz/2025-07-29/11:59"
    before = await everything(client)
    made = await client.json("POST", f"/lessons/api/lessons/{past}", HOUSE)
    assert (made.status, made.json()["code"]) == (409, "lesson-over")
    clock.set(LESSON.starts_at.timestamp())
    for method, path, body in (
        ("POST", "/me/bookings", {"lesson": str(LESSON)}),
        ("POST", "/me/waitlist", {"lesson": str(LESSON)}),
        ("PUT", f"/me/favorites/{LESSON}", {"notes": "x"}),
        ("PUT", f"/lessons/{LESSON}", {**HOUSE, "instructor": "Mako"}),
        ("DELETE", f"/lessons/{LESSON}", None),
    ):
        answer = await client.json(method, f"/lessons/api{path}", body)
        assert (answer.status, answer.json()["code"]) == (409, "lesson-over"), (method, path)
    assert await everything(client) == before


async def test_a_second_lesson_in_one_slot(client: Client) -> None:
    before = await everything(client)
    for method, body in (("POST", {**HOUSE, "name": "Yoga"}), ("PUT", {**HOUSE, "name": "Yoga", "id": "b"})):
        answer = await client.json(method, f"/lessons/api/lessons/{LESSON}", body)
        assert (answer.status, answer.json()["code"]) == (409, "slot-taken")
        assert "BSL House 1" in answer.json()["detail"]
    assert await everything(client) == before
    page = await client.post(
        "/lessons/desk/gnz",
        {"lesson_date": "2025-07-30", "start_time": "19:30", "lesson_name": "Yoga", "instructor": "Mako"},
    )
    assert page.status == 409
    assert "BSL House 1" in page.text
    assert await everything(client) == before


async def test_lessons_that_cannot_be(client: Client) -> None:
    before = await everything(client)
    nameless, too_many = {"name": "", "instructor": "x"}, {**HOUSE, "capacity": 10**5}
    for body in ({}, nameless, {**HOUSE, "capacity": -1}, too_many, [], "x"):
        for method in ("POST", "PUT"):
            answer = await client.json(method, "/lessons/api/lessons/gnz/2025-08-01/10:00", body)
            assert (answer.status, answer.json()["code"]) == (422, "validation")
    assert await everything(client) == before


class Studio:
    """A studio's own system, with or without the right secret."""

    def __init__(self, client: Client, secret: bytes | None = None) -> None:
        self.client = client
        self.secret = secret or client.shell.deployment.settings.secrets.key("lessons availability")

    async def say(self, content: Any, *, lesson: str = str(LESSON), at: float = NOON, **wrong: Any) -> Reply:
        body, stamp = orjson.dumps(content), str(int(at))
        signed = f"{stamp}.{wrong.get('signed_for', lesson)}.".encode() + wrong.get("signed_body", body)
        digest = hmac.new(self.secret, signed, hashlib.sha256).hexdigest()
        headers = {"X-Signature": f"sha256={digest}", "X-Timestamp": stamp, "Content-Type": "application/json"}
        headers.update(wrong.get("headers", {}))
        path = f"/lessons/api/lessons/{lesson}/availability"
        return await self.client.another().request("POST", path, body, headers)


OPEN = {"available": 1, "total": 20, "isOpen": True}


async def test_forged_pushes(client: Client) -> None:
    await client.json("POST", "/lessons/api/me/bookings", {"lesson": str(LESSON)})
    mei = client.another()
    await mei.sign_in("demo-mei")
    await mei.json("POST", "/lessons/api/me/waitlist", {"lesson": str(LESSON)})
    before = await everything(client)
    studio = Studio(client)
    forged = [
        await Studio(client, b"somebody else").say(OPEN),
        await studio.say(OPEN, at=NOON - 301),
        await studio.say(OPEN, at=NOON + 301),
        await studio.say(OPEN, signed_for="gnz/2025-07-30/20:30"),
        await studio.say(OPEN, signed_body=b"{}"),
        await studio.say(OPEN, headers={"X-Signature": ""}),
        await studio.say(OPEN, headers={"X-Timestamp": "soon"}),
        await studio.say(OPEN, headers={"X-Timestamp": str(int(NOON) + 1)}),
    ]
    assert [(one.status, one.json()["code"]) for one in forged] == [(401, "bad-signature")] * len(forged)
    wrong = [
        (await studio.say({"available": 21, "total": 20}), 422),
        (await studio.say({"available": "x"}), 422),
        (await studio.say(OPEN, lesson="gnz/2025-07-30/9:5"), 422),
        (await studio.say(OPEN, lesson="gnz/2025-07-30/10:00"), 404),
    ]
    assert [one.status for one, _ in wrong] == [status for _, status in wrong]
    assert await everything(client) == before


async def test_a_push_counts_once(client: Client, clock: ManualClock) -> None:
    await client.json("POST", "/lessons/api/me/bookings", {"lesson": str(LESSON)})
    mei = client.another()
    await mei.sign_in("demo-mei")
    await mei.json("POST", "/lessons/api/me/waitlist", {"lesson": str(LESSON)})
    clock.advance(2.1)
    studio = Studio(client)
    assert (await studio.say(OPEN)).json() == {"told": 1}
    clock.advance(2.1)
    taken = await studio.say({"available": 0, "total": 20}, at=clock.now())
    assert (taken.status, taken.json()) == (200, {"told": 0})
    before = await everything(client)
    replayed = await studio.say(OPEN)
    assert (replayed.status, replayed.json()["code"]) == (409, "replayed")
    assert await everything(client) == before
    clock.advance(2.1)
    assert (await studio.say(OPEN, at=clock.now())).json() == {"told": 1}, "another opening, signed anew"


async def test_an_older_push_that_comes_late_is_not_believed(client: Client, clock: ManualClock) -> None:
    await client.json("POST", "/lessons/api/me/bookings", {"lesson": str(LESSON)})
    mei = client.another()
    await mei.sign_in("demo-mei")
    await mei.json("POST", "/lessons/api/me/waitlist", {"lesson": str(LESSON)})
    clock.advance(60)
    studio, full = Studio(client), {"available": 0, "total": 1}
    assert (await studio.say(full, at=clock.now())).json() == {"told": 0}, "nothing that was not known, but newer"
    before = await everything(client)
    late = await studio.say(OPEN, at=clock.now() - 30)
    assert (late.status, late.json()) == (200, {"told": 0})
    assert await everything(client) == before
    assert (await studio.say(OPEN, at=clock.now())).json() == {"told": 1}, "of the same second, the one that comes last"


async def test_what_is_called_off_is_brought_back_by_asking_for_it(client: Client) -> None:
    path = f"/lessons/api/lessons/{LESSON}"
    assert (await client.json("DELETE", path)).status == 204
    before = await everything(client)
    refused = await client.json("PUT", path, HOUSE)
    assert (refused.status, refused.json()["code"]) == (409, "called-off")
    assert await everything(client) == before
    for quiet in ({"isOpen": False}, {"calledOff": True}):
        changed = (await client.json("PUT", path, {**HOUSE, "instructor": "Mako", **quiet})).json()
        assert (changed["instructor"], changed["calledOff"], changed["isOpen"]) == ("Mako", True, False)
    back = (await client.json("PUT", path, {**HOUSE, "calledOff": False})).json()
    assert (back["calledOff"], back["isOpen"]) == (False, True)
