"""Somebody who writes a moment too late."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from sekkei.design import Database

WRITING = ("write", "write_many", "transact")


class Late:
    """A database; a good deal happens in the moment before somebody writes to it."""

    def __init__(self, db: Database, first: Callable[[], Awaitable[None]]) -> None:
        self._db, self._first = db, first

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._db, name)
        return self._after(found) if name in WRITING else found

    def _after(self, write: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def late(*actions: Any) -> Any:
            await self._first()
            return await write(*actions)

        return late
