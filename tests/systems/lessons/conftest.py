"""Lessons on every kind of store: embedded, in bad weather, and on an implementation that is not ours."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sekkei.clock import ManualClock
from sekkei.store import Store
from sekkei.web.testing import Client, opened
from sekkei_systems.lessons.rules.policy import Policy
from sekkei_systems.lessons.system import SYSTEM
from tests.browser import browser, serve, shots
from tests.systems.lessons.steps import HOUSE, add_lesson
from tests.systems.lessons.world import LESSON, NOON, World, open_world

__all__ = ["browser", "serve", "shots"]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
async def world(store: Store, clock: ManualClock) -> World:
    return await open_world(store, clock, Policy())


@pytest.fixture
async def client(clock: ManualClock) -> AsyncIterator[Client]:
    """Somebody who runs the studios, and one lesson with one place."""
    async with opened(SYSTEM, clock=clock) as found:
        await found.sign_in("demo-aoi")
        await add_lesson(found)
        yield found


@pytest.fixture
async def api_client(store: Store, clock: ManualClock) -> AsyncIterator[Client]:
    """The same on every kind of store, by the API, in English."""
    async with opened(SYSTEM, store=store, clock=clock) as found:
        await found.sign_in("demo-aoi")
        found.language = "en"
        assert (await found.json("POST", f"/lessons/api/lessons/{LESSON}", HOUSE)).status == 201
        yield found
