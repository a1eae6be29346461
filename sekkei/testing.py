"""For tests of programs that use Sekkei: a fresh store in a millisecond, and believable instances.

    async with sekkei.testing.store(design) as db:
        await db.write(tasks.create(make(Task, title="x")))

With pytest, `pytest_plugins = ["sekkei.testing"]` brings the fixtures `sekkei_store`, an empty store, and
`open_design`, a function that opens a design on it with its tables made.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, TypeVar, get_args, get_origin, overload

from sekkei.clock import SYSTEM, Clock
from sekkei.design import Database, Design, tables
from sekkei.design.annotations import split_optional
from sekkei.design.model import described
from sekkei.store import Embedded, Store

M = TypeVar("M")
_serial = itertools.count(1)
_START = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)


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
    """An instance with believable values for whatever is not given; texts and numbers differ from call to call."""
    number = next(_serial)
    for name, field in described(model).fields.items():
        if name not in given and field.in_init and field.required:
            text = (field.form or "{}").replace("{}", f"{name}-{number}")
            given[name] = _value(field.annotation, text, number)
    return model(**given)


def _value(annotation: Any, text: str, number: int) -> Any:
    annotation, _ = split_optional(annotation)
    scalars: dict[Any, Any] = {
        Any: text,
        str: text,
        int: number,
        float: float(number),
        Decimal: Decimal(number),
        bool: False,
        bytes: text.encode(),
        dt.date: _START.date() + dt.timedelta(days=number),
        dt.datetime: _START + dt.timedelta(minutes=number),
        dt.time: dt.time(number % 24, 0),
    }
    if annotation in scalars:
        return scalars[annotation]
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return args[0]
    if origin is dict:
        return {"key": _value(args[1], text, number)}
    if origin in (list, set, frozenset, tuple):
        return origin([_value(args[0], text, number)])
    return next(iter(annotation)) if issubclass(annotation, Enum) else make(annotation)


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
