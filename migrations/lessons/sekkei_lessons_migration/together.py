"""Doing many things at once."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any


async def together(jobs: Iterable[Coroutine[Any, Any, None]]) -> None:
    """All at once; when one fails, the others are stopped and its error is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for job in jobs:
                group.create_task(job)
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
