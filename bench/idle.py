"""All systems with their worker while nobody uses them: processor, disk and store calls of an idle minute.

Embedded in this process on a file, on our own engine over HTTP, and on Ministack; every call is counted by its
operation, here in this process. A write of these small rows is one write unit on DynamoDB.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bench.markdown import table
from bench.peers import MINISTACK, Unavailable
from sekkei.runtime.deployment import Deployment
from sekkei.runtime.design import newest_jobs
from sekkei.runtime.discovery import load_all
from sekkei.runtime.settings import Secrets, Settings
from sekkei.runtime.wakeups import WRITES
from sekkei.store import Embedded, open_store
from sekkei.store.protocol import Store
from sekkei.web import application

SETTLE_SECONDS = 10.0
SECONDS = float(os.environ.get("SEKKEI_BENCH_IDLE_SECONDS", "60"))


def run() -> None:
    rows = [asyncio.run(_measure(kind)) for kind in ("embedded", "over HTTP")]
    try:
        rows.append(asyncio.run(_measure(MINISTACK.title)))
    except Unavailable as reason:
        print(reason)
    head = ["store", "processor", "disk", "store calls a second", "writes a minute", "by operation, a minute"]
    print(table(head, rows))


async def _measure(kind: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        async with _store(kind, Path(folder)) as store:
            systems, _ = load_all()
            settings = Settings(
                data=Path(folder), env="bench", secrets=Secrets(b"of the bench" * 3), values={"live": "on"}
            )
            app = application(systems, store, settings, loopback=True, work=True, share_live=True)
            async with app.router.lifespan_context(app):
                await _settled(app.state.shell.deployment)
                return await _idle(kind, app.state.shell.deployment.store.calls)


async def _settled(deployment: Deployment) -> None:
    """What a new store needs once has been done, and the pauses have grown."""
    while not all(run.finished for run in await deployment.runtime.all(newest_jobs())):  # noqa: ASYNC110
        await asyncio.sleep(1)
    await asyncio.sleep(SETTLE_SECONDS)


async def _idle(kind: str, calls: Counter[str]) -> list[str]:
    before, written = Counter(calls), _bytes_written()
    wall, processor = time.monotonic(), time.process_time()
    await asyncio.sleep(SECONDS)
    seconds = time.monotonic() - wall
    made = Counter(calls) - before
    minute = {name: round(count * 60 / seconds) for name, count in made.most_common()}
    writes = sum(count for name, count in made.items() if name in WRITES)
    return [
        kind,
        f"{(time.process_time() - processor) / seconds:.2%} of a core",
        f"{(_bytes_written() - written) / seconds / 1000:.1f} KB/s",
        f"{made.total() / seconds:.1f}",
        f"{writes * 60 / seconds:.0f}",
        ", ".join(f"{name} {count}" for name, count in minute.items()),
    ]


@asynccontextmanager
async def _store(kind: str, folder: Path) -> AsyncIterator[Store]:
    if kind == "embedded":
        store: Store = Embedded(folder / "sekkei.db")
        yield store
        await store.close()
        return
    async with served() if kind == "over HTTP" else _ministack(folder) as url:
        store = open_store(url)
        yield store
        await store.close()


@asynccontextmanager
async def _ministack(folder: Path) -> AsyncIterator[str]:
    with MINISTACK.serve(folder) as port:
        _sign_with_anything()
        yield f"http://127.0.0.1:{port}"


def _sign_with_anything() -> None:
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "local")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "local")


@asynccontextmanager
async def served() -> AsyncIterator[str]:
    """An engine in a process of its own."""
    import re
    import sys

    command = [sys.executable, "-m", "sekkei.cli", "engine", "--memory", "--port", "0"]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        while True:
            found = re.search(rb"http://[\w.:]+", await process.stdout.readline())
            if found:
                break
        _sign_with_anything()
        yield found[0].decode()
    finally:
        process.terminate()
        await process.wait()


def _bytes_written() -> int:
    """What this process has had written to disk; none is known where there is no /proc."""
    try:
        lines = Path("/proc/self/io").read_text().splitlines()
    except OSError:
        return 0
    return int(next(line for line in lines if line.startswith("write_bytes")).partition(":")[2])
