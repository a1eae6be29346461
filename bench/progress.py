"""A bar that shows how far something long has come; nothing where nobody looks at a terminal."""

from __future__ import annotations

import sys
import time

WIDTH = 40
SECONDS_BETWEEN = 0.2


class Bar:
    def __init__(self, title: str) -> None:
        self._title = title
        self._began = time.monotonic()
        self._shown = 0.0
        self._is_seen = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._is_seen or (done < total and now - self._shown < SECONDS_BETWEEN):
            return
        self._shown = now
        full = WIDTH * done // max(total, 1)
        rate = done / max(now - self._began, 1e-9)
        left = (total - done) / rate if rate else 0.0
        bar = "#" * full + "." * (WIDTH - full)
        line = f"{self._title} [{bar}] {done:,} of {total:,}, {rate:,.0f}/s, {left:.0f} s left"
        print(f"\r{line}\033[K", end="" if done < total else "\n", file=sys.stderr, flush=True)
