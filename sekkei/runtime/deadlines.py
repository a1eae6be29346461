"""A limit on how long a piece of work may take, so that one that hangs for ever fails like any other.

By the program's clock, and generous: it is there for what would never end. Work that is too slow for it is stopped, and
whoever asked for it gets an error that says where it stood.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

from sekkei.clock import Clock

T = TypeVar("T")

LOOK_SECONDS = 5.0
END_SECONDS = 5.0
"""For work that was told to stop."""
_FRAMES_SHOWN = 3

log = logging.getLogger("sekkei.runtime.deadlines")


class TookTooLong(Exception):
    """It was stopped at its limit."""


async def within(seconds: float, work: Awaitable[T], clock: Clock) -> T:
    """What the work gives. Raises TookTooLong, and stops the work, when it takes longer.

    Whoever is thrown away meanwhile (GeneratorExit) goes at once: there is nobody left to wait.
    """
    task = asyncio.ensure_future(work)
    until = clock.monotonic() + seconds
    try:
        while not (await asyncio.wait({task}, timeout=min(LOOK_SECONDS, seconds)))[0]:
            if clock.monotonic() >= until:
                raise TookTooLong(f"no end after {seconds:g} seconds, stopped at {_where(task)}")
        return task.result()
    except (Exception, asyncio.CancelledError):
        await end(task)
        raise


async def end(task: asyncio.Future[T]) -> None:
    """Stop work that is under way; what does not heed that is left behind."""
    if not task.done():
        task.cancel()
        _, late = await asyncio.wait({task}, timeout=END_SECONDS)
        if late:
            log.error("something goes on although it was told to stop", extra={"where": _where(task)})


def _where(task: asyncio.Future[T]) -> str:
    """The innermost places where it waits, the last one at the end."""
    places: list[str] = []
    waiting = task.get_coro() if isinstance(task, asyncio.Task) else None
    while inspect.iscoroutine(waiting) and waiting.cr_frame is not None:
        places.append(f"{Path(waiting.cr_code.co_filename).name}:{waiting.cr_frame.f_lineno}")
        waiting = waiting.cr_await
    return " > ".join(places[-_FRAMES_SHOWN:]) or "an unknown place"
