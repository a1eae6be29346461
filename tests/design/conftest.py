"""The stores that the design floor's tests run on: embedded, our own HTTP server, and one that is not ours."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database, tables
from sekkei.engine.engine import Engine
from sekkei.store import Embedded, Remote, Store
from sekkei.wire.server import Server
from tests.design.example import design

STORES = ("embedded", "wire", "ministack")
NOW = 1_755_658_800.0  # 2025-08-20T03:00:00Z


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, clock: ManualClock) -> AsyncIterator[Store]:
    if request.param == "ministack":
        url = request.getfixturevalue("ministack_endpoint")
        remote = Remote(region="ap-northeast-1", endpoint_url=url, credentials=("local", "local"))
        yield remote
        await remote.close()
    elif request.param == "wire":
        engine = Engine(None, clock=clock)
        server = Server(engine)
        await server.start("127.0.0.1", 0)
        remote = Remote(endpoint_url=f"http://127.0.0.1:{server.port}", credentials=("local", "local"))
        yield remote
        await remote.close()
        await server.stop()
        engine.close()
    else:
        embedded = Embedded(clock=clock)
        yield embedded
        await embedded.close()


@pytest.fixture
async def db(store: Store, clock: ManualClock) -> Database:
    """The example design on each store, with tables of its own for every test."""
    env = uuid.uuid4().hex[:12]
    await tables.create(store, design, env, clock)
    return design.open(store, env=env, clock=clock, secret=b"a secret of the tests")
