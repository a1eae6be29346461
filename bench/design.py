"""Typed objects: what hydrating costs, what a typed get adds to an untyped one, and what other libraries take.

Ours run in this process. The others (PynamoDB, pydynox, aiodynamo, boto3) are installed into a folder of their own and
run by `bench/design_peers.py` right after, against the same server; those that cannot be installed are left out.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from bench import peers
from bench.markdown import number, ratio, table
from sekkei.design import Attr, Database, Design, Key, attr, model, part, tables
from sekkei.engine.engine import Engine
from sekkei.store import Embedded, Remote
from sekkei.wire.server import Server

ROUNDS = 7
PAIRS = 4
HYDRATIONS = 20_000
GETS = 2_000
HTTP_GETS = 400
LIBRARIES = ("pynamodb==6.1.0", "pydynox==1.8.0", "aiodynamo==26.4", "boto3==1.43.106", "httpx==0.28.1")


@model
class Row:
    """Ten attributes, as most rows of the five systems have them: texts, two numbers, a flag."""

    pk: Attr[str]
    sk: Attr[str]
    title: Attr[str]
    body: Attr[str]
    author: Attr[str]
    status: Attr[str]
    created_at: Attr[str]
    count: Attr[int]
    size: Attr[int]
    flag: Attr[bool]


@model
class Rich:
    """Ten attributes of the dearer kinds: parts of the key, a time, a set, an optional."""

    team_id: Attr[str] = part()
    task_id: Attr[str] = part()
    title: Attr[str]
    count: Attr[int]
    flag: Attr[bool]
    note: Attr[str | None] = attr(default=None)
    tags: Attr[frozenset[str]] = attr(default=frozenset())
    created_at: Attr[Any] = attr(default="")
    status: Attr[str] = attr(default="todo")
    updated_at: Attr[str] = attr(default="")


ROW = Row(
    pk="user#00001",
    sk="row#00001",
    title="a title of some length",
    body="x" * 120,
    author="hanako",
    status="OPEN",
    created_at="2025-08-20T05:13:10.000Z",
    count=12345,
    size=67,
    flag=True,
)
RICH = Rich(team_id="t1", task_id="k1", title="x", count=1, flag=True, note="n", tags=frozenset({"a", "b"}))

design = Design("bench")
rows_table = design.table("rows", "pk", "sk")
rich_table = design.table("rich", "PK", "SK", discriminator="type")


@rows_table.entity(Row)
def rows(pk: str, sk: str) -> Key:
    return Key(pk, sk)


@rich_table.entity(Rich, type="rich")
def rich(team_id: str, task_id: str) -> Key:
    return Key(f"TEAM#{team_id}", f"TASK#{task_id}")


def run() -> None:
    peers.PEERS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=peers.PEERS) as folder:
        asyncio.run(_all(Path(folder)))


async def _all(folder: Path) -> None:
    print(await _embedded(folder))
    engine = Engine(folder / "http.db")
    server = Server(engine)
    await server.start("127.0.0.1", 0)
    try:
        ours = await _over_http(server.port)
        without_await = await asyncio.to_thread(_over_http_sync, server.port)
        others, absent = await asyncio.to_thread(_others, server.port)
    finally:
        await server.stop()
        engine.close()
    print()
    hydrated = hydrate_us()
    lines = [("sekkei", hydrated, ours), ("sekkei, open_sync", hydrated, without_await)]
    lines += [*((name, *values) for name, values in others.items())]  # type: ignore[misc]
    shown = [[name, number(hydrate), number(get)] for name, hydrate, get in lines]
    print(table(["library, µs", "hydrate 10 attributes", "get over HTTP"], shown))
    for reason in absent:
        print(f"\n{reason}")
    print(f"\nImporting sekkei.design: {import_ms():.0f} ms of CPU (best of 7, Python itself taken off)")


def best(function: Callable[[], Any], count: int) -> float:
    """Microseconds a call, best of the rounds: what the code costs when nothing else runs."""
    found = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(count):
            function()
        found.append((time.perf_counter() - started) / count * 1e6)
    return min(found)


async def best_async(function: Callable[[], Awaitable[Any]], count: int) -> float:
    found = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(count):
            await function()
        found.append((time.perf_counter() - started) / count * 1e6)
    return min(found)


def hydrate_us() -> float:
    item = rows.encode(ROW)
    assert rows.decode(item) == ROW
    return best(lambda: rows.decode(item), HYDRATIONS)


async def _embedded(folder: Path) -> str:
    store = Embedded(folder / "embedded.db")
    try:
        await tables.create(store, design, "dev")
        db = design.open(store)
        await db.write(rows.put(ROW))
        await db.write(rich.put(RICH))
        item = rich.encode(RICH)
        lines = [
            ["hydrate a plain row of 10", number(hydrate_us()), ""],
            ["hydrate one with key parts, a set, an optional", number(best(lambda: rich.decode(item), HYDRATIONS)), ""],
            await _pair(db, "plain row", lambda: rows("user#00001", "row#00001")),
            await _pair(db, "single-table row", lambda: rich("t1", "k1")),
            ["get a plain row with open_sync", number(_sync_get_us(store)), ""],
        ]
        return table(["in process, µs", "typed", "untyped → ratio"], lines)
    finally:
        await store.close()


async def _pair(db: Database, name: str, ref: Callable[[], Any]) -> list[str]:
    request = {"TableName": db.table_name(ref().entity.table), "Key": ref().key}
    typed = untyped = float("inf")
    for _ in range(PAIRS):  # by turns, so that both have the same weather
        typed = min(typed, await best_async(lambda: db.get(ref()), GETS))
        untyped = min(untyped, await best_async(lambda: db.store.call("GetItem", request), GETS))
    return [f"get a {name} on Embedded", number(typed), f"{number(untyped)} → {ratio(typed, untyped)}"]


def _sync_get_us(store: Embedded) -> float:
    """The store stays open: it belongs to the caller."""
    db = design.open_sync(store)
    return best(lambda: db.get(rows("user#00001", "row#00001")), GETS)


def _over_http_sync(port: int) -> float:
    with design.open_sync(Remote(endpoint_url=f"http://127.0.0.1:{port}", credentials=("local", "local"))) as db:
        return best(lambda: db.get(rows("user#00001", "row#00001")), HTTP_GETS)


async def _over_http(port: int) -> float:
    store = Remote(endpoint_url=f"http://127.0.0.1:{port}", credentials=("local", "local"))
    try:
        await tables.create(store, design, "dev")
        db = design.open(store)
        await db.write(rows.put(ROW))
        return await best_async(lambda: db.get(rows("user#00001", "row#00001")), HTTP_GETS)
    finally:
        await store.close()


def _others(port: int) -> tuple[dict[str, tuple[float | None, float | None]], list[str]]:
    home = peers.PEERS / "design-libraries-1"
    try:
        if not (home / ".ready").exists():
            peers._python(home, *LIBRARIES)
            (home / ".ready").touch()
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError) as error:
        return {}, [f"the other libraries are left out: {peers._reason(error)}"]
    script = Path(__file__).with_name("design_peers.py")
    command = [str(home / "bin/python"), str(script), str(port), json.dumps(rows.encode(ROW))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        return {}, [f"the other libraries are left out: {done.stderr.strip().splitlines()[-1:]}"]
    report = json.loads(done.stdout)
    return {name: tuple(values) for name, values in report["found"].items()}, report["absent"]


def import_ms() -> float:
    """What importing the floor costs a fresh interpreter in CPU time, beyond starting it, with bytecode written."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def seconds(program: str) -> float:
        found = []
        for _ in range(ROUNDS):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", program], check=True, env=environ)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(found)

    return (seconds("import sekkei.design") - seconds("pass")) * 1000
