"""Discord's REST client: rate limits, errors, and the wire itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from random import Random
from typing import Any

import orjson
import pytest

from sekkei.clock import Clock, ManualClock
from sekkei.runtime import days
from sekkei.runtime.design import Message
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import TryAgain, Undeliverable
from sekkei.worlds.chance import Dice
from sekkei.worlds.clock import WorldClock
from sekkei.worlds.loop import VirtualLoop
from sekkei_fakes.discord.discord import PER_WINDOW
from sekkei_systems.eventbot.demo.guild import RECRUIT
from sekkei_systems.eventbot.ports.discord.rest import (
    FIRST_SECONDS,
    LATE_SECONDS,
    OVER,
    RateLimited,
    Refused,
    Rest,
    RestAnswer,
    Unauthorised,
    Unavailable,
    over_http,
    route_of,
)
from sekkei_systems.eventbot.ports.transports import ToInteraction
from tests.runtime.servers import http_server
from tests.systems.eventbot.conftest import Bot

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
    now, body = days.now(clock), {"message": {"content": "a"}, "token": "t"}
    return Message(
        id="1", system="eventbot", kind="eventbot.reply", to="1", body=body, created_at=now, due_at=now, listed_at=now
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


# Discord's rates: none is exceeded, and nobody waits for a call of somebody else's that hangs.
#
# Told in time that moves on by itself.


WINDOW = 5.0
HANGS_SECONDS = 30.0
CHANNEL, ANOTHER, AND_ANOTHER = "910000000000000007", "910000000000000008", "910000000000000009"


def live(story: Callable[[Clock], Awaitable[None]]) -> None:
    loop = VirtualLoop()
    try:
        loop.run_until_complete(asyncio.ensure_future(story(WorldClock(loop, Dice("rates"))), loop=loop))
    finally:
        loop.close()


class Strict:
    """Counts as our own Discord does. What is posted as `hang` is counted, and answered half a minute later."""

    def __init__(self, clock: Clock, limit: int = PER_WINDOW) -> None:
        self.clock, self.limit = clock, limit
        self.statuses: list[int] = []
        self.said: list[str] = []
        self.most, self._under_way = 0, 0
        self._windows: dict[str, tuple[float, int]] = {}
        self.ways: dict[str, tuple[float, float]] = {}
        """Of some contents: how long they take there, and their answers back."""

    async def __call__(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> RestAnswer:
        content = orjson.loads(body)["content"]
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        try:
            there, back = self.ways.get(content, (0.04, 0.04))
            await self.on_the_way(there)
            answer = self._answer(path)
            self.said.append(content)
            await self.on_the_way(HANGS_SECONDS if content == "hang" else back)
            return answer
        finally:
            self._under_way -= 1

    async def on_the_way(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def _answer(self, path: str) -> RestAnswer:
        now = self.clock.now()
        started, used = self._windows.get(path, (now, 0))
        if now - started >= WINDOW:
            started, used = now, 0
        self._windows[path] = started, used + 1
        after = started + WINDOW - now
        fields = {
            "x-ratelimit-limit": str(self.limit),
            "x-ratelimit-remaining": str(max(0, self.limit - used - 1)),
            "x-ratelimit-reset-after": f"{after:.3f}",
            "x-ratelimit-bucket": "b",
        }
        self.statuses.append(200 if used < self.limit else 429)
        body: dict[str, Any] = {"id": "1"} if used < self.limit else {"retry_after": after, "global": False}
        return RestAnswer(self.statuses[-1], fields, orjson.dumps(body))


def rated_client(discord: Any, clock: Clock, wait_max: float = 60.0) -> Rest:
    return Rest(discord, "token", "42", "https://example.com", clock, asyncio.sleep, wait_max)


async def post(rest: Rest, content: object, channel: str = CHANNEL) -> str:
    return await rest.post(channel, {"content": str(content)})


def test_a_call_that_hangs_keeps_no_other_of_its_bucket_waiting() -> None:
    async def story(clock: Clock) -> None:
        discord = Strict(clock)
        rest = rated_client(discord, clock)
        await post(rest, "first")
        hung = asyncio.create_task(post(rest, "hang"))
        await asyncio.sleep(0.1)
        began = clock.now()
        await asyncio.gather(*(post(rest, number) for number in range(3)))
        assert clock.now() - began < 0.1
        await hung
        assert set(discord.statuses) == {200}

    live(story)


def test_nor_does_the_first_of_a_bucket_for_long() -> None:
    async def story(clock: Clock) -> None:
        discord = Strict(clock)
        rest = rated_client(discord, clock)
        hung = asyncio.create_task(post(rest, "hang"))
        began = clock.now()
        await asyncio.gather(*(post(rest, number) for number in range(3)))
        assert clock.now() - began < FIRST_SECONDS + 0.2
        await hung
        assert set(discord.statuses) == {200}

    live(story)


def test_one_that_hangs_over_the_end_of_its_window_takes_nothing_from_the_next() -> None:
    async def story(clock: Clock) -> None:
        discord = Strict(clock, limit=1)
        rest = rated_client(discord, clock, wait_max=0.0)
        await post(rest, "first")
        await asyncio.sleep(WINDOW)
        hung = asyncio.create_task(post(rest, "hang"))
        await asyncio.sleep(WINDOW + LATE_SECONDS)
        await post(rest, "next")
        await hung  # which says that nothing is left, of what is over
        await post(rest, "last")
        assert discord.statuses == [200] * 4

    live(story)


def test_until_something_is_known_of_a_bucket_its_calls_go_one_by_one() -> None:
    async def story(clock: Clock) -> None:
        discord = Strict(clock, limit=1)
        rest = rated_client(discord, clock, wait_max=0.0)
        done = await asyncio.gather(*(post(rest, number) for number in range(4)), return_exceptions=True)
        assert [type(one) for one in done] == [str, RateLimited, RateLimited, RateLimited]
        assert discord.statuses == [200]

    live(story)


def test_what_one_channel_tells_of_a_limit_is_known_of_the_others() -> None:
    async def story(clock: Clock) -> None:
        discord = Strict(clock)
        rest = rated_client(discord, clock)
        await post(rest, "first")
        await asyncio.gather(*(post(rest, number, ANOTHER) for number in range(2 * PER_WINDOW)))
        assert discord.most == PER_WINDOW
        assert set(discord.statuses) == {200}

    live(story)


def test_answers_that_overtake_each_other_cost_nothing() -> None:
    async def story(clock: Clock) -> None:
        discord = Strict(clock)
        discord.ways["late"] = (0.04, 0.5)
        rest, began = rated_client(discord, clock), clock.now()
        await post(rest, "first")
        late = asyncio.create_task(post(rest, "late"))
        for number in range(3):
            await post(rest, number)
        await late
        assert clock.now() - began < 1
        await post(rest, "next")
        assert clock.now() - began >= WINDOW
        assert set(discord.statuses) == {200}

    live(story)


def test_a_call_that_arrives_in_the_next_window_is_counted_there() -> None:
    async def story(clock: Clock) -> None:
        discord = Strict(clock, limit=2)
        discord.ways["late"] = (0.3, 0.04)
        rest = rated_client(discord, clock)
        await post(rest, "first")
        await asyncio.sleep(WINDOW - 0.05)
        late = asyncio.create_task(post(rest, "late"))
        await asyncio.sleep(0.1)
        await asyncio.gather(late, post(rest, "second"), post(rest, "third"))
        assert discord.statuses == [200] * 4

    live(story)


def test_what_tells_of_the_next_window_is_believed_before_this_one_is_over_here() -> None:
    async def story(clock: Clock) -> None:
        discord = Strict(clock, limit=2)
        discord.ways["first"] = (0.04, 0.5)  # by so much later the window seems to end
        rest, began = rated_client(discord, clock), clock.now()
        await post(rest, "first")
        await asyncio.sleep(began + WINDOW + 0.1 - clock.now())
        await post(rest, "second")
        await asyncio.sleep(0.5)
        await asyncio.gather(post(rest, "third"), post(rest, "fourth"))
        assert discord.statuses == [200] * 4

    live(story)


def test_an_answer_that_is_late_makes_no_window_longer() -> None:
    async def story(clock: Clock) -> None:
        discord = Strict(clock, limit=2)
        discord.ways["second"] = (0.04, 0.5)
        rest, began = rated_client(discord, clock), clock.now()
        for content in ("first", "second", "third"):
            await post(rest, content)
        assert clock.now() - began < WINDOW + 0.2
        assert discord.statuses == [200] * 3

    live(story)


def test_what_another_process_uses_is_not_there_for_this_one() -> None:
    async def story(clock: Clock) -> None:
        discord = Strict(clock)
        rest, other = rated_client(discord, clock, wait_max=0.0), rated_client(discord, clock)
        await post(rest, "first")
        await asyncio.gather(*(post(other, number) for number in range(3)))
        await post(rest, "last")
        with pytest.raises(RateLimited):
            await post(rest, "one more")
        assert discord.statuses == [200] * PER_WINDOW

    live(story)


def test_several_processes_are_refused_little() -> None:
    async def story(clock: Clock) -> None:
        discord = Strict(clock)
        processes = [rated_client(discord, clock) for _ in range(2)]
        posts = [post(rest, number) for rest in processes for number in range(40)]
        assert await asyncio.gather(*posts) == ["1"] * 80
        assert discord.statuses.count(429) < 20

    live(story)


def test_nor_does_one_that_hangs_hold_up_for_long_what_processes_share() -> None:
    async def story(clock: Clock) -> None:
        discord = Strict(clock)
        rest, other = rated_client(discord, clock), rated_client(discord, clock)
        await post(rest, "first")
        await post(other, "first")
        await post(rest, "second")  # which tells that another process is there
        hung = asyncio.create_task(post(rest, "hang"))
        await asyncio.sleep(0.1)
        began = clock.now()
        await post(rest, "last")
        assert 0.1 < clock.now() - began < FIRST_SECONDS + 0.1
        await hung
        assert discord.statuses == [200] * PER_WINDOW

    live(story)


class Winding(Strict):
    """Ways there and back take their time, and answers overtake each other; some are lost."""

    def __init__(self, clock: Clock, seed: int) -> None:
        super().__init__(clock, limit=1 + seed % PER_WINDOW)
        self._random, self.loses = Random(seed), 0.0

    async def on_the_way(self, seconds: float) -> None:
        await asyncio.sleep(self._random.random() * 0.4)
        if self._random.random() < self.loses:
            raise Unavailable("lost")


@pytest.mark.parametrize("seed", range(25))
def test_a_burst_exceeds_no_limit(seed: int) -> None:
    async def story(clock: Clock) -> None:
        discord = Winding(clock, seed)
        rest = rated_client(discord, clock)
        await post(rest, "first", AND_ANOTHER)
        discord.loses = 0.05
        for _ in range(3):
            posts = (post(rest, number, (CHANNEL, ANOTHER)[number % 2]) for number in range(40))
            await asyncio.gather(*posts, return_exceptions=True)
            await asyncio.sleep(discord.limit * 1.7)
        assert 429 not in discord.statuses
        assert len(discord.statuses) > 100
        assert discord.most >= 2 * discord.limit, "not as many at once as there may be"

    live(story)


async def test_our_own_strict_discord_refuses_nothing_of_a_burst(quick: Bot, clock: ManualClock) -> None:
    statuses: list[int] = []

    async def send(method: str, path: str, headers: Mapping[str, str], body: bytes) -> RestAnswer:
        answer = await quick.local.send(method, path, headers, body)
        statuses.append(answer.status)
        return answer

    async def sleep(seconds: float) -> None:
        clock.advance(seconds)

    rest = Rest(send, "local", quick.local.application_id, "https://example.com", clock, sleep, 60.0)
    await asyncio.gather(*(post(rest, number, RECRUIT) for number in range(23)))
    assert statuses == [200] * 23


def test_who_waits_keeps_their_order() -> None:
    async def story(clock: Clock) -> None:
        discord = Strict(clock, limit=2)
        rest, began = rated_client(discord, clock), clock.now()
        wanted = [str(number) for number in range(9)]
        await asyncio.gather(*(post(rest, one) for one in wanted))
        assert discord.said == wanted
        assert 4 * WINDOW <= clock.now() - began < 4 * WINDOW + 1

    live(story)


async def _nothing() -> None:
    return None


def test_what_was_not_sent_after_all_is_given_back() -> None:
    async def story(clock: Clock) -> None:
        discord = Strict(clock, limit=2)
        rest = rated_client(discord, clock, wait_max=0.0)
        await post(rest, "first")
        for _ in range(3):
            assert await rest.post_composed(CHANNEL, _nothing) is None
        await post(rest, "second")
        with pytest.raises(RateLimited):
            await post(rest, "third")
        assert discord.statuses == [200, 200]

    live(story)


def test_what_took_long_to_compose_counts_in_the_window_in_which_it_is_sent() -> None:
    async def slowly() -> dict[str, str]:
        await asyncio.sleep(WINDOW + 0.5)
        return {"content": "composed"}

    async def story(clock: Clock) -> None:
        discord = Strict(clock, limit=2)
        discord.ways |= {"second": (0.04, 1.5), "composed": (0.04, 1.5)}
        rest = rated_client(discord, clock)
        await post(rest, "first")
        composed = asyncio.create_task(rest.post_composed(CHANNEL, slowly))
        await asyncio.sleep(WINDOW + 0.1)
        second = asyncio.create_task(post(rest, "second"))
        await asyncio.sleep(0.5)
        assert discord.said == ["first", "second", "composed"]
        await asyncio.gather(composed, second, post(rest, "third"))
        assert discord.statuses == [200] * 4

    live(story)


def test_an_error_of_discords_says_nothing_of_a_limit() -> None:
    async def story(clock: Clock) -> None:
        discord, broken = Strict(clock, limit=1), [True]

        async def send(method: str, path: str, headers: Mapping[str, str], body: bytes) -> RestAnswer:
            return RestAnswer(502, {}, b"") if broken else await discord(method, path, headers, body)

        rest = rated_client(send, clock, wait_max=0.0)
        with pytest.raises(Unavailable):
            await post(rest, "first")
        broken.clear()
        done = await asyncio.gather(*(post(rest, number) for number in range(3)), return_exceptions=True)
        assert [type(one) for one in done] == [str, RateLimited, RateLimited]
        assert discord.statuses == [200]

    live(story)
