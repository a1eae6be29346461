"""The engine: DynamoDB's operations on one SQLite file, in this process.

A call is validated in the caller's thread. A read then goes straight to that thread's own connection: it neither waits
nor changes threads. A write is handed to the one writer and returns when the commit it is part of is on disk.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
import weakref
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import apsw
import orjson

from sekkei.clock import SYSTEM, Clock
from sekkei.engine import operations
from sekkei.engine.history import housekeeping, jobs, streams
from sekkei.engine.items.values import DEPTH_MAX
from sekkei.engine.operation import Checked, FastAnswer, Operation, Read, Reading, Render, Response, Slices, is_large
from sekkei.engine.settings import DEFAULTS, Settings
from sekkei.engine.storage import file
from sekkei.engine.storage.catalogue import DEFAULT_REGION
from sekkei.engine.storage.snapshot import Catalogue, Snapshot
from sekkei.engine.storage.temp_dir import TempDir
from sekkei.engine.storage.writer import WritePath, Writer, as_dynamodb_error
from sekkei.errors import DynamoDBError, NotOurFile, ResourceNotFoundException

_CALLS_IN_A_ROW = 64


class Engine:
    """DynamoDB in one file; in memory (and gone afterwards) when no path is given."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        *,
        clock: Clock = SYSTEM,
        region: str = DEFAULT_REGION,
        s3_folder: str | os.PathLike[str] | None = None,
        housekeeping_seconds: float | None = DEFAULTS.housekeeping_seconds,
        ttl_delay_seconds: float = DEFAULTS.ttl_delay_seconds,
        ttl_deletes_max: int = DEFAULTS.ttl_deletes_max,
    ) -> None:
        self.clock = clock
        self.region = region
        if path is None:
            self._temp_dir: TempDir | None = TempDir()
            weakref.finalize(self, self._temp_dir.remove)  # also when nobody closes the engine
            self.path = os.path.join(self._temp_dir.path, "memory.db")
        else:
            # Whoever goes to another folder later still means this file.
            self._temp_dir, self.path = None, os.path.abspath(os.fspath(path))
            file.prepare(self.path)
        self._catalogue = Catalogue()
        self._threads: Any = threading.local()
        self._readers: dict[weakref.ref[Snapshot], apsw.Connection] = {}
        self._ended: list[weakref.ref[Snapshot]] = []
        """Readers whose threads have ended."""
        self._lock = threading.Lock()
        self._closed = False
        self._check_threads: ThreadPoolExecutor | None = None
        self._calls = 0
        self._settings = Settings(
            clock=clock,
            region=region,
            s3_folder=Path(s3_folder) if s3_folder is not None else Path(self.path).parent / "s3",
            housekeeping_seconds=housekeeping_seconds,
            ttl_delay_seconds=ttl_delay_seconds,
            ttl_deletes_max=ttl_deletes_max,
        )
        self._writer = Writer(
            self._connect, self._settings, housekeeping.run, self.path if self._temp_dir is None else None
        )
        with _REGISTER:
            _OPEN.add(self)
        self._check_is_whole()
        # Kept, so that one is left to put the log into the database when the store is closed.
        self._first = self._snapshot()
        _resume(self._first, self._writer)
        if housekeeping.is_needed(self._catalogue):
            self._writer.start()

    def _check_is_whole(self) -> None:
        if self._temp_dir is None:
            with self._lock:
                connection = self._connect()
                try:
                    file.check_is_whole(connection, self.path)
                finally:
                    # Not `file.close`: what is found to be damaged must stay as it is.
                    connection.close()

    def call(
        self, operation: str, request: Mapping[str, Any], render: Render = orjson.loads
    ) -> Coroutine[Any, Any, Response]:
        """Perform one operation; items in the response are `render(stored bytes)`."""
        return self._perform(operation, request, render, caller_may_change_it=True)

    def call_owned(
        self, operation: str, request: Mapping[str, Any], render: Render = orjson.loads
    ) -> Coroutine[Any, Any, Response]:
        """The same with a request that the caller gives away, as one from the wire: it need not be copied."""
        return self._perform(operation, request, render, caller_may_change_it=False)

    async def _perform(
        self, operation: str, request: Mapping[str, Any], render: Render, *, caller_may_change_it: bool
    ) -> Response:
        """`caller_may_change_it`: while a write waits, so it works on a copy of the request."""
        self._calls += 1
        if not self._calls % _CALLS_IN_A_ROW:
            # Neither a read nor a write in memory waits: a task that makes many would keep all others from the loop.
            await _yield_to_loop()
        found = operations.find(operation)
        if found.fast_answer is not None:
            answer = self._fast_answer(found.fast_answer, request, render)
            if answer is not None:
                return answer
        checked, large = found.fast_check(request) if found.fast_check is not None else None, False
        if checked is None:
            large = is_large(request) and _has_loop()
            if large:
                checked = await self._check_in_thread(found, request)
            else:
                is_copied = caller_may_change_it and not isinstance(found, Read) and _has_loop()
                checked = found.check(_own(request) if is_copied else request)
        read, write, fastest = found.plan(checked)
        if read is not None:
            self._writer.has_served_reads = True
            snapshot = getattr(self._threads, "snapshot", None) or self._first_snapshot()
            version = snapshot.catalogue.version
            try:
                response = read(snapshot, checked, render)
            except (DynamoDBError, apsw.Error) as error:
                response = self._read_again(read, snapshot, version, checked, render, error)
            return response if isinstance(response, dict) else await self._in_slices(response, snapshot)
        assert write is not None, "an operation reads or writes"
        written: Response = await self._writer.submit(
            lambda transaction: write(transaction, checked, render), WritePath.THREAD if large else fastest
        )
        return written

    def _fast_answer(self, answer: FastAnswer, request: Mapping[str, Any], render: Render) -> Response | None:
        """The answer, if the request has the simplest form. An error is left to the full check, which explains it."""
        self._writer.has_served_reads = True
        try:
            return answer(getattr(self._threads, "snapshot", None) or self._first_snapshot(), request, render)
        except (DynamoDBError, apsw.Error):
            return None

    def _read_again(
        self,
        read: Reading,
        snapshot: Snapshot,
        version: int,
        checked: Checked,
        render: Render,
        error: Exception,
    ) -> Response | Slices:
        """A read that failed is tried once more if it was judged by tables that are no longer those of the file.

        Another thread may have read the new ones meanwhile: what counts is the version that the read began with.
        """
        try:
            snapshot.catalogue.refresh(snapshot.connection)
            if snapshot.catalogue.version != version:
                return read(snapshot, checked, render)
        except apsw.Error as second:
            raise as_dynamodb_error(second) from second
        raise as_dynamodb_error(error)

    def version(self) -> int:
        """A number that is another one after anybody, in any process, has written to the file."""
        snapshot = getattr(self._threads, "snapshot", None) or self._first_snapshot()
        found = snapshot.connection.pragma("data_version")
        assert isinstance(found, int)
        return found

    def past(
        self, table: str, key: Mapping[str, Any], before: int | None = None
    ) -> tuple[list[dict[str, Any]], int | None]:
        """Changes of one item, the newest first, and where to look on; a part of the log at a time."""
        snapshot = getattr(self._threads, "snapshot", None) or self._first_snapshot()
        return streams.changes_of(snapshot, table, key, before)

    async def _check_in_thread(self, operation: Operation, request: Mapping[str, Any]) -> Checked:
        """In a thread, one request after the other."""
        if self._closed:
            raise RuntimeError(self._writer.closed_because)
        if self._check_threads is None:
            self._check_threads = ThreadPoolExecutor(1, "sekkei-large-requests")
        # What is written is what has been checked, also if the caller changes the request meanwhile.
        check = operation.check if isinstance(operation, Read) else lambda request: operation.check(_copied(request))
        return await asyncio.get_running_loop().run_in_executor(self._check_threads, check, request)

    async def _in_slices(self, slices: Slices, snapshot: Snapshot) -> Response:
        """Do long work; between any two slices the event loop serves other requests."""
        try:
            while True:
                await _yield_to_loop()
                next(slices)
        except StopIteration as done:
            response: Response = done.value
            return response
        except apsw.SQLError as error:
            # What it reads from has been dropped in the meantime.
            snapshot.catalogue.refresh(snapshot.connection)
            raise ResourceNotFoundException("Requested resource not found") from error
        except apsw.Error as error:
            raise as_dynamodb_error(error) from error
        finally:
            slices.close()

    async def sweep(self) -> None:
        """Do all housekeeping that is due by the clock now, expired items first, instead of waiting for its time."""
        while await self._writer.run(housekeeping.step):
            pass

    def _connect(self, *, as_it_is: bool = False) -> apsw.Connection:
        return file.connect(self.path, durable=self._temp_dir is None, as_it_is=as_it_is)

    def _first_snapshot(self) -> Snapshot:
        """For a thread that has not read before."""
        try:
            return self._snapshot()
        except (apsw.Error, NotOurFile) as error:
            raise as_dynamodb_error(error) from error

    def _snapshot(self) -> Snapshot:
        """This thread's own view of the file."""
        with self._lock:
            if self._closed:
                raise RuntimeError("This store is closed.")
            self._let_ended_go()
            connection = self._connect()
            snapshot = Snapshot(connection, self._catalogue, self._settings)
            self._readers[weakref.ref(snapshot, _told_of_the_end(self))] = connection
        snapshot.catalogue.refresh(connection)
        self._threads.snapshot = snapshot
        return snapshot

    def _let_ended_go(self) -> None:
        """Close what threads have read with that are no more. The lock must be held."""
        while self._ended:
            self._readers.pop(self._ended.pop()).close(True)

    def close(self) -> None:
        """Finish the writes that were submitted, then let go of the file. Reads from other threads must be over."""
        self._writer.close()
        if self._check_threads is not None:
            self._check_threads.shutdown()
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._threads = threading.local()
            self._let_ended_go()
            for connection in self._readers.values():
                file.close(connection)
        with _REGISTER:
            _OPEN.discard(self)
        if self._temp_dir is not None:
            self._temp_dir.remove()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()


def _told_of_the_end(engine: Engine) -> Callable[[weakref.ref[Snapshot]], None]:
    """For the end of a thread, which lets go of its snapshot."""
    found = weakref.ref(engine)

    def ended(reader: weakref.ref[Snapshot]) -> None:
        engine = found()
        if engine is None:
            return
        engine._ended.append(reader)
        # Whoever has the lock may be this very thread, or one that forks: then the next to read does it.
        if engine._lock.acquire(blocking=False):
            try:
                engine._let_ended_go()
            finally:
                engine._lock.release()

    return ended


class _Forked:
    """What a child has in the place of its parent's connections. SQLite's must not be used on both sides of a fork:
    each would write where the other has written, and a store in memory knows of no locks."""

    @property
    def snapshot(self) -> Snapshot:
        raise RuntimeError(_FORKED)


class _Still:
    """What a store's readers find in the place of their connections while another thread forks this process."""

    def __init__(self, threads: Any) -> None:
        self.threads = threads
        self.is_over = threading.Event()

    @property
    def snapshot(self) -> Snapshot:
        self.is_over.wait(2 * _FORK_SECONDS)
        found: Snapshot = self.threads.snapshot
        return found

    @snapshot.setter
    def snapshot(self, made: Snapshot) -> None:
        self.threads.snapshot = made


_FORKED = "This store was opened before this process was forked; open one in the process that uses it."
_FORK_SECONDS = 5.0
"""How long a fork waits for what other threads are doing; then it goes on, and its child may be refused a file."""
_OPEN: weakref.WeakSet[Engine] = weakref.WeakSet()
_REGISTER = threading.Lock()
"""Whoever has it may change or go through the list of stores."""


class _Held(threading.local):
    """What the thread that forks has taken."""

    def __init__(self) -> None:
        self.locks: list[threading.Lock] = []
        self.engines: list[Engine] = []


_HELD = _Held()


def _hold_still() -> None:
    """Before a fork: nobody is inside SQLite, whose own locks would never be put down in the child, and no commit is
    half done."""
    until = time.monotonic() + _FORK_SECONDS
    _take(_REGISTER, until)
    engines = list(_OPEN)
    for engine in engines:
        for lock in (*engine._writer.locks, engine._lock):
            _take(lock, until)
        engine._threads = _Still(engine._threads)
        _HELD.engines.append(engine)
    while any(map(_is_read, engines)) and time.monotonic() < until:
        time.sleep(0.0005)


def _take(lock: threading.Lock, until: float) -> None:
    if lock.acquire(timeout=max(0.0, until - time.monotonic())):
        _HELD.locks.append(lock)


def _is_read(engine: Engine) -> bool:
    return any(map(file.is_busy, list(engine._readers.values())))


def _go_on() -> None:
    """After a fork, in the parent."""
    while _HELD.engines:
        engine = _HELD.engines.pop()
        if isinstance(still := engine._threads, _Still):
            engine._threads = still.threads
            still.is_over.set()
    while _HELD.locks:
        _HELD.locks.pop().release()


def _let_go() -> None:
    """After a fork, in the child: all stores are its parent's."""
    global _REGISTER
    _REGISTER = threading.Lock()
    _HELD.engines.clear()
    _HELD.locks.clear()
    file.inherit()
    for engine in list(_OPEN):
        engine._lock = threading.Lock()
        engine._readers, engine._ended = {}, []
        engine._check_threads = None
        engine._threads = _Forked()
        engine._closed = True
        engine._writer.abandon(_FORKED)
    _OPEN.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold_still, after_in_parent=_go_on, after_in_child=_let_go)


def _has_loop() -> bool:
    """A caller without an event loop, as the synchronous face is, cannot wait; nor does it keep a loop from others."""
    return asyncio._get_running_loop() is not None


def _own(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """A copy: a write waits for others, and the caller may go on with what the request is made of. JSON takes half the
    time or less."""
    try:
        copy: Mapping[str, Any] = orjson.loads(orjson.dumps(request, option=_AS_IT_IS))
    except TypeError:  # not JSON: there are bytes in it
        return _copied(request)  # type: ignore[no-any-return]
    return copy if copy == request else _copied(request)


_AS_IT_IS = orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS


def _copied(value: Any, deeper: int = 4 * DEPTH_MAX) -> Any:
    """Not deeper than any value may be: what goes on there is refused."""
    if type(value) is dict and deeper:
        return {name: each if type(each) is str else _copied(each, deeper - 1) for name, each in value.items()}
    if type(value) is list and deeper:
        return [each if type(each) is str else _copied(each, deeper - 1) for each in value]
    return value


async def _yield_to_loop() -> None:
    if _has_loop():
        await asyncio.sleep(0)


def _resume(snapshot: Snapshot, writer: Writer) -> None:
    """Go on with what was under way when the file was last closed."""
    jobs.resume_backfills(snapshot.catalogue, writer)
    housekeeping.resume_backfills(snapshot.catalogue, writer)
    jobs.resume(snapshot, writer)
