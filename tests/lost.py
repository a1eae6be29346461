"""Answers that are lost on the way, and what others do before a write is tried again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

from sekkei.design import Database
from sekkei.errors import NoAnswer
from sekkei.store import Retrying, Store
from sekkei.store.protocol import Request, Response
from tests.scripted_store import ScriptedStore

WRITES = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")


async def nothing() -> None:
    """Nobody else is at work."""


async def at_once(seconds: float) -> None:
    await asyncio.sleep(0)


class Forgetful(ScriptedStore):
    """A store whose answer to the nth write is lost, and in which somebody else is at work `meanwhile`."""

    def __init__(
        self,
        store: Store,
        meanwhile: Callable[[], Awaitable[Any]] = nothing,
        nth: int = 1,
        operations: Collection[str] = WRITES,
    ) -> None:
        super().__init__(store, after=self._lose)
        self._meanwhile, self._left, self._writes = meanwhile, nth, operations
        self.operations: list[str] = []
        """Those that were carried out."""

    async def _lose(self, operation: str, request: Request, answer: Response) -> None:
        self.operations.append(operation)
        self._left -= operation in self._writes
        if operation in self._writes and self._left == 0:
            await self._meanwhile()
            raise NoAnswer("the answer was lost on its way")

    @property
    def lost(self) -> bool:
        return self._left <= 0


@contextmanager
def answer_lost(
    db: Database,
    meanwhile: Callable[[], Awaitable[Any]] = nothing,
    *,
    nth: int = 1,
    operations: Collection[str] = WRITES,
    tried_again: bool = True,
) -> Iterator[Forgetful]:
    """The answer to the nth write through `db` is lost, and it is tried again."""
    plain = db.store
    forgetful = Forgetful(plain, meanwhile, nth, operations)
    db.store = Retrying(forgetful, clock=db.clock, sleep=at_once) if tried_again else forgetful
    try:
        yield forgetful
    finally:
        db.store = plain
    assert forgetful.lost, "nothing was written"
