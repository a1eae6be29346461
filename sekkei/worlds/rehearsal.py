"""Recurring work, tried out at its time without being begun: a run that would do nothing is left out.

Whoever looks every minute whether there is something to do finds nothing most of the time, and only the work itself can
say when: time alone may give it something to do. So every run is tried, at its own minute and with the clock of a
process, while nothing else can happen in the world. What is stored is read on the spot. The first thing that is more
than reading (a write, a request to a service, anything that takes time) ends the rehearsal, and the run takes place as
ever; one that comes to its end has read what there is and would have left everything as it was. A rehearsal takes the
place of that run, whatever else it did in its process.
"""

from __future__ import annotations

import contextlib
import heapq
import pickle
import warnings
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NoReturn, cast

from sekkei.runtime.cron import Cron
from sekkei.runtime.system import ScheduledJob
from sekkei.runtime.worker import Worker
from sekkei.store.protocol import Request, Response
from sekkei.worlds.loop import VirtualLoop
from sekkei.worlds.processes import Process
from sekkei.worlds.seam import READS, Truth

Row = Mapping[str, Any]
TAKES_TIME = ("create_task", "call_at", "call_soon", "run_in_executor")
"""Of the loop: whoever needs it does more than read."""
KEPT_MAX = 1_000
cron = lru_cache(Cron)


class Earnest(BaseException):
    """It would do something."""


class Rehearsal:
    """Runs of schedules, tried out by the first of the processes that live."""

    def __init__(self, loop: VirtualLoop, truth: Truth, processes: Callable[[], Sequence[Process]], table: str) -> None:
        self._loop, self._truth, self._processes, self._table = loop, truth, processes, table
        self._read: dict[tuple[str, str], bytes] = {}
        """What was read since anything was written."""
        self._earnest: set[tuple[str, datetime]] = set()
        """Runs that would do something, by schedule and time, as far as is known since anything was written."""
        self._is_earnest = self.is_noting = False

    def forget(self) -> None:
        """Something was written."""
        self._read.clear()
        self._earnest.clear()

    def move_on(self, rows: Iterable[Row], horizon: float) -> None:
        """Note the next time of every schedule whose runs before it would do nothing. Nothing else can happen before
        the horizon; and once a run does something, all that comes after it may be different."""
        waiting = [(_moment(row), number, row) for number, row in enumerate(rows) if _recurs(row)]
        if not waiting or self._at(min(waiting)[0]) >= horizon:
            return
        heapq.heapify(waiting)
        moved: dict[int, tuple[Row, datetime]] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of what was to be begun beside what was refused
            while waiting and self._at(waiting[0][0]) < horizon and self._does_nothing(*waiting[0][::2]):
                moment, number, row = waiting[0]
                following = cron(row["cron"]["S"]).after(moment)
                moved[number] = row, following
                heapq.heapreplace(waiting, (following, number, row))
        for row, following in moved.values():
            self._note(row, following)

    def _at(self, moment: datetime) -> float:
        """By the loop's time."""
        return self._loop.time() + moment.timestamp() - self._truth.clock.now()

    def _does_nothing(self, moment: datetime, row: Row) -> bool:
        run = row["PK"]["S"], moment
        process = next(iter(self._processes()), None)
        job = None if process is None else _job(process, row)
        if process is None or job is None or run in self._earnest:
            return False
        with self._being_at(self._at(moment) - process.clock.skew_seconds):
            nothing = process.context.copy().run(self._tried, job)
        if not nothing:
            self._earnest.add(run)
        return nothing

    def _tried(self, job: ScheduledJob) -> bool:
        """Whether it came to its end and only read. Whoever catches what stops them does not change that."""
        self._is_earnest, work = False, cast(Coroutine[Any, Any, None], job({}))
        try:
            work.send(None)
        except StopIteration:
            return not self._is_earnest
        except (Exception, Earnest):
            return False
        with contextlib.suppress(Exception, Earnest):
            work.close()
        return False

    @contextlib.contextmanager
    def _being_at(self, moment: float) -> Iterator[None]:
        """For a while it is then; nothing can wait, and the store answers on the spot."""
        loop: Any = self._loop
        now, loop.virtual_seconds = loop.virtual_seconds, moment
        self._truth.rehearsal = self.answer
        for name in TAKES_TIME:
            setattr(loop, name, self._refuse)
        try:
            yield
        finally:
            for name in TAKES_TIME:
                delattr(loop, name)
            self._truth.rehearsal = None
            loop.virtual_seconds = now

    def _refuse(self, *arguments: Any, **named: Any) -> NoReturn:
        for each in arguments:
            if isinstance(each, Coroutine):
                each.close()
        self._is_earnest = True
        raise Earnest

    def answer(self, operation: str, request: Request) -> Response:
        if operation not in READS:
            self._refuse()
        asked = operation, repr(request)
        if asked not in self._read:
            if len(self._read) >= KEPT_MAX:
                self._read.clear()
            self._read[asked] = pickle.dumps(self._truth.now(operation, request))
        found: Response = pickle.loads(self._read[asked])
        return found

    def _note(self, row: Row, moment: datetime) -> None:
        """As the worker does that has carried it out."""
        text = moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        key = {name: row[name] for name in ("PK", "SK")}
        values = {":due": {"S": text}}
        request = {"TableName": self._table, "Key": key, "UpdateExpression": "SET due_at = :due"}
        self.is_noting = True
        self._truth.now("UpdateItem", {**request, "ExpressionAttributeValues": values})
        self.is_noting = False


def _recurs(row: Row) -> bool:
    """As `Worker.start` puts it, and nobody is at it or has failed in it."""
    free = not row.keys() & {"lease_by", "last_error"} and row.get("attempts", {"N": "0"}) == {"N": "0"}
    return free and "cron" in row and row.get("payload", {"M": {}}) == {"M": {}}


def _moment(row: Row) -> datetime:
    return datetime.fromisoformat(row["due_at"]["S"])


def _job(process: Process, row: Row) -> ScheduledJob | None:
    worker: Worker = process.app.state.shell.deployment.worker
    return worker.scheduled(row["system"]["S"], row["job"]["S"])
