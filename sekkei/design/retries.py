"""Waiting before another try: doubled each time, with full jitter, and never for ever."""

from __future__ import annotations

import time

from sekkei.backoff import backoff_seconds
from sekkei.clock import Clock

TRIES_MAX = 8
FIRST_WAIT_SECONDS = 0.01
_LONGEST_WAIT_SECONDS = 1.0


async def pause(attempt: int, clock: Clock) -> None:
    """Wait after failed attempt number `attempt`, counted from 0; without an event loop, in this very thread."""
    import asyncio  # 50 ms to import, and most programs that load a design never wait

    seconds = backoff_seconds(attempt + 1, first=FIRST_WAIT_SECONDS, longest=_LONGEST_WAIT_SECONDS, clock=clock)
    if asyncio._get_running_loop() is None:
        time.sleep(seconds)  # noqa: ASYNC251  there is no loop to hold up
    else:
        await asyncio.sleep(seconds)
