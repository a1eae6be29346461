"""Discord's rate limits as told by its headers: buckets by route and major parameter, and one limit for everything.

Of one bucket as many calls are under way at once as Discord lets through, so that one that hangs keeps no other
waiting. Who has to wait keeps their order, and holds up nobody who asks for another bucket.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from sekkei.clock import Clock
from sekkei_systems.eventbot.ports.discord.errors import RateLimited

GLOBAL_PER_SECOND = 50
WAIT_SECONDS_MAX = 2.0
"""A call waits this long for its turn; whoever can come back later is told to."""
WAITS_MAX = 3
FIRST_SECONDS = 0.5
"""Nothing is known of a bucket, or of how long its window is, before the first answer: that is waited for, and no
longer than this."""
LATE_SECONDS = 2.0
"""A call that has been under way for less than this when a window ends may be counted in the next one."""
BUCKETS_MAX = 5_000
_MAJOR = re.compile(r"^/(channels|guilds|webhooks)/([^/]+)(?:/([^/]+))?")
_ID = re.compile(r"(?<=/)\d{5,20}(?=/|$)")

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Told:
    """What the headers of one answer say; `after` are the seconds until the window ends."""

    limit: int | None
    left: int
    after: float


@dataclass(slots=True, eq=False)
class Turn:
    """One of what a bucket has left, reserved for a call until it ends."""

    bucket: Bucket
    window: int
    sent_at: float
    sent: bool = False


@dataclass(slots=True)
class Bucket:
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
    under_way: list[Turn] = field(default_factory=list)
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

    def reserve(self, now: float) -> Turn:
        turn = Turn(self, self.window, now)
        self._spend(now)
        self.under_way.append(turn)
        self.heard.clear()
        return turn

    def go(self, turn: Turn, now: float) -> None:
        """It is sent now; what it was reserved from may be over."""
        self._go_on(now)
        if turn.window != self.window:
            turn.window = self.window
            self._spend(now)
        turn.sent, turn.sent_at = True, now

    def end(self, turn: Turn) -> None:
        """Answered or not. What was never sent is given back."""
        self.under_way.remove(turn)
        if not turn.sent and turn.window == self.window:
            self.left += 1
        self.heard.set()

    def hear(self, turn: Turn, told: Told, now: float) -> None:
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


class Rates:
    """All buckets of one bot."""

    def __init__(self, clock: Clock, sleep: Sleep = asyncio.sleep, wait_max: float = WAIT_SECONDS_MAX) -> None:
        self._clock, self._sleep, self._wait_max = clock, sleep, wait_max
        self._names: dict[str, str] = {}
        self._limits: dict[str, tuple[float, float]] = {}
        """By name: how many, in how many seconds. They are the same whatever the major parameter."""
        self._buckets: dict[tuple[str, str], Bucket] = {}
        self._global_until = 0.0
        self._second, self._sent = 0, 0

    def bucket(self, route: str, major: str) -> Bucket:
        name = self._names.get(route, route)
        found = self._buckets.get((name, major))
        if found is None:
            if len(self._buckets) >= BUCKETS_MAX:
                self._buckets.clear()
            limit, seconds = self._limits.get(name, (None, 0.0))
            found = self._buckets[name, major] = Bucket(limit, seconds=seconds)
        return found

    async def turn(self, bucket: Bucket, exempt: bool) -> Turn:
        """Wait until a request may go out; raises RateLimited when that would take too long. Whoever has a turn says
        when it `goes`, and when it `ends`."""
        async with bucket.gate:
            if bucket.has_to_be_told(self._clock.now()):
                with suppress(TimeoutError):
                    async with asyncio.timeout(FIRST_SECONDS):
                        await bucket.heard.wait()
            for attempt in range(WAITS_MAX + 1):
                now = self._clock.now()
                waits = [bucket.wait(now), 0.0 if exempt else self._global_wait(now)]
                if max(waits) <= 0:
                    break
                if max(waits) > self._wait_max or attempt == WAITS_MAX:
                    raise RateLimited(max(waits), "bucket" if waits[0] >= waits[1] else "global")
                await self._sleep(max(waits))
            if not exempt:
                self._sent += 1
            return bucket.reserve(now)

    def goes(self, turn: Turn) -> None:
        turn.bucket.go(turn, self._clock.now())

    def ends(self, turn: Turn) -> None:
        turn.bucket.end(turn)

    def _global_wait(self, now: float) -> float:
        if now < self._global_until:
            return self._global_until - now
        if int(now) != self._second:
            self._second, self._sent = int(now), 0
        return 0.0 if self._sent < GLOBAL_PER_SECOND else self._second + 1 - now

    def learn(self, route: str, major: str, turn: Turn, headers: Mapping[str, str], done: bool) -> None:
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

    def limited(self, turn: Turn, retry_after: float, everything: bool) -> None:
        """A 429 came: this bucket, or everything, stands still for a while."""
        until = self._clock.now() + retry_after
        if everything:
            self._global_until = until
        else:
            turn.bucket.blocked_until, turn.bucket.shared = until, True


def _told(headers: Mapping[str, str]) -> Told | None:
    left, after = headers.get("x-ratelimit-remaining"), headers.get("x-ratelimit-reset-after")
    if left is None or after is None:
        return None
    limit = headers.get("x-ratelimit-limit")
    return Told(None if limit is None else int(limit), int(left), float(after))
