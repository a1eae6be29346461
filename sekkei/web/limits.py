"""How often somebody may ask: a bucket of tokens for everyone, refilled at a steady rate.

The buckets are in this process's memory, a bounded number of them. With several processes each allows the full rate, so
that a flood spread over N of them gets N times as far: enough against guessing and flooding. What must be exact
(attempts at a code) is counted in the store; a limit for all processes together belongs into the proxy before them.

IPv6 gives a household 2^64 addresses, so these are counted by their first 64 bits.
"""

from __future__ import annotations

import ipaddress
import math
from collections import OrderedDict
from dataclasses import dataclass

from starlette.requests import Request

from sekkei.clock import Clock
from sekkei.runtime.refusals import TooMany

BUCKETS_MAX = 50_000


@dataclass(frozen=True, slots=True)
class Rate:
    """So many at once, and so many a second in the long run."""

    burst: float
    per_second: float

    @staticmethod
    def per_hour(count: int) -> Rate:
        return Rate(count, count / 3600)

    @staticmethod
    def per_minute(count: int) -> Rate:
        return Rate(count, count / 60)


READS = Rate(burst=400, per_second=100)
WRITES = Rate(burst=120, per_second=20)
SHARED = Rate(burst=5_000, per_second=1_000)
"""From one address by people who are signed in: each has a bucket of their own, and many may share an address."""
WEBHOOKS = Rate(burst=5_000, per_second=2_000)
"""One provider speaks for all its users from a few addresses, and takes a refusal for a failure of ours."""


class Limits:
    """Buckets by key; the ones not used for longest are forgotten first."""

    def __init__(self, clock: Clock, *, on: bool = True) -> None:
        self._clock = clock
        self._on = on
        self._buckets: OrderedDict[tuple[Rate, tuple[str, ...]], tuple[float, float]] = OrderedDict()

    def take(self, rate: Rate, *key: str) -> None:
        """Take one token; raises TooMany, which says when the next one is there."""
        if not self._on:
            return
        now = self._clock.now()
        bucket = (rate, tuple(map(counted_as, key)))  # reads must not use up what somebody may write
        tokens, filled = self._buckets.pop(bucket, (rate.burst, now))
        # A clock that was set back must not lock anybody out.
        tokens = min(rate.burst, tokens + max(0.0, now - filled) * rate.per_second)
        if tokens < 1:
            self._buckets[bucket] = (tokens, now)
            raise TooMany(math.ceil((1 - tokens) / rate.per_second))
        self._buckets[bucket] = (tokens - 1, now)
        if len(self._buckets) > BUCKETS_MAX:
            self._buckets.popitem(last=False)

    def give_back(self, rate: Rate, *key: str) -> None:
        """What was taken turned out to be no guess."""
        bucket = (rate, tuple(map(counted_as, key)))
        if bucket in self._buckets:
            tokens, filled = self._buckets[bucket]
            self._buckets[bucket] = (tokens + 1, filled)


def limit(request: Request, rate: Rate, *key: str) -> None:
    """`limit(request, Rate.per_minute(10), "export")`: for this person, or this address when nobody is signed in."""
    who = request.state.user.id if request.state.user else address(request)
    request.app.state.shell.limits.take(rate, who, *key)


def address(request: Request) -> str:
    return request.client.host if request.client else "unknown"


def counted_as(who: str) -> str:
    """All addresses that one household or machine has at will are one; whatever else is given stays as it is."""
    if ":" not in who:
        return who
    try:
        found = ipaddress.IPv6Address(who.partition("%")[0])
    except ValueError:
        return who
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((found, 64), strict=False))
