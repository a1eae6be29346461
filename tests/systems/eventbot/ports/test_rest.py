"""Discord's REST client: rate limits, errors, and the wire itself."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.runtime import days
from sekkei.runtime.design import Message
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import TryAgain, Undeliverable
from sekkei_systems.eventbot.ports.discord.errors import OVER, RateLimited, Refused, Unauthorised, Unavailable
from sekkei_systems.eventbot.ports.discord.rates import route_of
from sekkei_systems.eventbot.ports.discord.rest import Rest, RestAnswer, over_http
from sekkei_systems.eventbot.ports.transports import ToInteraction
from tests.runtime.servers import http_server

OK = (200, {}, {"id": "1"})


class Canned:
    """Answers with the next of some answers, the last one again and again."""

    def __init__(self, *answers: tuple[int, dict[str, str], Any]) -> None:
        self.answers, self.sent = list(answers), []  # type: ignore[var-annotated]

    async def __call__(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> RestAnswer:
        self.sent.append((method, path))
        status, fields, content = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return RestAnswer(status, fields, orjson.dumps(content))


def client(clock: ManualClock, canned: Canned, slept: list[float], wait_max: float = 2.0) -> Rest:
    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock.advance(seconds)

    return Rest(canned, "token", "42", "https://example.com", clock, sleep, wait_max)


def limits(remaining: int, after: float, bucket: str = "b") -> dict[str, str]:
    return {
        "x-ratelimit-remaining": str(remaining),
        "x-ratelimit-reset-after": str(after),
        "x-ratelimit-bucket": bucket,
    }


async def test_an_empty_bucket_is_waited_for_before_sending(clock: ManualClock) -> None:
    canned, slept = Canned((200, limits(0, 1.5), {"id": "1"}), OK), list[float]()
    rest = client(clock, canned, slept)
    await rest.post("7", {"content": "a"})
    await rest.post("7", {"content": "b"})
    assert slept == [pytest.approx(1.5)]


async def test_another_channel_does_not_wait(clock: ManualClock) -> None:
    canned, slept = Canned((200, limits(0, 1.5), {"id": "1"}), OK), list[float]()
    rest = client(clock, canned, slept)
    await rest.post("7", {"content": "a"})
    await rest.post("8", {"content": "b"})
    assert slept == []


async def test_a_429_is_waited_for_as_told_and_sent_again(clock: ManualClock) -> None:
    told = (429, {"x-ratelimit-scope": "user"}, {"message": "slow", "retry_after": 0.7, "global": False})
    canned, slept = Canned(told, OK), list[float]()
    assert await client(clock, canned, slept).post("7", {"content": "a"}) == "1"
    assert slept == [pytest.approx(0.7)]
    assert len(canned.sent) == 2


async def test_a_long_wait_is_handed_back(clock: ManualClock) -> None:
    told = (429, {}, {"message": "slow", "retry_after": 60.0, "global": False})
    rest = client(clock, Canned(told), [])
    with pytest.raises(RateLimited) as limited:
        await rest.post("7", {"content": "a"})
    assert limited.value.retry_after == pytest.approx(60)


async def test_a_global_429_holds_up_every_channel_but_no_interaction(clock: ManualClock) -> None:
    told = (429, {"x-ratelimit-global": "true"}, {"message": "slow", "retry_after": 1.0, "global": True})
    canned, slept = Canned(told, OK), list[float]()
    rest = client(clock, canned, slept, wait_max=0.0)
    with pytest.raises(RateLimited):
        await rest.post("7", {"content": "a"})
    with pytest.raises(RateLimited):
        await rest.post("8", {"content": "a"})
    assert len(canned.sent) == 1
    assert await rest.follow_up("tok", {"content": "a"}) == "1"
    clock.advance(1)
    assert await rest.post("8", {"content": "a"}) == "1"


async def test_no_more_than_fifty_a_second(clock: ManualClock) -> None:
    canned, slept = Canned(OK), list[float]()
    rest = client(clock, canned, slept)
    await asyncio.gather(*(rest.post(str(number), {"content": "a"}) for number in range(120)))
    assert len(canned.sent) == 120
    assert len(slept) >= 2
    assert sum(slept) >= 1


async def test_a_wrong_token_stops_all_traffic(clock: ManualClock) -> None:
    canned = Canned((401, {}, {"message": "401: Unauthorized", "code": 0}))
    rest = client(clock, canned, [])
    for _ in range(3):
        with pytest.raises(Unauthorised):
            await rest.post("7", {"content": "a"})
    assert len(canned.sent) == 1


@pytest.mark.parametrize("code", [50027, 0])
async def test_an_interaction_that_is_over_stops_nothing_else(clock: ManualClock, code: int) -> None:
    over = (401, {}, {"message": "Invalid Webhook Token", "code": code})
    canned = Canned(over, over, OK)
    rest = client(clock, canned, [])
    with pytest.raises(Refused) as refused:
        await rest.edit_original("token", {"content": "a"})
    assert refused.value.code in OVER
    with pytest.raises(Undeliverable):
        await ToInteraction(rest, clock).send(late_reply(clock))
    await rest.post("7", {"content": "a"})
    assert len(canned.sent) == 3


async def test_a_late_answer_waits_as_long_as_it_is_told_to(clock: ManualClock) -> None:
    told = (429, {"x-ratelimit-scope": "user"}, {"message": "slow", "retry_after": 60.0, "global": False})
    with pytest.raises(TryAgain) as later:
        await ToInteraction(client(clock, Canned(told), []), clock).send(late_reply(clock))
    assert (later.value.seconds, later.value.everywhere) == (pytest.approx(60), False)


def late_reply(clock: ManualClock) -> Message:
    now, body = days.now(clock), {"message": {"content": "a"}}
    return Message(
        id="1", system="eventbot", kind="eventbot.reply", to="t", body=body, created_at=now, due_at=now, listed_at=now
    )


async def test_errors_are_typed(clock: ManualClock) -> None:
    rest = client(clock, Canned((403, {}, {"message": "Missing Permissions", "code": 50013})), [])
    with pytest.raises(Refused) as refused:
        await rest.edit("7", "8", {"content": "a"})
    assert refused.value.code == 50013
    with pytest.raises(Unavailable):
        await client(clock, Canned((503, {}, "no JSON")), []).post("7", {"content": "a"})


def test_routes_are_told_apart_as_discord_does() -> None:
    assert route_of("POST", "/channels/123456/messages") == ("POST /channels/:id/messages", "123456")
    assert route_of("PATCH", "/channels/123456/messages/777777")[0] == "PATCH /channels/:id/messages/:id"
    assert route_of("POST", "/webhooks/42/tok")[1] == "42/tok"
    assert route_of("POST", "/webhooks/42/tok")[0] == route_of("POST", "/webhooks/42/other")[0]


async def test_over_real_http(clock: ManualClock) -> None:
    async with http_server((200, limits(4, 5), {"id": "99"})) as server:
        http = Http()
        rest = Rest(over_http(http, server.url), "secret", "42", "https://example.com", clock)
        assert await rest.post("7", {"content": "こんにちは"}) == "99"
        http.close()
    received = server.received[0]
    assert received.path == "/channels/7/messages"
    assert received.headers["authorization"] == "Bot secret"
    assert received.headers["user-agent"].startswith("DiscordBot (https://example.com")
    assert received.json == {"content": "こんにちは"}
