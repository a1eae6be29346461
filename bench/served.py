"""A system served by a process of its own, and posts to it whose time is taken."""

from __future__ import annotations

import asyncio
import multiprocessing
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import uvloop

from sekkei.clock import SYSTEM
from sekkei.runtime.http import Http
from sekkei.runtime.settings import Secrets, Settings
from sekkei.runtime.system import System
from sekkei.store import Embedded
from sekkei.web.application import application
from sekkei.web.server import bind, http_server
from sekkei.web.shell import Shell
from sekkei.wire.program import collect_seldom

Command = Callable[[Shell], Awaitable[Any]]
Post = tuple[bytes, dict[str, str]]
"""A body and its headers, the signature among them."""


def settings(folder: Path) -> Settings:
    secrets = Secrets(b"a secret of the benchmark")
    return Settings(data=folder, env="bench", secrets=secrets, values={"rate_limit": "off"})


def serve(pipe: Connection, folder: str, system: System, commands: Mapping[str, Command]) -> None:
    """In the other process: sends the port, then carries out commands and sends what they give, until told to stop."""

    async def run() -> None:
        store = Embedded(f"{folder}/bench.db")
        socket = bind("127.0.0.1", 0)
        app = application([system], store, settings(Path(folder)), SYSTEM, loopback=True, work=False)
        loop = asyncio.get_running_loop()

        def started() -> None:
            collect_seldom()
            pipe.send(socket.getsockname()[1])

        server = http_server(app, started)
        serving = asyncio.create_task(server.serve([socket]))
        while (command := await loop.run_in_executor(None, pipe.recv)) != "stop":
            pipe.send(await commands[command](app.state.shell))
        server.should_exit = True
        await serving
        await store.close()

    uvloop.run(run())


def measure(
    server: Callable[[Connection, str], None],
    measuring: Callable[[int, Connection, Path], Coroutine[Any, Any, None]],
) -> None:
    """Start the server, measure, stop it."""
    here, there = multiprocessing.Pipe()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        process = multiprocessing.get_context("spawn").Process(target=server, args=(there, folder), daemon=True)
        process.start()
        there.close()  # so that a server which dies at its start ends the wait
        try:
            uvloop.run(measuring(here.recv(), here, Path(folder)))
        finally:
            here.send("stop")
            process.join(10)
            process.terminate()


async def told(pipe: Connection, command: str) -> Any:
    """Have the server carry out a command; what it gives."""
    pipe.send(command)
    return await asyncio.get_running_loop().run_in_executor(None, pipe.recv)


async def post(http: Http, url: str, request: Post) -> tuple[float, bytes]:
    """How many milliseconds it took, and what came back."""
    started = time.perf_counter()
    answer = await http.request("POST", url, headers=request[1], body=request[0])
    took = (time.perf_counter() - started) * 1000
    if answer.status != 200:
        raise RuntimeError(f"the server answered {answer.status}: {answer.body[:200]!r}")
    return took, answer.body
