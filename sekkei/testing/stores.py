"""A fresh store in a millisecond, with a design opened on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any, overload

from sekkei.clock import SYSTEM, Clock
from sekkei.design import Database, Design, SyncDatabase, tables
from sekkei.store import Embedded, Store


@overload
def store(*, clock: Clock = SYSTEM) -> AbstractAsyncContextManager[Store]: ...
@overload
def store(design: Design, *, env: str = "test", clock: Clock = SYSTEM) -> AbstractAsyncContextManager[Database]: ...
def store(
    design: Design | None = None, *, env: str = "test", clock: Clock = SYSTEM
) -> AbstractAsyncContextManager[Any]:
    """A store in memory that nobody else sees; with a design, its tables are made and the design is opened on it."""
    return _open(design, env, clock)


@asynccontextmanager
async def _open(design: Design | None, env: str, clock: Clock) -> AsyncIterator[Any]:
    opened = Embedded(clock=clock)
    try:
        if design is None:
            yield opened
        else:
            await tables.create(opened, design, env, clock)
            yield design.open(opened, env=env, clock=clock)
    finally:
        await opened.close()


@contextmanager
def sync_store(design: Design, *, env: str = "test", clock: Clock = SYSTEM) -> Iterator[SyncDatabase]:
    """The same for code without `await`."""
    with design.open_sync(Embedded(clock=clock), env=env, clock=clock) as db:
        db.create_tables()
        yield db
