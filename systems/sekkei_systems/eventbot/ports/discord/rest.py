"""Discord's REST API v10, as far as the bot uses it: one method a route, errors typed, rate limits kept.

`send` is the way out: `over_http` for the real end, the local end otherwise. Neither knows of the other.
"""

from __future__ import annotations

import asyncio
import logging
import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any
from urllib.parse import quote

import orjson

from sekkei.clock import Clock
from sekkei.errors import NoAnswer
from sekkei.kit.retries import retry_after
from sekkei.runtime.http import Http

# What Discord's REST end answers when it does not do what was asked.
#
# DiscordError
# ├── RateLimited     429, or a bucket of ours that is empty for longer than one waits; `retry_after` says how long
# ├── Unavailable     no answer, or 5xx: try again later
# ├── Unauthorised    401: the token is wrong; nothing more is sent until the program starts anew
# └── Refused         4xx with Discord's own code: `unknown`, `forbidden` say what it means for the bot


class Code(IntEnum):
    """Discord's own code of a refusal."""

    UNKNOWN_CHANNEL = 10003
    UNKNOWN_GUILD = 10004
    UNKNOWN_MEMBER = 10007
    UNKNOWN_MESSAGE = 10008
    UNKNOWN_ROLE = 10011
    UNKNOWN_USER = 10013
    UNKNOWN_WEBHOOK = 10015
    UNKNOWN_INTERACTION = 10062
    UNKNOWN_SCHEDULED_EVENT = 10070
    TOO_MANY_SCHEDULED_EVENTS = 30038
    TOO_MANY_OLD_EDITS = 30046
    ALREADY_ACKNOWLEDGED = 40060
    MISSING_ACCESS = 50001
    NOT_OUR_MESSAGE = 50005
    EMPTY_MESSAGE = 50006
    CANNOT_DM = 50007
    MISSING_PERMISSION = 50013
    WRONG_CHANNEL_TYPE = 50024
    INVALID_TOKEN = 50027
    INVALID_RECIPIENT = 50033
    INVALID_FORM = 50035
    ARCHIVED_THREAD = 50083
    INVALID_JSON = 50109
    NO_MUTUAL_GUILD = 50278
    THREAD_EXISTS = 160004
    LOCKED_THREAD = 160005
    FINISHED_EVENT = 180000
    POWERFUL_ROLE = -1
    RAISED_ROLE = -2
    ROLE_ABOVE_BOT = -3
    """The last three are not Discord's but ours: a role with administrative permissions, one that stands above whoever
    chose it, and one that stands above the bot, which Discord does not tell from a missing permission."""


FORBIDDEN = frozenset(
    {
        Code.UNKNOWN_CHANNEL,
        Code.UNKNOWN_GUILD,
        Code.MISSING_ACCESS,
        Code.MISSING_PERMISSION,
        Code.CANNOT_DM,
        Code.ARCHIVED_THREAD,
        Code.LOCKED_THREAD,
    }
)
"""Somebody in the guild has to do something first; trying again alone does not help."""
LOST = frozenset({Code.UNKNOWN_MESSAGE, Code.NOT_OUR_MESSAGE})
"""The message is gone, or was never ours: post another."""
UNREACHABLE = frozenset({Code.UNKNOWN_USER, Code.CANNOT_DM, Code.INVALID_RECIPIENT, Code.NO_MUTUAL_GUILD})
"""Somebody takes no direct messages, or is nobody any more."""
NOT_HERE = frozenset({Code.UNKNOWN_GUILD, Code.UNKNOWN_MEMBER, Code.MISSING_ACCESS})
"""Somebody has left the guild, or the bot was thrown out of it."""
OVER = frozenset({Code.UNKNOWN_WEBHOOK, Code.UNKNOWN_INTERACTION, Code.INVALID_TOKEN, Code.ALREADY_ACKNOWLEDGED})
"""An interaction that can no longer be answered."""


class DiscordError(Exception):
    """Any of them."""


class RateLimited(DiscordError):
    def __init__(self, retry_after: float, scope: str) -> None:
        super().__init__(f"rate limited ({scope}) for {retry_after:.1f} s")
        self.retry_after, self.scope = retry_after, scope


class Unavailable(DiscordError):
    """Nobody answered, or something broke over there."""


class Unauthorised(DiscordError):
    """The bot's token is not accepted."""


class Refused(DiscordError):
    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(f"{status} ({code}): {message}")
        self.status, self.code, self.message = status, code, message


# Discord's rate limits as told by its headers: buckets by route and major parameter, and one limit for everything.
#
# Of one bucket as many calls are under way at once as Discord lets through, so that one that hangs keeps no other
# waiting. Who has to wait keeps their order, and holds up nobody who asks for another bucket.


GLOBAL_PER_SECOND = 50
WAIT_SECONDS_MAX = 2.0
"""A call waits this long for its turn; whoever can come back later is told to."""
_WAITS_MAX = 3
FIRST_SECONDS = 0.5
"""Nothing is known of a bucket, or of how long its window is, before the first answer: that is waited for, and no
longer than this."""
LATE_SECONDS = 2.0
"""A call that has been under way for less than this when a window ends may be counted in the next one."""
_BUCKETS_MAX = 5_000
_MAJOR = re.compile(r"^/(channels|guilds|webhooks)/([^/]+)(?:/([^/]+))?")
_ID = re.compile(r"(?<=/)\d{5,20}(?=/|$)")

_Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Told:
    """What the headers of one answer say; `after` are the seconds until the window ends."""

    limit: int | None
    left: int
    after: float


@dataclass(slots=True, eq=False)
class _Turn:
    """One of what a bucket has left, reserved for a call until it ends."""

    bucket: _Bucket
    window: int
    sent_at: float
    sent: bool = False


@dataclass(slots=True)
class _Bucket:
    """What is known of one bucket. It is counted here as calls go out, and put right by what Discord answers."""

    limit: float | None = None
    """None before Discord has said something."""
    left: float = 0
    """In this window, without what is under way."""
    resets_at: float = 0.0
    told: bool = False
    """Whether Discord has said when this window ends; until then it is thought to be as long as others were."""
    seconds: float = 0.0
    blocked_until: float = 0.0
    """By a 429."""
    shared: bool = False
    """Another process uses it too: here calls go one by one, so that what is left is known before each."""
    window: int = 0
    under_way: list[_Turn] = field(default_factory=list)
    gate: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while one waits for its turn, and never while Discord is asked."""
    heard: asyncio.Event = field(default_factory=asyncio.Event)

    def wait(self, now: float) -> float:
        self._go_on(now)
        empty = self.limit is not None and self.left <= 0
        return max(0.0, self.blocked_until - now, self.resets_at - now if empty else 0.0)

    def has_to_be_told(self, now: float) -> bool:
        """The answer to what is under way will say more."""
        unknown = self.limit is None or (not self.told and self.wait(now) > 0)
        return bool(self.under_way) and (unknown or self.shared)

    def reserve(self, now: float) -> _Turn:
        turn = _Turn(self, self.window, now)
        self._spend(now)
        self.under_way.append(turn)
        self.heard.clear()
        return turn

    def go(self, turn: _Turn, now: float) -> None:
        """It is sent now; what it was reserved from may be over."""
        self._go_on(now)
        if turn.window != self.window:
            turn.window = self.window
            self._spend(now)
        turn.sent, turn.sent_at = True, now

    def end(self, turn: _Turn) -> None:
        """Answered or not. What was never sent is given back."""
        self.under_way.remove(turn)
        if not turn.sent and turn.window == self.window:
            self.left += 1
        self.heard.set()

    def hear(self, turn: _Turn, told: _Told, now: float) -> None:
        """Take in an answer. Several may come in any order, and what else is under way may not be counted in them."""
        self._go_on(now)
        if turn.window != self.window:
            return  # it hung, and speaks of what is over
        others = sum(one.window == self.window for one in self.under_way if one is not turn)
        left: float = told.left - others
        resets_at = now + told.after
        later = self.told and turn.sent_at + told.after > self.resets_at  # it is of the next window
        if self.limit is not None and not later:
            self.shared = self.shared or told.left < self.left
            left = left if told.left < self.left else self.left
            if self.told:
                resets_at = min(self.resets_at, resets_at)
        self.left, self.resets_at, self.told = left, resets_at, True
        self.limit = max(told.left + 1, self.limit or 0) if told.limit is None else told.limit
        self.seconds = max(self.seconds, told.after)

    def is_free(self) -> None:
        """A route without a limit."""
        if self.limit is None:
            self.limit = self.left = self.resets_at = math.inf

    def _spend(self, now: float) -> None:
        self.left -= 1
        if self.limit is not None and not self.told:
            self.resets_at = max(self.resets_at, now + self.seconds + LATE_SECONDS)  # it begins when this arrives

    def _go_on(self, now: float) -> None:
        """To the next window, if this one is over."""
        if self.limit is None or now < self.resets_at:
            return
        self.window += 1
        late = [turn for turn in self.under_way if now - turn.sent_at < LATE_SECONDS]
        for turn in late:
            turn.window = self.window
        # When the next one ends is seen when something is sent in it.
        self.left, self.told, self.resets_at = self.limit - len(late), False, now


def route_of(method: str, path: str) -> tuple[str, str]:
    """The route as rate limits see it, without ids, and its major parameter."""
    bare = path.partition("?")[0]
    found = _MAJOR.match(bare)
    major = ""
    if found is not None:
        # A webhook is limited by its id and token together.
        major = "/".join(part for part in found.groups()[1 : 3 if found[1] == "webhooks" else 2] if part)
    shape = re.sub(r"^/webhooks/[^/]+/[^/]+", "/webhooks/:id/:token", bare)
    return f"{method} {_ID.sub(':id', shape)}", major


class _Rates:
    """All buckets of one bot."""

    def __init__(self, clock: Clock, sleep: _Sleep = asyncio.sleep, wait_max: float = WAIT_SECONDS_MAX) -> None:
        self._clock, self._sleep, self._wait_max = clock, sleep, wait_max
        self._names: dict[str, str] = {}
        self._limits: dict[str, tuple[float, float]] = {}
        """By name: how many, in how many seconds. They are the same whatever the major parameter."""
        self._buckets: dict[tuple[str, str], _Bucket] = {}
        self._global_until = 0.0
        self._second, self._sent = 0, 0

    def bucket(self, route: str, major: str) -> _Bucket:
        name = self._names.get(route, route)
        found = self._buckets.get((name, major))
        if found is None:
            if len(self._buckets) >= _BUCKETS_MAX:
                self._buckets.clear()
            limit, seconds = self._limits.get(name, (None, 0.0))
            found = self._buckets[name, major] = _Bucket(limit, seconds=seconds)
        return found

    async def turn(self, bucket: _Bucket, exempt: bool) -> _Turn:
        """Wait until a request may go out; raises RateLimited when that would take too long. Whoever has a turn says
        when it `goes`, and when it `ends`."""
        async with bucket.gate:
            if bucket.has_to_be_told(self._clock.now()):
                with suppress(TimeoutError):
                    async with asyncio.timeout(FIRST_SECONDS):
                        await bucket.heard.wait()
            for attempt in range(_WAITS_MAX + 1):
                now = self._clock.now()
                waits = [bucket.wait(now), 0.0 if exempt else self._global_wait(now)]
                if max(waits) <= 0:
                    break
                if max(waits) > self._wait_max or attempt == _WAITS_MAX:
                    raise RateLimited(max(waits), "bucket" if waits[0] >= waits[1] else "global")
                await self._sleep(max(waits))
            if not exempt:
                self._sent += 1
            return bucket.reserve(now)

    def goes(self, turn: _Turn) -> None:
        turn.bucket.go(turn, self._clock.now())

    def ends(self, turn: _Turn) -> None:
        turn.bucket.end(turn)

    def _global_wait(self, now: float) -> float:
        if now < self._global_until:
            return self._global_until - now
        if int(now) != self._second:
            self._second, self._sent = int(now), 0
        return 0.0 if self._sent < GLOBAL_PER_SECOND else self._second + 1 - now

    def learn(self, route: str, major: str, turn: _Turn, headers: Mapping[str, str], done: bool) -> None:
        """Take in what an answer says about its bucket; one to what was `done` says so where there is no limit."""
        bucket, told = turn.bucket, _told(headers)
        name = headers.get("x-ratelimit-bucket")
        if name:
            self._names[route] = name
            bucket = self._buckets.setdefault((name, major), bucket)
        if told is None:
            if done:
                bucket.is_free()
            return
        if bucket is not turn.bucket:  # another route has the same one
            turn.window = bucket.window
        bucket.hear(turn, told, self._clock.now())
        if name and bucket.limit is not None:
            self._limits[name] = (bucket.limit, bucket.seconds)

    def limited(self, turn: _Turn, retry_after: float, everything: bool) -> None:
        """A 429 came: this bucket, or everything, stands still for a while."""
        until = self._clock.now() + retry_after
        if everything:
            self._global_until = until
        else:
            turn.bucket.blocked_until, turn.bucket.shared = until, True


def _told(headers: Mapping[str, str]) -> _Told | None:
    left, after = headers.get("x-ratelimit-remaining"), headers.get("x-ratelimit-reset-after")
    if left is None or after is None:
        return None
    limit = headers.get("x-ratelimit-limit")
    return _Told(None if limit is None else int(limit), int(left), float(after))


API_URL = "https://discord.com/api/v10"
_TRIES_MAX = 3
_UNTOLD_SECONDS = 1.0
"""The pause after a 429 that names none."""
log = logging.getLogger("sekkei_systems.eventbot.ports.discord")

Payload = Mapping[str, Any]
_Compose = Callable[[], Awaitable[Payload | None]]
"""Makes a message when its turn has come, of what is true by then; None where nothing is to be said any more."""


@dataclass(frozen=True, slots=True)
class RestAnswer:
    """Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Send = Callable[[str, str, Mapping[str, str], bytes], Awaitable[RestAnswer]]
"""Method, path below the API's address, headers, body."""


def over_http(http: Http, url: str = API_URL) -> Send:
    async def send(method: str, path: str, headers: Mapping[str, str], body: bytes) -> RestAnswer:
        try:
            answer = await http.request(method, url + path, headers=headers, body=body)
        except NoAnswer as error:
            raise Unavailable(str(error)) from error
        fields = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in answer.headers.items()}
        return RestAnswer(answer.status, fields, answer.body)

    return send


class Rest:
    """One bot's client. `application_id` stands in routes of commands and follow-ups; `url` says whose bot it is."""

    def __init__(
        self,
        send: Send,
        token: str,
        application_id: str,
        url: str,
        clock: Clock,
        sleep: _Sleep = asyncio.sleep,
        wait_max: float = WAIT_SECONDS_MAX,
    ) -> None:
        self.application_id = application_id
        self._send = send
        self.agent = f"DiscordBot ({url}, 0.1)"
        self._headers = {
            "Authorization": f"Bot {token}",
            "User-Agent": self.agent,
            "Accept": "application/json",
        }
        self._clock = clock
        self._rates = _Rates(clock, sleep, wait_max)
        self._halted = False

    # Messages

    async def post(self, channel_id: str, message: Payload) -> str:
        """Post a message; returns its id."""
        made = await self.call("POST", f"/channels/{channel_id}/messages", message)
        return str(made["id"])

    async def post_composed(self, channel_id: str, compose: _Compose) -> str | None:
        """The same with one that is made at the last moment, after every wait for its turn."""
        made = await self.call("POST", f"/channels/{channel_id}/messages", compose=compose)
        return None if made is None else str(made["id"])

    async def edit(self, channel_id: str, message_id: str, message: Payload) -> None:
        await self.call("PATCH", f"/channels/{channel_id}/messages/{message_id}", message)

    async def delete(self, channel_id: str, message_id: str) -> None:
        await self.call("DELETE", f"/channels/{channel_id}/messages/{message_id}")

    async def direct_channel(self, user_id: str) -> str:
        """The channel for a direct message."""
        return str((await self.call("POST", "/users/@me/channels", {"recipient_id": user_id}))["id"])

    # Answers to interactions, with the interaction's own token

    async def follow_up(self, token: str, message: Payload) -> str:
        path = f"/webhooks/{self.application_id}/{token}?wait=true"
        return str((await self.call("POST", path, message, exempt=True))["id"])

    async def edit_original(self, token: str, message: Payload) -> None:
        path = f"/webhooks/{self.application_id}/{token}/messages/@original"
        await self.call("PATCH", path, message, exempt=True)

    # What surrounds an event

    async def start_thread(self, channel_id: str, message_id: str, name: str) -> str:
        content = {"name": name[:100], "auto_archive_duration": 10080}
        made = await self.call("POST", f"/channels/{channel_id}/messages/{message_id}/threads", content)
        return str(made["id"])

    async def guild(self, guild_id: str) -> dict[str, Any]:
        """Its name, owner and roles."""
        found: dict[str, Any] = await self.call("GET", f"/guilds/{guild_id}")
        return found

    async def channels(self, guild_id: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = await self.call("GET", f"/guilds/{guild_id}/channels")
        return found

    async def member(self, guild_id: str, user_id: str) -> dict[str, Any]:
        found: dict[str, Any] = await self.call("GET", f"/guilds/{guild_id}/members/{user_id}")
        return found

    async def search_members(self, guild_id: str, text: str) -> list[dict[str, Any]]:
        """Those whose user name or nickname begins so."""
        path = f"/guilds/{guild_id}/members/search?query={quote(text[:100], safe='')}&limit=10"
        found: list[dict[str, Any]] = await self.call("GET", path)
        return found

    async def give_role(self, guild_id: str, user_id: str, role_id: str) -> None:
        await self.call("PUT", f"/guilds/{guild_id}/members/{user_id}/roles/{role_id}")

    async def take_role(self, guild_id: str, user_id: str, role_id: str) -> None:
        await self.call("DELETE", f"/guilds/{guild_id}/members/{user_id}/roles/{role_id}")

    async def scheduled_events(self, guild_id: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = await self.call("GET", f"/guilds/{guild_id}/scheduled-events")
        return found

    async def make_scheduled_event(self, guild_id: str, event: Payload) -> str:
        return str((await self.call("POST", f"/guilds/{guild_id}/scheduled-events", event))["id"])

    async def edit_scheduled_event(self, guild_id: str, id: str, event: Payload) -> None:
        await self.call("PATCH", f"/guilds/{guild_id}/scheduled-events/{id}", event)

    async def delete_scheduled_event(self, guild_id: str, id: str) -> None:
        await self.call("DELETE", f"/guilds/{guild_id}/scheduled-events/{id}")

    # Commands

    async def overwrite_commands(self, commands: Sequence[Payload], guild_id: str | None = None) -> list[Any]:
        """Replace all commands, everywhere or in one guild (where it takes effect at once)."""
        where = f"/guilds/{guild_id}" if guild_id else ""
        made: list[Any] = await self.call("PUT", f"/applications/{self.application_id}{where}/commands", commands)
        return made

    async def call(
        self, method: str, path: str, content: Any = None, *, exempt: bool = False, compose: _Compose | None = None
    ) -> Any:
        """One request, in its turn. `exempt`: interactions are not under the limit for everything."""
        route, major = route_of(method, path)
        bucket = self._rates.bucket(route, major)
        for _ in range(_TRIES_MAX):
            self._must_not_be_halted()
            turn = await self._rates.turn(bucket, exempt)
            try:
                if compose is not None and (content := await compose()) is None:
                    return None
                self._must_not_be_halted()
                self._rates.goes(turn)
                answer = await self._sent(method, path, content)
                if answer.status != 429:
                    self._rates.learn(route, major, turn, answer.headers, answer.status < 300)
                    return self._result(answer, exempt)
                limited = _limited(answer, self._clock.now())
                self._rates.limited(turn, limited.retry_after, limited.scope == "global")
            finally:
                self._rates.ends(turn)
            log.warning("rate limited by Discord", extra={"route": route, "retry_after": limited.retry_after})
        raise limited

    def _must_not_be_halted(self) -> None:
        if self._halted:
            raise Unauthorised("Discord refused the token before; nothing is sent until the bot is started anew")

    async def _sent(self, method: str, path: str, content: Any) -> RestAnswer:
        body = b"" if content is None else orjson.dumps(content)
        headers = {**self._headers, "Content-Type": "application/json"} if body else self._headers
        return await self._send(method, path, headers, body)

    def _result(self, answer: RestAnswer, for_interaction: bool) -> Any:
        if 200 <= answer.status < 300:
            return orjson.loads(answer.body) if answer.body else None
        if answer.status >= 500:
            raise Unavailable(f"Discord answered {answer.status}")
        found = _json(answer.body)
        if answer.status == 401 and for_interaction:
            # The interaction's own token is over; that says nothing of the bot's.
            raise Refused(401, Code.INVALID_TOKEN, str(found.get("message", ""))[:300])
        if answer.status == 401:
            self._halted = True
            raise Unauthorised("Discord does not accept the token")
        raise Refused(answer.status, int(found.get("code") or 0), str(found.get("message", ""))[:300])


def _limited(answer: RestAnswer, now: float) -> RateLimited:
    found = _json(answer.body)
    asked = retry_after(found.get("retry_after", answer.headers.get("retry-after")), now)
    everything = found.get("global") is True or "x-ratelimit-global" in answer.headers
    return RateLimited(
        _UNTOLD_SECONDS if asked is None else asked,
        "global" if everything else answer.headers.get("x-ratelimit-scope", "user"),
    )


def _json(body: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}
