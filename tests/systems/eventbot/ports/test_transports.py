"""What goes out is true when it goes out, however long it had to wait for its turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.runtime import days
from sekkei.runtime.design import Message
from sekkei_systems.eventbot.ports.discord.rest import Rest, RestAnswer
from sekkei_systems.eventbot.ports.transports import UNTRUE, Calls, Directs

CHANNEL = "920000000000000001"
USERS = ["930000000000000001", "930000000000000002"]


class Waiting:
    """A Discord of which every other call has to wait; people act while it does."""

    def __init__(self, clock: ManualClock, meanwhile: list[str] | None) -> None:
        self.clock, self.concerned, self.meanwhile = clock, list[str](USERS), meanwhile
        self.posted: list[dict[str, Any]] = []
        self.waited = 0

    async def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> RestAnswer:
        if path.endswith("/messages"):
            self.posted.append(orjson.loads(body))
        fields = {"x-ratelimit-limit": "1", "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "1.5"}
        return RestAnswer(200, fields, orjson.dumps({"id": CHANNEL}))

    async def sleep(self, seconds: float) -> None:
        self.waited += 1
        self.clock.advance(seconds)
        if self.meanwhile is None:
            self.concerned = None  # type: ignore[assignment]
        else:
            self.concerned = self.meanwhile

    async def judge(self, about: Mapping[str, Any], people: Sequence[str]) -> list[str] | None:
        return None if self.concerned is None else [one for one in people if one in self.concerned]

    def rest(self) -> Rest:
        return Rest(self.send, "token", "42", "https://example.com", self.clock, self.sleep)


async def _nobody(*_: str) -> None:
    raise AssertionError("there is no trouble")


class NoOutbox:
    async def put(self, *_: Any, **__: Any) -> bool:
        raise AssertionError("nothing is left to be sent")


def message(clock: ManualClock, kind: str, body: dict[str, Any]) -> Message:
    now, body = days.now(clock), {**body, "about": {"guild_id": "1", "event_id": "2"}, "guild_id": "1"}
    return Message(
        id="eventbot/a", system="eventbot", kind=kind, to=CHANNEL, body=body, created_at=now, due_at=now, listed_at=now
    )


async def call(discord: Waiting, rest: Rest) -> str:
    calls = Calls(rest, NoOutbox(), _nobody, discord.judge)  # type: ignore[arg-type]
    content = {"content": "\n".join(["空き", " ".join(f"<@{one}>" for one in USERS)])}
    body = {"calls": [{**content, "allowed_mentions": {"users": USERS}}]}
    return await calls.send(message(discord.clock, "eventbot.call", body))


async def direct(discord: Waiting, rest: Rest) -> str:
    directs = Directs(rest, NoOutbox(), _nobody, discord.judge)  # type: ignore[arg-type]
    body = {"users": USERS[:1], "message": {"content": "まもなく"}}
    return await directs.send(message(discord.clock, "eventbot.direct", body))


@pytest.mark.parametrize("way", [call, direct])
async def test_what_became_untrue_while_it_waited_for_its_turn_is_not_sent(
    clock: ManualClock, way: Callable[[Waiting, Rest], Awaitable[str]]
) -> None:
    discord = Waiting(clock, meanwhile=None)
    rest = discord.rest()
    await rest.post(CHANNEL, {"content": "before"})
    assert await way(discord, rest) == UNTRUE
    assert discord.waited
    assert [one["content"] for one in discord.posted] == ["before"]


@pytest.mark.parametrize(("way", "left"), [(call, USERS[1:]), (direct, USERS[1:])])
async def test_whoever_left_while_it_waited_is_not_rung(
    clock: ManualClock, way: Callable[[Waiting, Rest], Awaitable[str]], left: list[str]
) -> None:
    discord = Waiting(clock, meanwhile=left)
    rest = discord.rest()
    await rest.post(CHANNEL, {"content": "before"})
    await way(discord, rest)
    assert discord.waited
    assert [one.get("allowed_mentions") for one in discord.posted[1:]] == ([{"users": left}] if way is call else [])
