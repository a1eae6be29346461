"""A piece of work for the writer, and who waits for it: a future of an event loop, or a caller without one.

One writer with group commit: whatever waits when a commit ends goes into the next one, together.

An fsync costs a quarter of a millisecond or more, whether it covers one write or two hundred. Jobs are run in the
order in which they came, each to its end, so that they are serial; all of them are acknowledged after the one commit.

The hop to the writer's thread and back costs more than a small write. So a quick job that is alone is run where it is
called: nothing waits, nobody else writes, and the disk has not been slow of late. In memory the first of a turn of the
event loop is run at once; on disk, where company would share the fsync, the turn shows whether there is any. Company
that is alone, since nobody has read meanwhile, is committed there too: whoever uses the loop waits for that commit
anyway. Where some read, the thread waits for the fsync, and the loop serves them.
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
from typing import Any, Protocol

import apsw

from sekkei.engine.settings import Settings
from sekkei.engine.storage import file, sql
from sekkei.engine.storage.ack_log import Acknowledged, new_store
from sekkei.engine.storage.snapshot import Catalogue
from sekkei.engine.storage.transaction import Transaction
from sekkei.errors import DynamoDBError, InternalServerError, NotOurFile, TransactionConflictException

_Work = Callable[[Transaction], Any]


class Job:
    """Some work, and who waits for it."""

    __slots__ = ("error", "future", "is_counted", "loop", "result", "work")

    def __init__(
        self,
        work: _Work,
        loop: asyncio.AbstractEventLoop | _Waiter | None = None,
        future: asyncio.Future[Any] | _Waiter | None = None,
        *,
        is_counted: bool = True,
    ) -> None:
        self.work = work
        self.is_counted = is_counted
        """Whether it came through the queue."""
        self.loop = loop
        self.future = future
        self.result: Any = None
        self.error: BaseException | None = None

    @property
    def is_left_alone(self) -> bool:
        """Whether the event loop that it came from is no more: done later, it would come after what was told to be
        there meanwhile."""
        return isinstance(self.loop, asyncio.AbstractEventLoop) and self.loop.is_closed()

    def deliver(self) -> None:
        """In the loop of whoever waits."""
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
"""Commits that take longer on average are left to the thread: an event loop has others to serve."""
COMPANY_COMMITS = 8
"""Who has written together will do so again."""
CHECKPOINT_PAGES = 4_000
"""From here on the log is put into the database, beside those who write."""

log = logging.getLogger("sekkei.engine")

_NOBODY = object()
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
        self._acknowledged: Acknowledged | None = None
        self._new_store = new_store()
        self._housekeeping = housekeeping
        self._housekeeping_due = 0.0
        self._catalogue = Catalogue()
        self._settings = settings
        self._queue: queue.SimpleQueue[list[Job] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._start = threading.Lock()
        self._closed = False
        self.closed_because = _CLOSED
        self._ended = False
        """Nobody does any more jobs."""
        self._connection: apsw.Connection | None = None
        self._turn = threading.Lock()
        """Whoever has it may use the connection and the catalogue."""
        self._waiting = 0
        """Jobs on their way through the thread."""
        self._gathered: list[Job] = []
        """Jobs that wait for the end of their event loop's turn."""
        self._task: object = _NOBODY
        """Who has written since the event loop's turn began."""
        self._task_loop: asyncio.AbstractEventLoop
        self._company = 0
        """In memory: how many commits of one job it takes until a writer is taken for alone again."""
        self.somebody_reads = False
        """Whether the event loop has read for anybody since it last had something to commit. Set by the engine."""
        self._log_pages = 0
        self._checkpoint_from: float = CHECKPOINT_PAGES
        self._copying: threading.Thread | None = None
        self._copied = False
        """Whether the log has been copied into the database, but for what came meanwhile."""
        self._copies = threading.Lock()
        """Whoever copies has it."""
        self._commit_seconds = 0.0
        """What a commit on an event loop takes, on average."""

    def schedule(self, work: _Work) -> None:
        """Have `work` done in the next batch, with nobody waiting for it."""
        self.start()
        self._put([Job(work)])

    def _put(self, jobs: list[Job]) -> None:
        with self._start:
            if not self._ended:
                self._waiting += len(jobs)
                self._queue.put(jobs)
                return
        self._refuse(jobs)

    def _refuse(self, jobs: list[Job]) -> None:
        """Whoever came too late is told; what nobody waits for is done when the file is opened again."""
        waited_for = [job for job in jobs if job.loop is not None]
        for job in waited_for:
            job.error = RuntimeError(self.closed_because)
        self._deliver(waited_for)

    async def run(self, work: _Work) -> Any:
        """Do `work` in the next batch; returns when it is on disk."""
        return await self.submit(work)

    def submit(self, work: _Work) -> Awaitable[Any]:
        """Have `work` done in the next batch; the future is done when it is on disk."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return self._waited_for(work)
        job = self._job(work, loop, loop.create_future())
        self._put([job])
        return job.future  # type: ignore[return-value]

    def submit_quick(self, work: _Work) -> Awaitable[Any]:
        """The same for work that is done in a moment: on this event loop, if that is the quickest."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return self._waited_for(work)
        job = self._job(work, loop, loop.create_future())
        in_memory = self._acknowledged is None
        if self._waiting:
            self._put([job])
        elif not (in_memory and not self._company and self._is_first_this_turn(loop) and self._run_here([job])):
            self._gather(job, loop)
        return job.future  # type: ignore[return-value]

    def _waited_for(self, work: _Work) -> _Waiter:
        """A caller without an event loop waits for it anyway, so it does the work if nobody else writes."""
        waiter = _Waiter()
        job = self._job(work, waiter, waiter)
        if not self._run_here([job]):
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

    def _is_first_this_turn(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether no other task has written since the event loop's turn began; one after the other may."""
        task = asyncio.current_task(loop)
        if self._task is task and task is not None:
            return True
        if self._task is _NOBODY or self._task_loop.is_closed():
            self._task, self._task_loop = task, loop
            loop.call_soon(self._begin_turn)
            return True
        return False

    def _begin_turn(self) -> None:
        self._task = _NOBODY

    def _gather(self, job: Job, loop: asyncio.AbstractEventLoop) -> None:
        """Wait for the end of the event loop's turn, and for company."""
        with self._start:
            others = self._gathered
            if not others or others[0].is_left_alone:
                self._gathered = [job]
                loop.call_soon(self._end_turn)
                return
            if others[0].loop is loop:
                others.append(job)
                return
        self._put([job])

    def _end_turn(self) -> None:
        """Commit what has gathered: here if that keeps nobody, else in the thread, which waits for the fsync."""
        with self._start:
            jobs, self._gathered = self._gathered, []
        if jobs and not (self._belongs_here(jobs) and self._run_here(jobs)):
            self._put(jobs)

    def _belongs_here(self, jobs: list[Job]) -> bool:
        others_read, self.somebody_reads = self.somebody_reads, False
        if self._acknowledged is None:
            return True
        return (len(jobs) == 1 or not others_read) and not self._is_slow()

    def _is_slow(self) -> bool:
        self._commit_seconds *= 0.99  # so that one day it is tried again
        return self._commit_seconds > SLOW_SECONDS

    def _run_here(self, jobs: list[Job]) -> bool:
        """Run jobs in this thread and commit them; False if somebody else writes, in this process or another."""
        if self._waiting:
            return False
        taken: list[bool] = []
        try:
            # Taken and noted in one call: a KeyboardInterrupt is heard before or after it, and finds it noted.
            taken.extend(map(self._turn.acquire, _WITHOUT_WAITING))
            if False in taken:
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
                self._turn.release()
        _deliver_all(jobs)
        if self._log_pages >= self._checkpoint_from:
            self._put([Job(_nothing)])  # wakes the thread
        return True

    def start(self) -> None:
        """Be there for jobs and for what is due by the clock."""
        with self._start:
            if self._closed:
                raise RuntimeError(self.closed_because)
            if self._thread is None:
                self._set_housekeeping_due()
                # Opened here, so that a file that cannot be opened is the caller's error and not a thread's silence.
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
        with self._start:
            self._closed = True
            if self._thread is None:
                return
            gathered, self._gathered = self._gathered, []
        if gathered and not gathered[0].is_left_alone:
            self._put(gathered)
        self._queue.put(None)
        self._thread.join()

    @property
    def locks(self) -> tuple[threading.Lock, ...]:
        """Who has them all, in this order, knows that nobody is inside SQLite with a connection of the writer's."""
        return self._copies, self._turn, self._start

    def let_go(self, because: str) -> None:
        """In a process that was forked, where the thread is not, and whoever held a lock does not put it down."""
        self._copies, self._turn, self._start = threading.Lock(), threading.Lock(), threading.Lock()
        self._closed = self._ended = True
        self.closed_because, self._thread, self._gathered = because, None, []

    def _serve(self, connection: apsw.Connection) -> None:
        try:
            last = False
            while not last:
                jobs, last = self._next_batch()
                if jobs:
                    with self._turn:
                        self._run_batch(connection, jobs)
                    with self._start:
                        self._waiting -= sum(job.is_counted for job in jobs)
                    self._deliver(jobs)
                if self._log_pages >= self._checkpoint_from:
                    self._begin_checkpoint()
                if self._copied:
                    self._end_checkpoint(connection)
        finally:
            if self._copying is not None:
                self._copying.join()
            with self._turn:
                self._connection = None
                file.close(connection)
                if self._acknowledged is not None:
                    self._acknowledged.close()
            self._refuse(self._left())

    def _left(self) -> list[Job]:
        """What came between the last batch and the end."""
        left: list[Job] = []
        with self._start, contextlib.suppress(queue.Empty):
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
            self._copies,
            contextlib.closing(self._connect(as_it_is=True)) as connection,
        ):
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        self._copied = True
        self._put([Job(_nothing)])  # wakes the writer

    def _end_checkpoint(self, connection: apsw.Connection) -> None:
        """The little that was written meanwhile: only a log that is in the database whole is begun anew."""
        self._copying, self._copied = None, False
        pages, done = self._log_pages, 0
        with self._turn, contextlib.suppress(apsw.Error):
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
        return [Job(self._housekeeping, is_counted=False)]

    def _set_housekeeping_due(self) -> None:
        seconds = self._settings.housekeeping_seconds
        self._housekeeping_due = math.inf if seconds is None else time.monotonic() + seconds

    def _run_batch(self, connection: apsw.Connection, jobs: list[Job], *, begun: bool = False) -> None:
        """`begun` says that the transaction is open already."""
        self._company = COMPANY_COMMITS if len(jobs) > 1 else max(self._company - 1, 0)
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
            # A loop that has been closed has nobody left who waits.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_deliver_all, done)


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
