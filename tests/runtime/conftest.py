"""The runtime's table on a store in memory, with a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

import sekkei.testing
from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.runtime.design import design
from tests.calls import asks_only_what_is_noted as asks_only_what_is_noted
from tests.virtual_time import pytest_asyncio_loop_factories as pytest_asyncio_loop_factories


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def runtime(clock: ManualClock) -> AsyncIterator[Database]:
    async with sekkei.testing.store(design, clock=clock) as db:
        yield db
