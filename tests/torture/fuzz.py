"""A small fuzzer that is guided by coverage: what reaches a new place of the program is kept and changed further.

One seed gives one run, on every machine: inputs are counted, not seconds. A place is a pair of lines of `sekkei` that
were run one after the other.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from typing import Any

LENGTH_MAX = 4_096
LINES_MAX = 3_000_000
"""More than any input of this length has a right to: a second's work, or a loop without an end."""
INTERESTING = (
    b"\x00",
    b"\xff",
    b"0",
    b"-1",
    b"1e200",
    b"9" * 40,
    b'"',
    b"'",
    b"(",
    b"[",
    b"{",
    b" ",
    b"\r\n",
    "é𝄞".encode(),
)

Run = Callable[[bytes], None]
Line = tuple[str, int]
Place = tuple[Line, Line]
NOWHERE: Line = ("", 0)


class Hangs(BaseException):
    """No `Exception`, so that nobody on the way takes it for a fault of the input."""


class Coverage:
    """The places that an input reaches."""

    def __init__(self, part: str) -> None:
        self._part = part
        self._previous = NOWHERE
        self.lines = 0
        self.places: set[Place] = set()

    def of(self, run: Run, data: bytes) -> set[Place]:
        self.places, self.lines, self._previous = set(), 0, NOWHERE
        before = sys.gettrace()
        sys.settrace(self._call)
        try:
            run(data)
        finally:
            sys.settrace(before)
        return self.places

    def _call(self, frame: Any, event: str, argument: Any) -> Any:
        return self._line if self._part in frame.f_code.co_filename else None

    def _line(self, frame: Any, event: str, argument: Any) -> Any:
        if event == "line":
            here = (frame.f_code.co_filename, frame.f_lineno)
            self.places.add((self._previous, here))
            self._previous = here
            self.lines += 1
            if self.lines > LINES_MAX:
                raise Hangs
        return self._line


class Fuzzer:
    """Keeps what is interesting, beginning with the corpus."""

    def __init__(self, run: Run, corpus: Sequence[bytes], words: Sequence[bytes] = (), seed: int = 0) -> None:
        self._run = run
        self._words = [*words, *INTERESTING]
        self._chance = random.Random(seed)
        self._coverage = Coverage("sekkei")
        self._seen: set[Place] = set()
        self.corpus: list[bytes] = []
        for data in corpus:
            self.take(data)

    def take(self, data: bytes) -> None:
        """Run one input. Whatever it raises is a finding; the input is told with it."""
        try:
            places = self._coverage.of(self._run, data)
        except BaseException as error:
            error.add_note(f"the input was {data!r}")
            raise
        if not places <= self._seen or not self.corpus:
            self._seen |= places
            self.corpus.append(data)

    def go(self, inputs: int) -> None:
        for _ in range(inputs):
            self.take(self._changed(self._chance.choice(self.corpus)))

    def _changed(self, data: bytes) -> bytes:
        for _ in range(self._chance.choice((1, 1, 2, 4))):
            start = self._chance.randrange(len(data) + 1)
            end = min(len(data), start + self._chance.choice((0, 1, 2, 8)))
            data = data[:start] + self._piece(data[start:end]) + data[end:]
        return data[:LENGTH_MAX]

    def _piece(self, old: bytes) -> bytes:
        """What comes in the place of some bytes: nothing, others, a word, themselves twice, a part of another input."""
        kind = self._chance.randrange(6)
        if kind == 0:
            return b""
        if kind == 1:
            return bytes(byte ^ 1 << self._chance.randrange(8) for byte in old)
        if kind == 2:
            return self._chance.choice(self._words)
        if kind == 3:
            return old * 2
        if kind == 4:
            return self._chance.randbytes(max(1, len(old)))
        other = self._chance.choice(self.corpus)
        start = self._chance.randrange(len(other) + 1)
        return other[start : start + self._chance.choice((1, 4, 32))]
