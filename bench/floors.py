"""What no server and no store on this machine can beat, beside ours: a bare HTTP server, and SQLite itself."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import statistics
import tempfile
import time
import zlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import cast

import apsw
import httptools
import orjson
import uvloop

from bench import peers, workload
from bench.load import rate, request_bytes, send_all
from bench.markdown import number, ratio, table
from bench.side_by_side import ours
from sekkei.store import Embedded

ROWS = 20_000
ROUNDS = 5
READS = 2_000
WRITES = 200
TOGETHER = 16

Times = tuple[float, float]
"""Microseconds for each call: by the wall's clock, and of this process's processor time."""


class Watch:
    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def each(self, calls: int) -> Times:
        wall, processor = time.perf_counter() - self._wall, time.process_time() - self._processor
        return wall / calls * 1e6, processor / calls * 1e6


def run() -> None:
    peers.PEERS.mkdir(exist_ok=True)
    print(uvloop.run(_http()))
    print()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=peers.PEERS) as folder:
        print(uvloop.run(_storage(Path(folder))))


# --- HTTP ------------------------------------------------------------------------------------------------------------


class Bare(asyncio.Protocol):
    """Parses each request and answers it with the same 300 bytes."""

    body = orjson.dumps({"Item": workload.item("user#00001", 1)})
    answer = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: %d\r\nx-amz-crc32: %d\r\n\r\n"
        % (len(body), zlib.crc32(body))
    ) + body

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are no subclass of asyncio's, though they do what it says.
        self.transport = cast(asyncio.Transport, transport)
        self.parser = httptools.HttpRequestParser(self)

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_message_complete(self) -> None:
        self.transport.write(self.answer)


def _serve_bare(pipe: Connection) -> None:
    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(Bare, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    uvloop.run(serve())


@contextmanager
def _bare_server() -> Iterator[int]:
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve_bare, args=(there,), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        process.terminate()
        process.join()


async def _http() -> str:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-", dir=peers.PEERS)))
        bare = stack.enter_context(_bare_server())
        server = stack.enter_context(ours(folder, "--memory"))
        await send_all(server, [request_bytes("CreateTable", workload.table())], clients=1)
        await send_all(server, workload.preload())
        gets = list(workload.gets())
        rows = []
        for clients in (1, 16):
            rounds = []
            for _ in range(ROUNDS):
                rounds.append([await rate(port, itertools.cycle(gets), clients, 0.6) for port in (bare, server)])
            floor, get = (statistics.median(column) for column in zip(*rounds, strict=True))
            rows.append([str(clients), number(floor), number(get), ratio(floor, get)])
    return table(["clients", "bare HTTP server, requests/s", "our GetItem", "floor ÷ ours"], rows)


# --- storage ---------------------------------------------------------------------------------------------------------


async def _storage(folder: Path) -> str:
    bare = BareSqlite(folder / "bare.db")
    store = Embedded(folder / "ours.db")
    try:
        await store.call("CreateTable", plain_table())
        await _fill(store)
        return await _storage_rounds(bare, store)
    finally:
        await store.close()
        bare.connection.close()


async def _storage_rounds(bare: BareSqlite, store: Embedded) -> str:
    pairs: list[tuple[str, Callable[[], Times], Callable[[], Awaitable[Times]]]] = [
        ("GetItem, one at a time", bare.gets, lambda: _gets(store)),
        ("durable PutItem, one at a time", bare.commits, lambda: _puts(store, 1)),
        (f"durable PutItem, {TOGETHER} at a time", bare.grouped_commits, lambda: _puts(store, TOGETHER)),
    ]
    rows = []
    for title, floor, mine in pairs:
        rounds = [(*floor(), *await mine()) for _ in range(ROUNDS)]
        wall, processor, our_wall, our_processor = (statistics.median(column) for column in zip(*rounds, strict=True))
        for clock, least, reached in (("", wall, our_wall), (", processor", processor, our_processor)):
            rows.append([title + clock, f"{least:.1f}", f"{reached:.1f}", ratio(reached, least)])
    return table(["in process, µs each", "bare apsw", "Embedded", "ours ÷ floor"], rows)


class BareSqlite:
    """One table of keys and rows, durable, and nothing around it."""

    def __init__(self, path: Path) -> None:
        self.connection = apsw.Connection(str(path))
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "cache_size=-65536", "mmap_size=1073741824"):
            self.connection.execute(f"PRAGMA {pragma}").fetchall()
        self.connection.execute("CREATE TABLE rows (key BLOB PRIMARY KEY, row BLOB) WITHOUT ROWID")
        self.row = orjson.dumps(workload.item("user#00001", 1))
        with self.connection:
            self.connection.executemany("INSERT INTO rows VALUES (?, ?)", ((_key(n), self.row) for n in range(ROWS)))
        self.next = itertools.count(ROWS)

    def gets(self) -> Times:
        execute = self.connection.execute
        watch = Watch()
        for n in range(READS):
            execute("SELECT row FROM rows WHERE key = ?", (_key(n * 7 % ROWS),)).fetchone()
        return watch.each(READS)

    def commits(self) -> Times:
        return self._commits(WRITES, 1)

    def grouped_commits(self) -> Times:
        return self._commits(WRITES, TOGETHER)

    def _commits(self, count: int, together: int) -> Times:
        execute = self.connection.execute
        watch = Watch()
        for _ in range(count):
            execute("BEGIN IMMEDIATE")
            for _ in range(together):
                execute("INSERT INTO rows VALUES (?, ?)", (_key(next(self.next)), self.row))
            execute("COMMIT")
        return watch.each(count * together)


def _key(n: int) -> bytes:
    return b"user#%05d\x00row#%04d" % (n // workload.ROWS, n % workload.ROWS)


def plain_table() -> workload.Request:
    """The table of the workload without its index, since the bare one has none."""
    definition = workload.table()
    del definition["GlobalSecondaryIndexes"]
    definition["AttributeDefinitions"] = definition["AttributeDefinitions"][:2]
    return definition


def _item(n: int) -> workload.Request:
    return workload.item(f"user#{n // workload.ROWS:05}", n % workload.ROWS)


async def _fill(store: Embedded) -> None:
    for start in range(0, ROWS, 400):
        batches = [[_item(n) for n in range(first, first + 25)] for first in range(start, start + 400, 25)]
        await asyncio.gather(*(store.call("BatchWriteItem", workload.puts(batch)) for batch in batches))


async def _gets(store: Embedded) -> Times:
    requests = [
        {"TableName": workload.TABLE, "Key": workload.key(f"user#{n // workload.ROWS:05}", n % workload.ROWS)}
        for n in (n * 7 % ROWS for n in range(READS))
    ]
    watch = Watch()
    for request in requests:
        await store.call("GetItem", request)
    return watch.each(READS)


_next = itertools.count(ROWS)


async def _puts(store: Embedded, together: int) -> Times:
    count = WRITES * together
    requests = iter([{"TableName": workload.TABLE, "Item": _item(next(_next))} for _ in range(count)])

    async def lane() -> None:
        for request in requests:
            await store.call("PutItem", request)

    watch = Watch()
    await asyncio.gather(*(lane() for _ in range(together)))
    return watch.each(count)
