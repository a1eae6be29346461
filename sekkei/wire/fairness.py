"""A connection that sends many requests is answered some at a time, so that other connections come in between.

A small read's first request is answered at once: a client that waits for its answers is never kept waiting here. The
requests behind it, and the content of a large read, share a few milliseconds of each iteration of the event loop, all
connections together; the rest goes on in the next iteration, one connection's share after the other.
"""

from __future__ import annotations

import asyncio
from collections import deque
from time import perf_counter
from typing import Protocol

ITERATION_SECONDS = 0.004
"""What all connections together have of one iteration of the loop."""
_SHARE_SECONDS = 0.001
"""What one connection has of it while others wait."""


class Waiting(Protocol):
    def go_on(self) -> None:
        """Answer at least one more request; see `Fairness.is_over`."""
        ...


class Fairness:
    """The connections that wait for their shares of an event loop."""

    def __init__(self) -> None:
        self._waiting: deque[Waiting] = deque()
        self._has_begun = False
        self._until = 0.0

    def is_over(self) -> bool:
        """Whether a connection that was answered in this iteration should `wait` for the next."""
        if not self._has_begun:
            self._begin()
            self._until = perf_counter() + ITERATION_SECONDS
        return perf_counter() > self._until

    def wait(self, connection: Waiting) -> None:
        """Let the connection `go_on` in the next iteration."""
        self._waiting.append(connection)
        if not self._has_begun:
            self._begin()

    def _begin(self) -> None:
        self._has_begun = True
        asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        end = perf_counter() + ITERATION_SECONDS
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
