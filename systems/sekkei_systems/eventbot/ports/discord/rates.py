"""Discord's rate limits as told by its headers: buckets by route and major parameter, and one limit for everything.

Waiting for a bucket keeps its order and holds up nobody who asks for another one.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from sekkei.clock import Clock
from sekkei_systems.eventbot.ports.discord.errors import RateLimited

GLOBAL_PER_SECOND = 50
WAIT_SECONDS_MAX = 2.0
"""A call waits this long for its turn; whoever can come back later is told to."""
WAITS_MAX = 3
BUCKETS_MAX = 5_000
_MAJOR = re.compile(r"^/(channels|guilds|webhooks)/([^/]+)(?:/([^/]+))?")
_ID = re.compile(r"(?<=/)\d{5,20}(?=/|$)")

Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class Bucket:
    """What Discord has said of one bucket."""

    remaining: int = 1
    reset_at: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def wait(self, now: float) -> float:
        return max(0.0, self.reset_at - now) if self.remaining <= 0 else 0.0


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
        self._buckets: dict[tuple[str, str], Bucket] = {}
        self._global_until = 0.0
        self._second, self._sent = 0, 0

    def bucket(self, route: str, major: str) -> Bucket:
        key = (self._names.get(route, route), major)
        found = self._buckets.get(key)
        if found is None:
            if len(self._buckets) >= BUCKETS_MAX:
                self._buckets.clear()
            found = self._buckets[key] = Bucket()
        return found

    async def turn(self, bucket: Bucket, exempt: bool) -> None:
        """Wait until a request may go out; raises RateLimited when that would take too long."""
        for attempt in range(WAITS_MAX + 1):
            now = self._clock.now()
            waits = [bucket.wait(now), 0.0 if exempt else self._global_wait(now)]
            if max(waits) <= 0:
                break
            if max(waits) > self._wait_max or attempt == WAITS_MAX:
                raise RateLimited(max(waits), "bucket" if waits[0] >= waits[1] else "global")
            await self._sleep(max(waits))
        bucket.remaining -= 1
        if not exempt:
            self._sent += 1

    def _global_wait(self, now: float) -> float:
        if now < self._global_until:
            return self._global_until - now
        if int(now) != self._second:
            self._second, self._sent = int(now), 0
        return 0.0 if self._sent < GLOBAL_PER_SECOND else self._second + 1 - now

    def learn(self, route: str, major: str, bucket: Bucket, headers: Mapping[str, str]) -> None:
        """Take in what an answer says about its bucket."""
        name = headers.get("x-ratelimit-bucket")
        if name and self._names.get(route) != name:
            self._names[route] = name
            self._buckets.setdefault((name, major), bucket)
        remaining, reset_after = headers.get("x-ratelimit-remaining"), headers.get("x-ratelimit-reset-after")
        if remaining is not None and reset_after is not None:
            bucket.remaining = int(remaining)
            bucket.reset_at = self._clock.now() + float(reset_after)
        else:
            bucket.remaining = 1  # a route without a limit

    def limited(self, bucket: Bucket, retry_after: float, everything: bool) -> None:
        """A 429 came: this bucket, or everything, stands still for a while."""
        until = self._clock.now() + retry_after
        if everything:
            self._global_until = until
            bucket.remaining = 1
        else:
            bucket.remaining, bucket.reset_at = 0, until
