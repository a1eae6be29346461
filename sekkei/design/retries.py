"""Waiting before another try: doubled each time, with full jitter, and never for ever."""

from __future__ import annotations

import time

from sekkei.clock import Clock

TRIES_MAX = 8
FIRST_WAIT_SECONDS = 0.01
LONGEST_WAIT_SECONDS = 1.0


def wait_seconds(attempt: int, clock: Clock) -> float:
    """How long to wait after failed attempt number `attempt`, counted from 0."""
    longest: float = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2**attempt)
    return clock.random() * longest


async def pause(attempt: int, clock: Clock) -> None:
    """Wait; without an event loop, in this very thread."""
    import asyncio  # 50 ms to import, and most programs that load a design never wait

    if asyncio._get_running_loop() is None:
        time.sleep(wait_seconds(attempt, clock))  # noqa: ASYNC251  there is no loop to hold up
    else:
        await asyncio.sleep(wait_seconds(attempt, clock))
