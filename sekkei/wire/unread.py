"""Answers that their clients have not taken yet: how many bytes of them are kept, all connections together.

A connection that does not read is not worked for, but the answer that it left lying may have 16 MB. When all of them
together are too many, whoever has taken nothing for a while is cut off, the longest while first; until there is room
again, requests wait whose answers may be large.
"""

from __future__ import annotations

from collections import deque
from math import inf
from typing import Protocol

from sekkei.wire.turns import Turns, Waiting


class Reader(Protocol):
    @property
    def unread_bytes(self) -> int: ...

    def abort(self) -> None: ...


class Unread:
    def __init__(self, bytes_max: int, stalled_seconds: float, turns: Turns) -> None:
        self.bytes_max = bytes_max
        self._stalled_seconds = stalled_seconds
        self._turns = turns
        self._waiting: deque[Waiting] = deque()
        self._seen: dict[Reader, tuple[int, float]] = {}
        """How much lay there when it was last seen to become more or less, and when that was."""
        self.is_full = False

    def add(self, reader: Reader, now: float) -> None:
        self._seen[reader] = (-1, now)
        self.look(now)

    def discard(self, reader: Reader, now: float) -> None:
        if self._seen.pop(reader, None) is not None and self.is_full:
            self.look(now)

    def since(self, reader: Reader) -> float:
        """When it was last seen to take something; never, if it is being cut off."""
        return self._seen.get(reader, (0, inf))[1]

    def wait(self, connection: Waiting) -> None:
        """It will `go_on` when there is room."""
        self._waiting.append(connection)

    def look(self, now: float) -> None:
        """Who has taken something? Is it too much? Whose turn is it?"""
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
                self._turns.wait(connection)

    def _cut_off(self, wanted: int, now: float) -> int:
        freed = 0
        for reader, (count, since) in sorted(self._seen.items(), key=lambda each: each[1][1]):
            if freed >= wanted or now - since < self._stalled_seconds:
                break
            del self._seen[reader]
            freed += count
            reader.abort()
        return freed
