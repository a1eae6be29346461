from __future__ import annotations

import hashlib
import hmac
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.design import newest_messages
from sekkei.runtime.refusals import Refusal
from sekkei.web.testing import Client, Reply
from sekkei_systems.lessons.webhooks.availability import signature_of, verify_push
from tests.systems.lessons.steps import act, everything
from tests.systems.lessons.world import LESSON, NOON


async def test_a_push_is_heard_only_with_the_right_signature(client: Client) -> None:
    await act(client, "book")
    ren = client.another()
    await ren.sign_in("demo-ren")
    await act(ren, "wait")
    body = orjson.dumps({"available": 2, "total": 20, "isOpen": True})
    stamp = str(int(NOON))
    secret = client.shell.deployment.settings.secrets.key("lessons availability")
    for key, expected in ((b"wrong", 401), (secret, 200)):
        signed = f"{stamp}.{LESSON}.".encode() + body
        signature = "sha256=" + hmac.new(key, signed, hashlib.sha256).hexdigest()
        headers = {"X-Signature": signature, "X-Timestamp": stamp, "Content-Type": "application/json"}
        answer = await client.another().request("POST", f"/lessons/api/lessons/{LESSON}/availability", body, headers)
        assert answer.status == expected
        assert len(await client.shell.deployment.runtime.all(newest_messages())) == (1 if expected == 200 else 0)


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


OPEN = {"available": 2, "total": 20, "isOpen": True}


async def test_forged_pushes(api_client: Client) -> None:
    await api_client.json("POST", "/lessons/api/me/bookings", {"lesson": str(LESSON)})
    mei = api_client.another()
    await mei.sign_in("demo-mei")
    await mei.json("POST", "/lessons/api/me/waitlist", {"lesson": str(LESSON)})
    before = await everything(api_client)
    studio = Studio(api_client)
    forged = [
        await Studio(api_client, b"somebody else").say(OPEN),
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
    assert await everything(api_client) == before


async def test_a_push_counts_once(api_client: Client, clock: ManualClock) -> None:
    await api_client.json("POST", "/lessons/api/me/bookings", {"lesson": str(LESSON)})
    mei = api_client.another()
    await mei.sign_in("demo-mei")
    await mei.json("POST", "/lessons/api/me/waitlist", {"lesson": str(LESSON)})
    clock.advance(2.1)
    studio = Studio(api_client)
    assert (await studio.say(OPEN)).json() == {"told": 1}
    clock.advance(2.1)
    taken = await studio.say({"available": 0, "total": 20}, at=clock.now())
    assert (taken.status, taken.json()) == (200, {"told": 0})
    before = await everything(api_client)
    replayed = await studio.say(OPEN)
    assert (replayed.status, replayed.json()["code"]) == (409, "replayed")
    assert await everything(api_client) == before
    clock.advance(2.1)
    assert (await studio.say(OPEN, at=clock.now())).json() == {"told": 1}, "another opening, signed anew"


async def test_an_older_push_that_comes_late_is_not_believed(api_client: Client, clock: ManualClock) -> None:
    await api_client.json("POST", "/lessons/api/me/bookings", {"lesson": str(LESSON)})
    mei = api_client.another()
    await mei.sign_in("demo-mei")
    await mei.json("POST", "/lessons/api/me/waitlist", {"lesson": str(LESSON)})
    clock.advance(60)
    studio, full = Studio(api_client), {"available": 0, "total": 1}
    assert (await studio.say(full, at=clock.now())).json() == {"told": 0}, "nothing that was not known, but newer"
    before = await everything(api_client)
    late = await studio.say(OPEN, at=clock.now() - 30)
    assert (late.status, late.json()) == (200, {"told": 0})
    assert await everything(api_client) == before
    assert (await studio.say(OPEN, at=clock.now())).json() == {"told": 1}, "of the same second, the one that comes last"


async def test_nothing_of_a_push_is_read_before_its_signature_is_right(client: Client) -> None:
    path = f"/lessons/api/lessons/{LESSON}/availability"
    headers = {"X-Signature": "sha256=00", "X-Timestamp": str(int(NOON)), "Content-Type": "application/json"}
    for body in (b"{", b"[]", b'{"available": "many"}', b"\xff"):
        assert (await client.another().request("POST", path, body, headers)).status == 401, body
    signed = f"{int(NOON)}.{LESSON}.".encode() + b"{"
    secret = client.shell.deployment.settings.secrets.key("lessons availability")
    right = {**headers, "X-Signature": "sha256=" + hmac.new(secret, signed, hashlib.sha256).hexdigest()}
    assert (await client.another().request("POST", path, b"{", right)).status == 422


@pytest.mark.parametrize(
    ("body", "secret", "age"),
    [(b"{}x", b"secret", 0), (b"{}", b"other", 0), (b"{}", b"secret", 301), (b"{}", b"", -301)],
)
def test_forged_or_old_pushes_are_refused(clock: ManualClock, body: bytes, secret: bytes, age: int) -> None:
    stamp = str(int(clock.now()) - age)
    signature = signature_of(secret, stamp, str(LESSON), b"{}")
    with pytest.raises(Refusal):
        verify_push(b"secret", str(LESSON), body, signature, stamp, clock)


def test_a_good_push_is_accepted(clock: ManualClock) -> None:
    stamp = str(int(clock.now()))
    signed = f"{stamp}.{LESSON}.{{}}".encode()
    signature = "sha256=" + hmac.new(b"secret", signed, hashlib.sha256).hexdigest()
    verify_push(b"secret", str(LESSON), b"{}", signature, stamp, clock)
    with pytest.raises(Refusal):
        verify_push(b"secret", str(LESSON).replace("19:30", "20:30"), b"{}", signature, stamp, clock)


@pytest.mark.parametrize("stamp", ["", "x", "１", "-1", "9" * 400, "9" * 5000])
def test_a_time_that_is_none_is_refused(clock: ManualClock, stamp: str) -> None:
    with pytest.raises(Refusal):
        verify_push(b"secret", str(LESSON), b"{}", signature_of(b"secret", stamp, str(LESSON), b"{}"), stamp, clock)
