"""The stores that every system must run on: embedded, in bad weather, and an implementation that is not ours.

A system's own conftest has the `clock`, and may have a `weather` of its own.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.store import Embedded, Remote, Retrying, Store, Weather
from sekkei.store.protocol import Request, Response
from tests.calls import asks_only_what_is_noted as asks_only_what_is_noted
from tests.prepared import tables_are_made_once as tables_are_made_once

STORES = ("embedded", "weather", pytest.param("ministack", marks=pytest.mark.torture))
"""`make test` asks Ministack about designs (tests/design), requests (tests/peers) and the examples."""
LATEST_INDEX_SECONDS = 2.0
"""After this time an index in bad weather shows what was written, and so does a read without consistency."""


async def _at_once(seconds: float) -> None:
    """Weather's pauses, for tests that have no time."""
    await asyncio.sleep(0)


@pytest.fixture
def weather() -> Mapping[str, float]:
    """A bad day: what `sekkei.store.Weather` takes. Answers are lost, so writes are repeated after they were done."""
    return {
        "seed": 11,
        "index_lag": LATEST_INDEX_SECONDS,
        "base_lag": 0.5,
        "throttled": 0.02,
        "unprocessed": 0.1,
        "conflicts": 0.05,
        "lost_responses": 0.02,
    }


@pytest.fixture(params=STORES)
async def store(
    request: pytest.FixtureRequest, clock: ManualClock, weather: Mapping[str, float]
) -> AsyncIterator[Store]:
    """Every store that the system must work on, empty."""
    opened = _open(request, clock, weather)
    yield opened
    await opened.close()


def retries(store: Any) -> bool:
    """Is it the store of a bad day? The runtime's own wrappers may stand around it."""
    while store is not None and not isinstance(store, Retrying):
        store = getattr(store, "store", None) or getattr(store, "_store", None)
    return store is not None


@pytest.fixture
async def plain(clock: ManualClock) -> AsyncIterator[Store]:
    """In fair weather, for what has nothing to do with stores."""
    opened = Embedded(clock=clock)
    yield opened
    await opened.close()


def _open(request: pytest.FixtureRequest, clock: ManualClock, weather: Mapping[str, float]) -> Store:
    if request.param == "embedded":
        return Embedded(clock=clock)
    if request.param == "weather":
        storm = Weather(Embedded(clock=clock), clock=clock, sleep=_at_once, **weather)  # type: ignore[arg-type]
        return Retrying(storm, clock=clock, sleep=_at_once)
    endpoint = os.environ.get("SEKKEI_MINISTACK_URL") or request.getfixturevalue("ministack_endpoint")
    # An account of its own for every test: its tables are nobody else's.
    account = f"{secrets.randbelow(10**12):012d}"
    return Timeless(region="ap-northeast-1", endpoint_url=endpoint, credentials=(account, "local"))


class Timeless(Remote):
    """Nothing expires: ministack goes by the machine's clock and tests by their own, so once a minute it took away
    whatever was to be kept until some day of theirs."""

    async def call(self, operation: str, request: Request) -> Response:
        if operation == "UpdateTimeToLive":
            return {"TimeToLiveSpecification": request["TimeToLiveSpecification"]}
        return await super().call(operation, request)
