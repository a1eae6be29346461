"""Recurring work, tried out at its time without being begun: a run that would do nothing is left out.

Whoever looks every minute whether there is something to do finds nothing most of the time, and only the work itself can
say when: time alone may give it something to do. So every run is tried, at its own minute and with the clock of a
process, while nothing else can happen in the world. What is stored is read on the spot, and so is what a service says
where asking changes nothing (`get_changes_nothing`). The first thing that is more than reading (a write, any other
request to a service, whatever takes time) ends the rehearsal, and the run takes place as ever; one that comes to its
end has read what there is and would have left everything as it was. A rehearsal takes the place of that run, whatever
else it did in its process.

Work that found nothing may say before when it would find nothing either (`ScheduledJob`). Until then its runs are left
out untried, as long as nobody writes; but for some, the last before that time among them, which show whether it is so.
"""

from __future__ import annotations

import contextlib
import heapq
import pickle
import warnings
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NoReturn, cast

from sekkei.runtime.cron import Cron
from sekkei.runtime.http import AT_ONCE
from sekkei.runtime.system import ScheduledJob
from sekkei.runtime.worker import Worker
from sekkei.store.http import Answer
from sekkei.store.protocol import Request, Response
from sekkei.worlds.chance import dice_of
from sekkei.worlds.fake_services import Internet
from sekkei.worlds.loop import VirtualLoop
from sekkei.worlds.processes import Process
from sekkei.worlds.seam import READS, Truth

Row = Mapping[str, Any]
_TAKES_TIME = ("create_task", "call_at", "call_soon", "run_in_executor")
"""Of the loop: whoever needs it does more than read."""
KEPT_MAX = 1_000
_BELIEVED = timedelta(hours=6)
"""For no longer than this, whatever it says: then it is asked again."""
STALE_SECONDS = 15.0
"""So old what a process keeps in its memory may be; what it says sooner after a write may be true of before it."""
INSTANT = timedelta(microseconds=1)
cron = lru_cache(Cron)


class Earnest(BaseException):
    """It would do something."""


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a job said when it found nothing: before a time it would find nothing, unless something is written."""

    said_at: datetime
    before: datetime
    tried_at: Sequence[datetime]
    """Runs that are tried all the same, to see whether it is so; the last is the first of which it said nothing."""

    def next_try(self, run: datetime) -> datetime:
        """Of the runs from this one on the first that cannot be left out untried."""
        return run if run >= self.before else min(each for each in self.tried_at if each >= run)


class Rehearsal:
    """Runs of schedules, tried out by the first of the processes that live."""

    def __init__(
        self,
        loop: VirtualLoop,
        truth: Truth,
        internet: Internet,
        processes: Callable[[], Sequence[Process]],
        table: str,
    ) -> None:
        self._loop, self._truth, self._internet = loop, truth, internet
        self._processes, self._table = processes, table
        self._read: dict[tuple[str, str], bytes] = {}
        """What was read since anything was written."""
        self._earnest: set[tuple[str, datetime]] = set()
        """Runs that would do something, by schedule and time, as far as is known since anything was written."""
        self._claims: dict[str, _Claim] = {}
        """By schedule, since anything was written."""
        self._written_at = loop.time()
        self.wrong = ""
        """The first claim that turned out not to hold."""
        self._is_earnest = self.is_noting = False

    def forget(self) -> None:
        """Something was written."""
        self._read.clear()
        self._earnest.clear()
        self._claims.clear()
        self._written_at = self._loop.time()

    def move_on(self, rows: Iterable[Row], horizon: float) -> None:
        """Note the next time of every schedule whose runs before it would do nothing. Nothing else can happen before
        the horizon, or what is to be done once; and once a run does something, all that comes after it may be
        different."""
        recurring: list[Row] = []
        for row in rows:
            if _recurs(row):
                recurring.append(row)
            else:
                horizon = min(horizon, self._at(_moment(row)))
        if not recurring or self._at(min(map(_moment, recurring))) >= horizon:
            return
        waiting = [(self._next_try(row, _moment(row)), number, row) for number, row in enumerate(recurring)]
        heapq.heapify(waiting)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of what was to be begun beside what was refused
            while self._at(waiting[0][0]) < horizon and self._does_nothing(*waiting[0][::2]):
                moment, number, row = waiting[0]
                following = self._next_try(row, _timetable(row).after(moment))
                heapq.heapreplace(waiting, (following, number, row))
        until = min(waiting[0][0], self._moment_at(horizon))
        for following, _, row in waiting:
            if _moment(row) <= until and _moment(row) < following:
                self._note(row, min(following, _timetable(row).after(until)))

    def _next_try(self, row: Row, run: datetime) -> datetime:
        claim = self._claims.get(_name(row))
        return run if claim is None else claim.next_try(run)

    def _at(self, moment: datetime) -> float:
        """By the loop's time."""
        return self._loop.time() + moment.timestamp() - self._truth.clock.now()

    def _moment_at(self, seconds: float) -> datetime:
        """Of the loop's time."""
        return datetime.fromtimestamp(self._truth.clock.now() + seconds - self._loop.time(), UTC)

    def _does_nothing(self, moment: datetime, row: Row) -> bool:
        run = _name(row), moment
        process = next(iter(self._processes()), None)
        job = None if process is None else _job(process, row)
        if process is None or job is None or run in self._earnest:
            return False
        with self._being_at(self._at(moment) - process.clock.skew_seconds):
            nothing, before = process.context.copy().run(self._tried, job)
        if nothing:
            self._hear(row, moment, before)
        else:
            self._earnest.add(run)
            self._doubt(row, moment)
        return nothing

    def _hear(self, row: Row, moment: datetime, before: datetime | None) -> None:
        """What a run said that found nothing."""
        said = self._claims.get(_name(row))
        is_fresh = self._at(moment) >= self._written_at + STALE_SECONDS
        if before is None or before <= moment or not is_fresh or (said is not None and moment < said.before):
            return
        before = min(before, moment + _BELIEVED)
        timetable, dice = _timetable(row), dice_of(self._truth.seed, "claim", *map(str, (_name(row), moment)))
        pause = timetable.after(moment) - moment
        some = (moment + (before - moment) * dice.random(), before - pause - INSTANT)
        tried_at = [each for each in map(timetable.after, some) if moment < each < before]
        self._claims[_name(row)] = _Claim(moment, before, [*tried_at, timetable.after(before - INSTANT)])

    def _doubt(self, row: Row, moment: datetime) -> None:
        """A run would do something. It must not have said that it would not."""
        said = self._claims.pop(_name(row), None)
        if said is not None and moment < said.before and not self.wrong:
            said_at, before, found_at = (each.astimezone(UTC) for each in (said.said_at, said.before, moment))
            self.wrong = (
                f"at {said_at:%F %T} {row['system']['S']}'s {row['job']['S']} said that it would find nothing "
                f"before {before:%F %T}, and nobody has written, but at {found_at:%F %T} it does"
            )

    def _tried(self, job: ScheduledJob) -> tuple[bool, datetime | None]:
        """Whether it came to its end and only read, and what it said then. Whoever catches what stops them does not
        change that."""
        AT_ONCE.set(self._look)  # in a context of its own
        self._is_earnest, work = False, cast(Coroutine[Any, Any, datetime | None], job({}))
        try:
            work.send(None)
        except StopIteration as end:
            return not self._is_earnest, end.value
        except (Exception, Earnest):
            return False, None
        with contextlib.suppress(Exception, Earnest):
            work.close()
        return False, None

    @contextlib.contextmanager
    def _being_at(self, moment: float) -> Iterator[None]:
        """For a while it is then; nothing can wait, and the store answers on the spot."""
        loop: Any = self._loop
        now, loop.virtual_seconds = loop.virtual_seconds, moment
        self._truth.rehearsal = self.answer
        for name in _TAKES_TIME:
            setattr(loop, name, self._refuse)
        try:
            yield
        finally:
            for name in _TAKES_TIME:
                delattr(loop, name)
            self._truth.rehearsal = None
            loop.virtual_seconds = now

    def _refuse(self, *arguments: Any, **named: Any) -> NoReturn:
        for each in arguments:
            if isinstance(each, Coroutine):
                each.close()
        self._is_earnest = True
        raise Earnest

    def _look(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """At a service outside, if looking changes nothing there."""
        return self._internet.look(method, url, headers, body) or self._refuse()

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


def _name(row: Row) -> str:
    name: str = row["PK"]["S"]
    return name


def _timetable(row: Row) -> Cron:
    return cron(row["cron"]["S"])


def _moment(row: Row) -> datetime:
    return datetime.fromisoformat(row["due_at"]["S"])


def _job(process: Process, row: Row) -> ScheduledJob | None:
    worker: Worker = process.app.state.shell.deployment.worker
    return worker.scheduled(row["system"]["S"], row["job"]["S"])
