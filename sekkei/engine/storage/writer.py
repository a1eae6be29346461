"""One writer with group commit: the writes that wait when a commit ends go into the next one, together.

An fsync costs a quarter of a millisecond or more, whether it covers one write or two hundred. Jobs are run in the
order in which they came, each to its end, so that they are serial; all of them are acknowledged after the one commit.

The hop to the writer's thread and back costs more than a small write, so a write takes one of three paths:

    Path            when                                             committed by          fsync shared with
    AT_ONCE         in memory, no other task has written in this     the event loop        no other write
                    iteration of the event loop
    NEXT_ITERATION  the thread has no jobs                           see below             writes of this iteration
    THREAD          the thread has jobs, another thread or process   the writer's thread   all jobs that wait
                    has the connection, or the operation may take
                    long (it creates a table, or its request is
                    large)

In the next iteration, the event loop commits the writes that have gathered if it keeps no other request waiting: in
memory always; on disk if the write is alone or the loop has served no read since, and commits have not been slow of
late. Otherwise the thread waits for the fsync, and the loop serves reads. A caller without an event loop waits for the
commit in any case, so it commits in its own thread if the connection is free, and else uses the writer's thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import queue
import threading
import time
from collections.abc import Awaitable, Callable, Generator
from enum import Enum, auto
from typing import Any, Protocol

import apsw

from sekkei.engine.settings import Settings
from sekkei.engine.storage import file, sql
from sekkei.engine.storage.ack_log import Acknowledged, new_store
from sekkei.engine.storage.snapshot import Catalogue
from sekkei.engine.storage.transaction import Transaction
from sekkei.errors import DynamoDBError, InternalServerError, NotOurFile, TransactionConflictException

_Work = Callable[[Transaction], Any]


class WritePath(Enum):
    """The path of a write; the module's table says when it takes which."""

    AT_ONCE = auto()
    NEXT_ITERATION = auto()
    THREAD = auto()


# In Python 3.11 it takes as long to look up a member of an enum as to call a function.
_AT_ONCE, _NEXT_ITERATION, _THREAD = WritePath


class Job:
    """A piece of work for the writer, and the future of an event loop, or the caller without one, that waits for it."""

    __slots__ = ("error", "future", "is_queued", "loop", "result", "work")

    def __init__(
        self,
        work: _Work,
        loop: asyncio.AbstractEventLoop | _Waiter | None = None,
        future: asyncio.Future[Any] | _Waiter | None = None,
        *,
        is_queued: bool = True,
    ) -> None:
        self.work = work
        self.is_queued = is_queued
        """Whether the count of jobs in the queue includes it; housekeeping is never queued."""
        self.loop = loop
        self.future = future
        self.result: Any = None
        self.error: BaseException | None = None

    @property
    def is_orphaned(self) -> bool:
        """Whether its event loop has been closed. Then it is not run: it would overwrite newer acknowledged writes."""
        return isinstance(self.loop, asyncio.AbstractEventLoop) and self.loop.is_closed()

    def deliver(self) -> None:
        """Give the result to the future; runs in the future's own event loop."""
        if self.future is None or self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class _Waiter:
    """Loop and future of a caller that has no event loop: a lock that the writer opens."""

    __slots__ = ("_lock", "error", "result")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()
        self.result: Any = None
        self.error: BaseException | None = None

    def wait(self) -> None:
        self._lock.acquire()

    def call_soon_threadsafe(self, deliver: Callable[[list[Job]], None], jobs: list[Job]) -> None:
        deliver(jobs)

    def done(self) -> bool:
        return False

    def set_result(self, result: Any) -> None:
        self.result = result
        self._lock.release()

    def set_exception(self, error: BaseException) -> None:
        self.error = error
        self._lock.release()

    def __await__(self) -> Generator[None, None, Any]:
        if self.error is not None:
            raise self.error
        return self.result
        yield  # never reached; it makes this a generator, which is what is awaited


_BATCH_JOBS_MAX = 256
SLOW_SECONDS = 0.002
"""Commits that take longer on average are left to the thread, so that the event loop serves other requests."""
SOLO_COMMITS_MIN = 8
"""After writes that shared a commit, so many commits of one job pass before a write is committed at once again."""
CHECKPOINT_PAGES = 4_000
"""From this size on the write-ahead log is copied into the database, while writes go on."""

log = logging.getLogger("sekkei.engine")

_NO_TASK = object()
_WITHOUT_WAITING = (False,)
_CLOSED = "This store is closed."


class _Connect(Protocol):
    def __call__(self, *, as_it_is: bool = False) -> apsw.Connection:
        """`as_it_is`: the file is to be there, and is not laid out."""
        ...


class WroteBeforeFailing(Exception):
    """A job failed half-way: its batch must be undone."""


class Writer:
    """The thread that writes. It starts with the first job."""

    def __init__(
        self,
        connect: _Connect,
        settings: Settings,
        housekeeping: _Work,
        acknowledged_for: str | None = None,
    ) -> None:
        """`acknowledged_for` is the file beside which acknowledged commits are noted; None for one in memory."""
        self._connect = connect
        self._acknowledged_for = acknowledged_for
        self._is_in_memory = acknowledged_for is None
        self._acknowledged: Acknowledged | None = None
        self._new_store = new_store()
        self._housekeeping = housekeeping
        self._housekeeping_due = 0.0
        self._catalogue = Catalogue()
        self._settings = settings
        self._queue: queue.SimpleQueue[list[Job] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._state_lock = threading.Lock()
        self._closed = False
        self.closed_because = _CLOSED
        self._ended = False
        """Whether the thread has stopped: later jobs are refused."""
        self._connection: apsw.Connection | None = None
        self._connection_lock = threading.Lock()
        """Its holder may use the connection and the catalogue."""
        self._waiting = 0
        """The number of jobs in the queue or in the thread."""
        self._gathered: list[Job] = []
        """Jobs that wait for the next iteration of their event loop."""
        self._task: object = _NO_TASK
        """The task that has written in this iteration of the event loop."""
        self._task_loop: asyncio.AbstractEventLoop
        self._solo_commits_left = 0
        """In memory: how many commits of one job must pass until a write is committed at once again."""
        self.has_served_reads = False
        """Whether the event loop has served a read since it last had writes to commit. Set by the engine."""
        self._log_pages = 0
        self._checkpoint_from: float = CHECKPOINT_PAGES
        self._copying: threading.Thread | None = None
        self._copied = False
        """Whether the log has been copied into the database, save for the writes during the copy."""
        self._checkpoint_lock = threading.Lock()
        """Held while the log is copied."""
        self._commit_seconds = 0.0
        """How long a commit on an event loop takes, on average."""

    def schedule(self, work: _Work) -> None:
        """Have `work` done in the next batch; no caller waits for it."""
        self.start()
        self._put([Job(work)])

    def _put(self, jobs: list[Job]) -> None:
        with self._state_lock:
            if not self._ended:
                self._waiting += len(jobs)
                self._queue.put(jobs)
                return
        self._refuse(jobs)

    def _refuse(self, jobs: list[Job]) -> None:
        """Fail the jobs that came too late; work that no caller waits for is done when the file is opened again."""
        waited_for = [job for job in jobs if job.loop is not None]
        for job in waited_for:
            job.error = RuntimeError(self.closed_because)
        self._deliver(waited_for)

    async def run(self, work: _Work) -> Any:
        """Do `work` in the next batch; returns when it is on disk."""
        return await self.submit(work)

    def submit(self, work: _Work, fastest: WritePath = WritePath.THREAD) -> Awaitable[Any]:
        """Have `work` done; the future is done when it is on disk. `fastest` is the fastest path it may take."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return self._submit_without_loop(work)
        job = self._job(work, loop, loop.create_future())
        path = fastest if fastest is _THREAD else self._path(loop)
        if path is _AT_ONCE and not self._commit_here([job]):
            path = _NEXT_ITERATION
        if path is _NEXT_ITERATION:
            self._gather(job, loop)
        elif path is _THREAD:
            self._put([job])
        return job.future  # type: ignore[return-value]

    def _path(self, loop: asyncio.AbstractEventLoop) -> WritePath:
        """Return the path of a write that is done in a moment."""
        if self._waiting:
            return _THREAD
        if self._is_in_memory and not self._solo_commits_left and self._is_first_in_iteration(loop):
            return _AT_ONCE
        return _NEXT_ITERATION

    def _submit_without_loop(self, work: _Work) -> _Waiter:
        """Do the work in the caller's thread if no other thread writes: without an event loop it waits in any case."""
        waiter = _Waiter()
        job = self._job(work, waiter, waiter)
        if not self._commit_here([job]):
            self._put([job])
            waiter.wait()
        return waiter

    def _job(
        self, work: _Work, loop: asyncio.AbstractEventLoop | _Waiter, future: asyncio.Future[Any] | _Waiter
    ) -> Job:
        if self._thread is None or self._closed:
            try:
                self.start()
            except (apsw.Error, NotOurFile) as error:
                raise as_dynamodb_error(error) from error
        return Job(work, loop, future)

    def _is_first_in_iteration(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether no other task has written in this iteration of the loop; one task may write several times."""
        task = asyncio.current_task(loop)
        if self._task is task and task is not None:
            return True
        if self._task is _NO_TASK or self._task_loop.is_closed():
            self._task, self._task_loop = task, loop
            loop.call_soon(self._begin_iteration)
            return True
        return False

    def _begin_iteration(self) -> None:
        self._task = _NO_TASK

    def _gather(self, job: Job, loop: asyncio.AbstractEventLoop) -> None:
        """Commit the job in the next iteration, together with other jobs of this one."""
        with self._state_lock:
            others = self._gathered
            if not others or others[0].is_orphaned:
                self._gathered = [job]
                loop.call_soon(self._end_iteration)
                return
            if others[0].loop is loop:
                others.append(job)
                return
        self._put([job])

    def _end_iteration(self) -> None:
        """Commit the gathered jobs: on the loop if that delays no other request, else in the thread."""
        with self._state_lock:
            jobs, self._gathered = self._gathered, []
        if jobs and not (self._may_commit_on_loop(jobs) and self._commit_here(jobs)):
            self._put(jobs)

    def _may_commit_on_loop(self, jobs: list[Job]) -> bool:
        has_served_reads, self.has_served_reads = self.has_served_reads, False
        if self._is_in_memory:
            return True
        return (len(jobs) == 1 or not has_served_reads) and not self._is_slow()

    def _is_slow(self) -> bool:
        self._commit_seconds *= 0.99  # so that one day it is tried again
        return self._commit_seconds > SLOW_SECONDS

    def _commit_here(self, jobs: list[Job]) -> bool:
        """Run jobs in this thread and commit them; False if another thread or process writes."""
        if self._waiting:
            return False
        taken: list[bool] = []
        try:
            if not _try_lock(self._connection_lock, taken):
                return False
            connection, began = self._connection, time.perf_counter()
            if connection is None or not _begun(connection):
                return False
            self._run_batch(connection, jobs, begun=True)
            self._commit_seconds += 0.2 * (time.perf_counter() - began - self._commit_seconds)
        except BaseException:
            if True in taken and self._connection is not None:
                _undo(self._connection)
            raise
        finally:
            if True in taken:
                self._connection_lock.release()
        _deliver_all(jobs)
        if self._log_pages >= self._checkpoint_from:
            self._put([Job(_nothing)])  # wakes the thread
        return True

    def start(self) -> None:
        """Start the thread, which runs jobs and whatever is due by the clock."""
        with self._state_lock:
            if self._closed:
                raise RuntimeError(self.closed_because)
            if self._thread is None:
                self._set_housekeeping_due()
                # Opened here, so that the caller gets the error of a file that cannot be opened.
                connection = self._connection = self._connect()
                connection.set_wal_hook(self._note_log)
                if self._acknowledged_for is not None:
                    self._acknowledged = Acknowledged(self._acknowledged_for)
                self._thread = threading.Thread(
                    target=self._serve, args=(connection,), name="sekkei-writer", daemon=True
                )
                self._thread.start()

    def close(self) -> None:
        """Finish what was submitted, then stop."""
        with self._state_lock:
            self._closed = True
            if self._thread is None:
                return
            gathered, self._gathered = self._gathered, []
        if gathered and not gathered[0].is_orphaned:
            self._put(gathered)
        self._queue.put(None)
        self._thread.join()

    @property
    def locks(self) -> tuple[threading.Lock, ...]:
        """All locks, in the order to take them: their holder knows that no thread uses a connection of the writer."""
        return self._checkpoint_lock, self._connection_lock, self._state_lock

    def abandon(self, because: str) -> None:
        """Refuse all jobs, in the child of a fork: it has no writer's thread, and locks that no thread will release."""
        self._checkpoint_lock, self._connection_lock, self._state_lock = (
            threading.Lock(),
            threading.Lock(),
            threading.Lock(),
        )
        self._closed = self._ended = True
        self.closed_because, self._thread, self._gathered = because, None, []

    def _serve(self, connection: apsw.Connection) -> None:
        try:
            last = False
            while not last:
                jobs, last = self._next_batch()
                if jobs:
                    with self._connection_lock:
                        self._run_batch(connection, jobs)
                    with self._state_lock:
                        self._waiting -= sum(job.is_queued for job in jobs)
                    self._deliver(jobs)
                if self._log_pages >= self._checkpoint_from:
                    self._begin_checkpoint()
                if self._copied:
                    self._end_checkpoint(connection)
        finally:
            if self._copying is not None:
                self._copying.join()
            with self._connection_lock:
                self._connection = None
                file.close(connection)
                if self._acknowledged is not None:
                    self._acknowledged.close()
            self._refuse(self._left())

    def _left(self) -> list[Job]:
        """What came between the last batch and the end."""
        left: list[Job] = []
        with self._state_lock, contextlib.suppress(queue.Empty):
            self._ended = True
            while True:
                left += self._queue.get_nowait() or []
        return left

    def _note_log(self, connection: apsw.Connection, name: str, pages: int) -> int:
        self._log_pages = pages
        return apsw.SQLITE_OK

    def _begin_checkpoint(self) -> None:
        """Put the log into the database, as far as no reader still needs what it replaces, while others write on."""
        self._checkpoint_from = math.inf
        try:
            copying = threading.Thread(target=self._copy_log, name="sekkei-checkpoint", daemon=True)
            copying.start()
            self._copying = copying
        except (RuntimeError, MemoryError):  # no thread can be had
            self._copied = True

    def _copy_log(self) -> None:
        # Whatever goes wrong here, the writer tries again.
        with (
            contextlib.suppress(Exception),
            self._checkpoint_lock,
            contextlib.closing(self._connect(as_it_is=True)) as connection,
        ):
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        self._copied = True
        self._put([Job(_nothing)])  # wakes the writer

    def _end_checkpoint(self, connection: apsw.Connection) -> None:
        """The little that was written meanwhile: only a log that is in the database whole is begun anew."""
        self._copying, self._copied = None, False
        pages, done = self._log_pages, 0
        with self._connection_lock, contextlib.suppress(apsw.Error):
            pages, done = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        self._log_pages = 0
        # If a reader is in the way, some more may come before it is tried again.
        self._checkpoint_from = CHECKPOINT_PAGES if done >= pages else pages + CHECKPOINT_PAGES // 4

    def _next_batch(self) -> tuple[list[Job], bool]:
        jobs: list[Job] = []
        some = self._next_jobs()
        while some is not None:
            jobs += some
            if len(jobs) >= _BATCH_JOBS_MAX:
                return jobs, False
            try:
                some = self._queue.get_nowait()
            except queue.Empty:
                return jobs, False
        return jobs, True

    def _next_jobs(self) -> list[Job] | None:
        """Whatever comes first, jobs or the time for housekeeping."""
        left = self._housekeeping_due - time.monotonic()
        if left > 0:
            with contextlib.suppress(queue.Empty):
                return self._queue.get(timeout=min(left, threading.TIMEOUT_MAX))
        self._set_housekeeping_due()
        return [Job(self._housekeeping, is_queued=False)]

    def _set_housekeeping_due(self) -> None:
        seconds = self._settings.housekeeping_seconds
        self._housekeeping_due = math.inf if seconds is None else time.monotonic() + seconds

    def _run_batch(self, connection: apsw.Connection, jobs: list[Job], *, begun: bool = False) -> None:
        """`begun` says that the transaction is open already."""
        self._solo_commits_left = SOLO_COMMITS_MIN if len(jobs) > 1 else max(self._solo_commits_left - 1, 0)
        try:
            self._commit(connection, jobs, begun)
        except Exception as error:
            if len(jobs) == 1:
                if not isinstance(error, WroteBeforeFailing):
                    jobs[0].error = as_dynamodb_error(error)
                return
            # One job must not take the others down with it.
            for job in jobs:
                job.result = job.error = None
                self._run_batch(connection, [job])

    def _commit(self, connection: apsw.Connection, jobs: list[Job], begun: bool) -> None:
        """condition → item → indexes → change record of every job, and one commit for all."""
        if not begun:
            _begin(connection)
        try:
            before = connection.total_changes()
            self._catalogue.refresh(connection)
            transaction = Transaction(connection, self._catalogue, self._settings)
            for job in jobs:
                transaction.wrote = False
                try:
                    job.result = job.work(transaction)
                except DynamoDBError as error:
                    job.error = error
                    if transaction.wrote:
                        raise WroteBeforeFailing from error
            transaction.flush_statistics()
            counted = self._count_commit(connection, before)
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(apsw.Error):
                connection.execute("ROLLBACK")
            # The catalogue may hold what has just been undone.
            self._catalogue.version = 0
            raise
        if counted is not None and self._acknowledged is not None:
            self._acknowledged.note(*counted)
        for work in transaction.follow_ups:
            self._put([Job(work)])

    def _count_commit(self, connection: apsw.Connection, before: int) -> tuple[int, int] | None:
        """Raise the file's own count of commits, if this is one that changes anything."""
        if self._acknowledged is None or connection.total_changes() == before:
            return None
        rows: list[Any] = connection.execute(sql.READ_COMMITS).fetchall()
        if not rows:
            connection.execute(sql.FIRST_COMMIT, (self._new_store,))
            return self._new_store, 1
        commits, store = rows[0]
        connection.execute(sql.COUNT_COMMIT, (commits + 1,))
        return store, commits + 1

    def _deliver(self, jobs: list[Job]) -> None:
        by_loop: dict[asyncio.AbstractEventLoop | _Waiter, list[Job]] = {}
        for job in jobs:
            if job.loop is not None:
                by_loop.setdefault(job.loop, []).append(job)
            elif job.error is not None:
                log.error("work in the background failed; it is tried again later", exc_info=job.error)
        for loop, done in by_loop.items():
            # The callers of a closed loop are gone.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_deliver_all, done)


def _try_lock(lock: threading.Lock, taken: list[bool]) -> bool:
    """Take the lock if it is free. `taken` notes it in the same call, so that a KeyboardInterrupt never falls between
    the two."""
    taken.extend(map(lock.acquire, _WITHOUT_WAITING))
    return taken[-1]


def _begin(connection: apsw.Connection) -> None:
    if connection.in_transaction:
        # An earlier one that could not be undone when it failed, because memory had run out.
        connection.execute("ROLLBACK")
    connection.execute("BEGIN IMMEDIATE")


def _undo(connection: apsw.Connection) -> None:
    """After an interruption: other processes wait for the end of what was begun."""
    with contextlib.suppress(apsw.Error):
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _begun(connection: apsw.Connection) -> bool:
    """Begin a transaction, if no other process is in the way."""
    try:
        connection.set_busy_timeout(0)
        _begin(connection)
    except apsw.Error:
        return False
    finally:
        connection.set_busy_timeout(file.BUSY_TIMEOUT_MS)
    return True


def _nothing(transaction: Transaction) -> None:
    pass


def _deliver_all(jobs: list[Job]) -> None:
    for job in jobs:
        job.deliver()


def as_dynamodb_error(error: BaseException) -> BaseException:
    """What a failure of the disk or of the file means to a caller who speaks DynamoDB."""
    if isinstance(error, apsw.BusyError):
        return TransactionConflictException("Another process holds the store's file; nothing was written. Try again.")
    if isinstance(error, apsw.FullError):
        return InternalServerError("The disk is full; nothing was written. Free some space and try again.")
    if isinstance(error, apsw.ReadOnlyError):
        return InternalServerError("The store's file is read-only; nothing was written.")
    if isinstance(error, apsw.NoMemError | MemoryError):
        return InternalServerError("Memory has run out; nothing was written. Try again.")
    if isinstance(error, apsw.Error | NotOurFile):
        return InternalServerError(f"The store's file could not be used: {error}")
    return error
