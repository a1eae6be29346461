"""Answers on their way out: how many bytes all connections keep for slow clients, and when the answers are sent.

The server does no further work for a connection that does not read, but the answer that it left may have 16 MB. When
all of them together are too many, connections that have taken nothing for a while are cut off, the longest idle first;
until there is room again, requests wait whose answers may be large.

The answers of one iteration of the event loop are sent one right after the other. Sending wakes the client that waits.
On an idle processor this costs more than the rest of a small request, and while the next request is worked on the
client sleeps again. Sent together, the first wakes it for all: with sixteen clients a GetItem took 48 µs of the
server's processor time before and takes 36 (docs/promises.md).
"""

from __future__ import annotations

import asyncio
from collections import deque
from math import inf
from time import perf_counter
from typing import Protocol

from sekkei.wire.fairness import Fairness, Waiting


class _Reader(Protocol):
    @property
    def unread_bytes(self) -> int: ...

    def abort(self) -> None: ...


class Unread:
    def __init__(self, bytes_max: int, stalled_seconds: float, fairness: Fairness) -> None:
        self.bytes_max = bytes_max
        self._stalled_seconds = stalled_seconds
        self._fairness = fairness
        self._waiting: deque[Waiting] = deque()
        self._seen: dict[_Reader, tuple[int, float]] = {}
        """How much lay there when it was last seen to become more or less, and when that was."""
        self.is_full = False

    def add(self, reader: _Reader, now: float) -> None:
        self._seen[reader] = (-1, now)
        self.look(now)

    def discard(self, reader: _Reader, now: float) -> None:
        if self._seen.pop(reader, None) is not None and self.is_full:
            self.look(now)

    def since(self, reader: _Reader) -> float:
        """When it was last seen to take something; never, if it is being cut off."""
        return self._seen.get(reader, (0, inf))[1]

    def wait(self, connection: Waiting) -> None:
        """It will `go_on` when there is room."""
        self._waiting.append(connection)

    def look(self, now: float) -> None:
        """Note which clients took bytes, cut off the slowest if all keep too many, and let waiting requests go on."""
        lying = 0
        for reader, (before, _) in self._seen.items():
            count = reader.unread_bytes
            lying += count
            if count != before:
                self._seen[reader] = (count, now)
        if lying > self.bytes_max:
            lying -= self._cut_off(lying - self.bytes_max, now)
        self.is_full = lying > self.bytes_max
        if not self.is_full:
            waiting, self._waiting = self._waiting, deque()
            for connection in waiting:
                self._fairness.wait(connection)

    def _cut_off(self, wanted: int, now: float) -> int:
        freed = 0
        for reader, (count, since) in sorted(self._seen.items(), key=lambda each: each[1][1]):
            if freed >= wanted or now - since < self._stalled_seconds:
                break
            del self._seen[reader]
            freed += count
            reader.abort()
        return freed


BYTES_MAX = 64 * 1024
"""More is not kept back: a client that does not take its answers must be noticed."""
SECONDS_MAX = 0.001


class Outgoing:
    def __init__(self) -> None:
        self._answers: list[tuple[asyncio.Transport, bytes]] = []
        self._bytes = 0
        self._since = 0.0

    def add(self, transport: asyncio.Transport, answer: bytes) -> None:
        """Send the answers after this iteration of the loop; now, if there are many or one has waited for long."""
        if not self._answers:
            self._since = perf_counter()
            asyncio.get_running_loop().call_soon(self.send)
        self._answers.append((transport, answer))
        self._bytes += len(answer)
        if self._bytes > BYTES_MAX or perf_counter() - self._since > SECONDS_MAX:
            self.send()

    def send(self) -> None:
        """All of them, in the order in which they came."""
        if not self._answers:
            return
        answers, self._answers, self._bytes = self._answers, [], 0
        for transport, answer in answers:
            if not transport.is_closing():
                transport.write(answer)
