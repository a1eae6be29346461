"""Answers that are lost on the way, and what others do before a write is tried again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sekkei.design import Database
from sekkei.errors import NoAnswer
from sekkei.store import Retrying, Store
from sekkei.store.protocol import Request, Response

WRITES = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")


async def nothing() -> None:
    """Nobody else is at work."""


async def at_once(seconds: float) -> None:
    await asyncio.sleep(0)


class Forgetful:
    """A store whose answer to the nth write is lost, and in which somebody else is at work `meanwhile`."""

    def __init__(self, store: Store, meanwhile: Callable[[], Awaitable[Any]] = nothing, nth: int = 1) -> None:
        self._store, self._meanwhile, self._left = store, meanwhile, nth
        self.operations: list[str] = []
        """Those that were carried out."""

    async def call(self, operation: str, request: Request) -> Response:
        answer = await self._store.call(operation, request)
        self.operations.append(operation)
        self._left -= operation in WRITES
        if operation in WRITES and self._left == 0:
            await self._meanwhile()
            raise NoAnswer("the answer was lost on its way")
        return answer

    @property
    def lost(self) -> bool:
        return self._left <= 0

    async def close(self) -> None:
        await self._store.close()


@contextmanager
def answer_lost(
    db: Database, meanwhile: Callable[[], Awaitable[Any]] = nothing, *, nth: int = 1
) -> Iterator[Forgetful]:
    """The answer to the nth write through `db` is lost, and it is tried again."""
    plain = db.store
    forgetful = Forgetful(plain, meanwhile, nth)
    db.store = Retrying(forgetful, clock=db.clock, sleep=at_once)
    try:
        yield forgetful
    finally:
        db.store = plain
    assert forgetful.lost, "nothing was written"
