"""What runs in processes that are killed. Faults are planted here, never in the product."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any

from sekkei.engine import Engine
from sekkei.engine.history import housekeeping
from sekkei.engine.operations import put_item
from sekkei.engine.storage import documents
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.storage.writer import Writer
from sekkei.wire.server import Server
from tests.torture import store

LANES = 4

_context = multiprocessing.get_context("forkserver")
# What every child needs is loaded once; a child is then ready within milliseconds.
_context.set_forkserver_preload(["pytest", "tests.conftest", "tests.torture.children", "sekkei.web.testing"])


class Child:
    """A process that tells what it does and can be killed at any moment."""

    def __init__(self, target: Callable[..., None], *arguments: Any) -> None:
        self._pipe, theirs = _context.Pipe(duplex=False)
        self.process = _context.Process(target=target, args=(theirs, *arguments), daemon=True)
        self.process.start()
        theirs.close()

    def listen(self, seconds: float = 30.0) -> Iterator[Any]:
        """What it says, until it ends or has been silent for too long."""
        with contextlib.suppress(EOFError):
            while self._pipe.poll(seconds):
                yield self._pipe.recv()

    def kill(self) -> list[Any]:
        """End it as a crash does; gives what it had still said."""
        assert self.process.pid is not None
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()
        return list(self.listen())

    def join(self) -> int:
        self.process.join()
        return int(self.process.exitcode or 0)


def write_load(pipe: Connection, path: str, start: int, planted: str | None) -> None:
    """Transactions from `start` on, several at once, each announced before and acknowledged after."""
    plant(planted)
    asyncio.run(_write_load(pipe, path, start))


async def _write_load(pipe: Connection, path: str, start: int) -> None:
    numbers = itertools.count(start)
    with Engine(path, housekeeping_seconds=0.01) as engine:
        await store.create(engine)

        async def lane() -> None:
            for number in numbers:
                pipe.send(("begun", number))
                await store.transact(engine, number, f"token-{number}")
                pipe.send(("done", number))
                await store.move(engine, number)

        await asyncio.gather(*(lane() for _ in range(LANES)))


def serve_store(pipe: Connection, path: str, planted: str | None) -> None:
    """The store over HTTP; tells its port."""
    plant(planted)
    asyncio.run(_serve_store(pipe, path))


async def _serve_store(pipe: Connection, path: str) -> None:
    with Engine(path, housekeeping_seconds=0.01) as engine:
        server = Server(engine)
        await server.start()
        pipe.send(server.port)
        await asyncio.Event().wait()


# Planted faults: what the programmes must notice.


def plant(name: str | None) -> None:
    if name is not None:
        _FAULTS[name]()


def _acknowledge_early() -> None:
    """Answers before the commit, as a writer would that forgets what the order is for."""
    commit = Writer._commit

    class Early:
        def __init__(self, connection: Any, tell: Callable[[], None]) -> None:
            self._connection = connection
            self._tell = tell

        def __getattr__(self, name: str) -> Any:
            return getattr(self._connection, name)

        def execute(self, text: str, *bindings: Any) -> Any:
            if text == "COMMIT":
                self._tell()
                time.sleep(0.005)
            return self._connection.execute(text, *bindings)

    def early(self: Writer, connection: Any, jobs: Any, begun: bool) -> None:
        commit(self, Early(connection, lambda: self._deliver(jobs)), jobs, begun)  # type: ignore[arg-type]

    Writer._commit = early  # type: ignore[method-assign]
    # On an event loop that commits itself, nobody could be told before.
    Writer._commit_here = lambda self, jobs: False  # type: ignore[method-assign]


def _commit_each_put() -> None:
    """Commits item by item, so that a transaction can be torn."""
    put = Transaction.put

    def torn(self: Transaction, *arguments: Any, **more: Any) -> bool:
        changed = put(self, *arguments, **more)
        self.connection.execute("COMMIT")
        # Long enough for another process to look, also where they take turns on one core.
        time.sleep(0.005)
        self.connection.execute("BEGIN IMMEDIATE")
        return changed

    Transaction.put = torn  # type: ignore[method-assign]


def _forget_tokens() -> None:
    """Does not remember which transactions were done."""
    documents.remember = lambda *arguments: None  # type: ignore[assignment]


def _index_later() -> None:
    """Writes index entries in another commit than their item."""
    index = Transaction.index

    def later(self: Transaction, *arguments: Any) -> None:
        self.afterwards(lambda following: index(following, *arguments))

    Transaction.index = later  # type: ignore[method-assign]


def _unindex_later() -> None:
    """Takes the index entries of a deleted item away in another commit."""
    index = Transaction.index

    def later(self: Transaction, table: Any, base: bytes, row: int, old: Any, new: Any) -> None:
        if new[0] is None:
            self.afterwards(lambda following: index(following, table, base, row, old, new))
        else:
            index(self, table, base, row, old, new)

    Transaction.index = later  # type: ignore[method-assign]


def _expire_early() -> None:
    """Takes items away whose time has not come."""
    delete = housekeeping._delete_expired_of
    # As far as a lifetime of five years reaches from there.
    housekeeping.OLDEST_SECONDS *= 100
    housekeeping._delete_expired_of = lambda transaction, table, now, limit: delete(
        transaction, table, 2 * store.FAR, limit
    )


def _expire_unseen() -> None:
    """Tells no stream of what has expired."""
    log = Transaction._log

    def silent(self: Transaction, *arguments: Any, **more: Any) -> None:
        if not (more.get("by_ttl") or arguments[-1] is True):
            log(self, *arguments, **more)

    Transaction._log = silent  # type: ignore[method-assign]


def _answer_from_memory() -> None:
    """Keeps what it has read, though another process may write."""
    get, kept = Snapshot.get, dict[tuple[int, bytes], tuple[int, bytes | None]]()

    def remembered(self: Snapshot, table: Any, key: bytes) -> bytes | None:
        times, blob = kept.get((table.id, key), (0, None))
        if not times:
            times, blob = 4, get(self, table, key)
        kept[table.id, key] = times - 1, blob
        return blob

    Snapshot.get = remembered  # type: ignore[method-assign]


def _swap_blindly() -> None:
    """Writes whether its condition holds or not."""
    put_item.check_condition = lambda checked, old: None  # type: ignore[attr-defined]


_FAULTS: dict[str, Callable[[], None]] = {
    "acknowledge early": _acknowledge_early,
    "commit each put": _commit_each_put,
    "forget tokens": _forget_tokens,
    "index later": _index_later,
    "unindex later": _unindex_later,
    "expire early": _expire_early,
    "expire unseen": _expire_unseen,
    "answer from memory": _answer_from_memory,
    "swap blindly": _swap_blindly,
}
