"""The stores that the design floor's tests run on: embedded, our own HTTP server, and one that is not ours."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database, tables
from sekkei.engine.engine import Engine
from sekkei.store import Embedded, Remote, Store
from sekkei.wire.server import Server
from tests.design.example import design

STORES = ("embedded", "wire", "ministack")
NOW = 1_755_658_800.0  # 2025-08-20T03:00:00Z


@pytest.fixture(scope="session")
def ministack_url() -> Iterator[str]:
    """Ministack, from the environment or started here; without it, its tests are skipped."""
    given = os.environ.get("SEKKEI_MINISTACK_URL")
    if given:
        yield given
        return
    program = shutil.which("ministack", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if program is None:
        pytest.skip("Ministack is not installed: pip install ministack, or set SEKKEI_MINISTACK_URL")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        environ = {**os.environ, "GATEWAY_PORT": str(port), "HOME": folder}
        process = subprocess.Popen([program], env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(url, process)
            yield url
        finally:
            process.terminate()
            process.wait(10)


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/_ministack/health", timeout=1)
            return
        except OSError:
            time.sleep(0.1)
    pytest.skip("Ministack did not start")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, clock: ManualClock) -> AsyncIterator[Store]:
    if request.param == "ministack":
        remote = Remote(
            region="ap-northeast-1",
            endpoint_url=request.getfixturevalue("ministack_url"),
            credentials=("local", "local"),
        )
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
