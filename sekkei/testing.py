"""For tests of programs that use Sekkei: a fresh store in a millisecond, and believable instances.

    async with sekkei.testing.store(design) as db:
        await db.write(tasks.create(make(Task, title="x")))

With pytest, `pytest_plugins = ["sekkei.testing"]` brings the fixtures `sekkei_store`, an empty store, and
`open_design`, a function that opens a design on it with its tables made.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar, overload

from sekkei.clock import SYSTEM, Clock
from sekkei.design import Database, Design, tables
from sekkei.design.model import described
from sekkei.design.samples import sample_of
from sekkei.store import Embedded, Store

M = TypeVar("M")
_serial = itertools.count(1)


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


def make(model: type[M], **given: Any) -> M:
    """An instance with believable values for whatever is not given; texts differ from call to call."""
    number = next(_serial)
    for name, field in described(model).fields.items():
        if name not in given and field.in_init and field.required:
            given[name] = _value(field.annotation, field.form, name, number)
    return model(**given)


def _value(annotation: Any, form: str | None, name: str, number: int) -> Any:
    if annotation is str:
        return (form or "{}").replace("{}", f"{name}-{number}")
    value = sample_of(annotation, f"{name}-{number}")
    for plain in (int, bytes):
        if isinstance(value, plain) and not isinstance(value, bool):
            return plain(value) if plain is bytes else number
    return _plain(value)


def _plain(value: Any) -> Any:
    """A stand-in as an ordinary value of its type."""
    import datetime as dt
    from decimal import Decimal
    from enum import Enum

    if isinstance(value, Enum):
        return next(iter(type(value)))
    if isinstance(value, dt.datetime):
        return dt.datetime(value.year, value.month, value.day, value.hour, tzinfo=value.tzinfo)
    if isinstance(value, dt.date):
        return dt.date(value.year, value.month, value.day)
    if isinstance(value, dt.time):
        return dt.time(value.hour, value.minute)
    if isinstance(value, Decimal):
        return Decimal(1)
    if isinstance(value, list | tuple | set | frozenset):
        return type(value)(_plain(one) for one in value)
    return str(value) if isinstance(value, str) else value


OpenDesign = Callable[[Design], Awaitable[Database]]

with contextlib.suppress(ImportError):  # the plugin half, for those who have pytest
    import pytest_asyncio

    @pytest_asyncio.fixture
    async def sekkei_store() -> AsyncIterator[Store]:
        """An empty store in memory."""
        async with store() as opened:
            yield opened

    @pytest_asyncio.fixture
    async def open_design(sekkei_store: Store) -> OpenDesign:
        """Opens a design on the test's store."""

        async def opened(design: Design) -> Database:
            await tables.create(sekkei_store, design, "test")
            return design.open(sekkei_store, env="test")

        return opened
