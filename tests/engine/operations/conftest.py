"""Tables that tests of several operations begin with."""

from __future__ import annotations

import pytest

from tests.engine.conftest import Tables
from tests.engine.operations.calls import set_recovery
from tests.engine.operations.stream_reading import stream
from tests.engine.partiql.fixtures import running

__all__ = ["running"]


@pytest.fixture
async def filled(tables: Tables) -> Tables:
    await tables.create()
    for number in range(20):
        await tables.put(pk=f"p{number % 3}", sk=number, g=f"g{number % 2}", l=str(number))
    return tables


@pytest.fixture
async def kept(tables: Tables) -> Tables:
    await tables.create_plain()
    await set_recovery(tables)
    return tables


@pytest.fixture
async def numbered(tables: Tables) -> Tables:
    await tables.create()
    for partition in ("a", "b"):
        for number in range(10):
            await tables.put(pk=partition, sk=number, g="even" if number % 2 == 0 else "odd", n=number)
    return tables


@pytest.fixture
async def streamed(tables: Tables) -> Tables:
    await tables.create(StreamSpecification=stream("NEW_AND_OLD_IMAGES"))
    return tables
