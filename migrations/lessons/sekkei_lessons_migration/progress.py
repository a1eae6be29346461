"""How far a stage has come, on a terminal; nothing is written into a pipe or a log."""

from __future__ import annotations

import sys
import time
from typing import TextIO

BETWEEN_SECONDS = 0.2


class Progress:
    """Call it with rows done and rows in all; close it at the end."""

    def __init__(self, out: TextIO = sys.stderr) -> None:
        self._out = out
        self._shows = out.isatty()
        self._first: tuple[float, int] | None = None
        self._last = 0.0
        self._width = 0

    def __call__(self, done: int, rows: int) -> None:
        now = time.monotonic()
        if self._first is None:
            self._first = now, done  # a run that goes on is not measured by what it did before
        if self._shows and now - self._last >= BETWEEN_SECONDS:
            self._last = now
            self._show(line(done, rows, done - self._first[1], now - self._first[0]))

    def close(self) -> None:
        if self._width:
            self._show("")
            self._out.write("\r")
            self._out.flush()
            self._width = 0

    def _show(self, text: str) -> None:
        self._out.write(f"\r{text:<{self._width}}")
        self._out.flush()
        self._width = len(text)


def line(done: int, rows: int, lately: int, seconds: float) -> str:
    """`12,000 of about 50,000 rows, 8,100 a second, 5 s left`; what is not known yet is left out."""
    words = [f"{done:,} of about {rows:,} rows" if rows >= done else f"{done:,} rows"]
    rate = lately / seconds if seconds > 0 else 0.0
    if rate >= 1:
        words.append(f"{rate:,.0f} a second")
        if rows > done:
            words.append(f"{(rows - done) / rate:,.0f} s left")
    return ", ".join(words)
