"""More connections than the process may have open: those that say nothing make room, and nobody is locked out."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator

import pytest

from sekkei.wire import limits as descriptors
from tests.wire.client import Client, post, until
from tests.wire.conftest import Serve

resource = pytest.importorskip("resource")


@pytest.fixture
def few() -> Iterator[tuple[int, int]]:
    soft, hard = limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
    yield limits
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_program_asks_for_more(few: tuple[int, int]) -> None:
    _, hard = few
    assert descriptors.descriptors() == 512
    descriptors.ask_for_more()
    wanted = descriptors.WANTED if hard == resource.RLIM_INFINITY else min(descriptors.WANTED, hard)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (wanted, hard)


def test_a_program_that_has_more_keeps_it(few: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "WANTED", 256)
    descriptors.ask_for_more()
    assert descriptors.descriptors() == 512


def test_a_system_that_says_no(few: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    monkeypatch.setattr(descriptors, "WANTED", 513)
    descriptors.ask_for_more()
    monkeypatch.undo()
    assert descriptors.descriptors() == 512


async def test_no_more_connections_than_descriptors(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "descriptors", lambda: 40)
    server = await serve()
    idle = [await Client.connect(server.port) for _ in range(20)]
    await until(lambda: len(server._connections) == 20)
    assert (await (await Client.connect(server.port)).ask(post("GetItem"))).status == 200
    assert len(server._connections) == len(idle)


SERVING = """
import asyncio, importlib, resource, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
from sekkei.wire.server import Server

class Engine:
    async def call(self, *_):
        return {}

async def main():
    server = Server(Engine())
    await server.start()
    print(server.port, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)

loop = importlib.import_module(sys.argv[1])
loop.run(main())
"""


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
async def test_many_idle_sockets_at_once_lock_nobody_out(loop: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVING, loop],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        idle = await asyncio.gather(*(Client.connect(port) for _ in range(600)))
        new = await Client.connect(port)
        assert (await new.ask(post("GetItem"))).status == 200
        for client in (*idle, new):
            client.close()
        _, said = process.communicate("stop\n", timeout=20)
    assert process.returncode == 0
    assert said == ""
