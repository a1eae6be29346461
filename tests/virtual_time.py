"""Time that passes when nothing can run, for tests marked `virtual_time`: an hour of it takes no time at all.

It is chosen in a conftest.py:
    from tests.virtual_time import pytest_asyncio_loop_factories as pytest_asyncio_loop_factories
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from sekkei.design import Database, Design, tables
from sekkei.worlds.chance import Dice
from sekkei.worlds.clock import WorldClock
from sekkei.worlds.loop import VirtualLoop
from sekkei.worlds.seam import Driven


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    is_virtual = item.get_closest_marker("virtual_time") is not None
    return {"virtual": VirtualLoop} if is_virtual else {"asyncio": asyncio.new_event_loop}


def running_clock() -> WorldClock:
    """The clock of the virtual loop that runs."""
    return WorldClock(cast(VirtualLoop, asyncio.get_running_loop()), Dice("test"))


@asynccontextmanager
async def database(design: Design, clock: Any) -> AsyncIterator[Database]:
    """A design on a store that has no thread of its own."""
    store = Driven.in_memory(clock)
    try:
        await tables.create(store, design, "test", clock)
        yield design.open(store, env="test", clock=clock)
    finally:
        await store.close()
