"""Who asks for much at once is answered some of it at a time, so that the requests of others come in between.

A small read's first request is answered at once: a client that waits for its answers is never kept waiting here. What
comes behind it, and whatever comes in a large read, has a few milliseconds in each turn of the event loop, all
connections together; the rest goes on in the next turn, everybody's share one after the other.
"""

from __future__ import annotations

import asyncio
from collections import deque
from time import perf_counter
from typing import Protocol

TURN_SECONDS = 0.004
"""For all of them, in one turn of the loop."""
_SHARE_SECONDS = 0.001
"""For one of them, when others wait as well."""


class Waiting(Protocol):
    def go_on(self) -> None:
        """At least one request further; see `Turns.is_over`."""
        ...


class Turns:
    def __init__(self) -> None:
        self._waiting: deque[Waiting] = deque()
        self._has_begun = False
        self._until = 0.0

    def is_over(self) -> bool:
        """Whether whoever has been answered in this turn of the loop should `wait` for the next."""
        if not self._has_begun:
            self._begin()
            self._until = perf_counter() + TURN_SECONDS
        return perf_counter() > self._until

    def wait(self, connection: Waiting) -> None:
        """It will `go_on`."""
        self._waiting.append(connection)
        if not self._has_begun:
            self._begin()

    def _begin(self) -> None:
        self._has_begun = True
        asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        end = perf_counter() + TURN_SECONDS
        served = len(self._waiting)
        while served:
            served -= 1
            self._until = min(end, perf_counter() + _SHARE_SECONDS) if self._waiting else end
            self._waiting.popleft().go_on()
            if perf_counter() > end:
                break
        self._has_begun = False
        if self._waiting:
            self._begin()
            self._until = end
