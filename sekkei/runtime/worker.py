"""The worker: pumps, schedules, outbox and jobs of all systems, as tasks that start and stop together.

A round runs at once when something in this process has written what it looks for, when another one says that it has
(`sekkei.runtime.wakeups`), and when the next thing it knows of is due. Otherwise it looks again after a pause that
grows to eight seconds, because another program may have written; a store that can tell that nothing was is not asked.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sekkei import ending
from sekkei.clock import Clock
from sekkei.design import Database, Ref
from sekkei.runtime.alarms import Alarms
from sekkei.runtime.delivery import Delivery
from sekkei.runtime.design import Schedule, schedules
from sekkei.runtime.design import table as runtime_table
from sekkei.runtime.failures import error_line
from sekkei.runtime.jobs import Jobs, due_runs
from sekkei.runtime.leases import Due, LeaseLost
from sekkei.runtime.outbox import Transport
from sekkei.runtime.pump import LIMIT_SECONDS as HANDLER_SECONDS
from sekkei.runtime.pump import Pump, stream_handler
from sekkei.runtime.schedules import ATTEMPTS_MAX as SCHEDULE_ATTEMPTS_MAX
from sekkei.runtime.schedules import LIMIT_SECONDS as SCHEDULE_SECONDS
from sekkei.runtime.schedules import StoredSchedules
from sekkei.runtime.system import Parts, ScheduledJob
from sekkei.runtime.wakeups import EVERYTHING, Ear, Pulse, watched
from sekkei.store.protocol import Store

QUICK_SECONDS = 0.05
"""After a round that found nothing."""
_GROWTH = 4
"""So much longer is the pause after each further one: a store over HTTP pays for every look."""
_LEAST_SECONDS = 0.01
"""What is due and waits for a place is not looked at more often than this."""
IDLE_SECONDS = 1.9
"""The longest pause where the store can tell: what another process has written is seen within two seconds."""
PATIENT_SECONDS = 7.6
"""The same where others tell it by their pulse, and for jobs and schedules: whoever starts one has a worker too, as a
rule, and a time is known ahead."""
SURE_SECONDS = 25.0
"""A round runs as often as this even if the store says that nothing was written; before `Due.SOON` is over."""
FAILED_SECONDS = 5.0
FAILURES_MAX = 3
"""Of a round, in a row; then an alarm rings."""
_STOP_SECONDS = 2.5
"""For what is under way when the process ends; less than it has, see `sekkei.ending`."""
_ROUNDS_MAX = 1_000

log = logging.getLogger("sekkei.runtime.worker")


@dataclass(frozen=True, slots=True)
class Round:
    """Something that is looked at again and again."""

    name: str
    once: Callable[[], Awaitable[int]]
    """Do what there is to do; returns how much that was."""
    ear: Ear
    due: Due
    idle_seconds: float
    pump: Pump | None = None


@dataclass(slots=True)
class Running:
    """One system that the worker works for."""

    name: str
    db: Database
    parts: Parts
    jobs: Jobs
    schedules: StoredSchedules
    pumps: list[Pump] = field(default_factory=list)


def worker_name() -> str:
    """Two containers can share a host's name and a process's number, and a restarted one has both again."""
    return f"{socket.gethostname()}/{os.getpid()}/{secrets.token_hex(4)}"


def once_id(system: str, job: str) -> str:
    """Of the only run of a job that brings rows of an earlier version up to date."""
    return f"{system}/{job}"


class Worker:
    """Runs what the systems have to do beside answering requests."""

    def __init__(
        self,
        store: Store,
        runtime: Database,
        clock: Clock,
        systems: list[Running],
        transports: Mapping[str, Transport],
        name: str | None = None,
        alarms: Alarms | None = None,
    ) -> None:
        self._store = watched(store)
        self._runtime = runtime
        self._clock = clock
        self._systems: dict[str, Running] = {}
        self.alarms = alarms or Alarms(runtime, clock)
        self._name = name = name or worker_name()
        ways_out = dict(transports)
        for system in systems:
            ways_out.update(system.parts.transports)
            self.add(system)
        self.delivery = Delivery(runtime, clock, ways_out, name, self._systems, self.alarms)
        self.pulse = Pulse(self._store, runtime)
        self._any_schedules = StoredSchedules(runtime, clock, "", name)
        self._jobs_due = Due(clock)
        self._rounds: list[Round] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()

    def add(self, system: Running) -> None:
        """One more to work for, before it starts."""
        self._systems[system.name] = system
        system.jobs.alarms = self.alarms
        system.pumps += self._pumps(system, self._name)

    def _pumps(self, system: Running, name: str) -> list[Pump]:
        return [
            Pump(
                self._store,
                self._runtime,
                self._clock,
                system.db.table_name(table),
                system.name,
                stream_handler(reactions),
                name,
                alarms=self.alarms,
                limit_seconds=getattr(reactions, "limit_seconds", HANDLER_SECONDS),
            )
            for reactions in system.parts.reactions
            for table in reactions.tables
        ]

    async def start(self, *, recurring: bool = True) -> None:
        """Begin. Without what recurs, nothing happens only because another minute has come: for tests in real time.
        What a store needs once is done either way."""
        await self._prepare(recurring=recurring)
        self._stopping.clear()
        self.delivery.begin()
        await self.pulse.start()
        self._tasks = [asyncio.create_task(self._forever(each), name=each.name) for each in self.rounds()]

    async def only_tell(self) -> None:
        """Nothing is done in this process; those who work elsewhere hear of what is written here."""
        self.rounds()
        await self.pulse.start()

    def rounds(self) -> list[Round]:
        """All that is looked at again and again."""
        if not self._rounds:
            self._rounds = self._make_rounds()
            for each in self._rounds:
                name = each.pump.table_name if each.pump else each.name
                self.pulse.follow(name, each.ear, partial(self._sees_to, each))
        return self._rounds

    def _sees_to(self, each: Round) -> bool:
        return bool(self._tasks) and (each.pump is None or each.pump.has_all)

    def _make_rounds(self) -> list[Round]:
        table = self._runtime.table_name(runtime_table)
        outbox, schedules, jobs = (self._store.ear(table, kind) for kind in ("OUTBOX#", "SCHEDULE#", "JOB#"))
        idle = PATIENT_SECONDS if self.pulse.is_needed else IDLE_SECONDS
        found = [
            Round("outbox", self.delivery.dispatch, outbox, self.delivery.when, idle),
            Round("schedules", self.fire_due, schedules, self._any_schedules.when, PATIENT_SECONDS),
            Round("jobs", self.work_on_jobs, jobs, self._jobs_due, PATIENT_SECONDS),
        ]
        for system in self._systems.values():
            for pump in system.pumps:
                ear = self._store.ear(pump.table_name)
                found.append(Round(f"stream of {system.name}", pump.run_once, ear, Due(self._clock), idle, pump))
        return found

    async def _prepare(self, *, recurring: bool = True) -> None:
        """Put down what recurs, and begin what a store needs once. One look tells what is there: a worker that is
        called once a minute does this every minute."""
        systems = self._systems.values()
        repeated = [(each, *one) for each in systems for one in each.parts.recurring.items() if recurring]
        single = [(each, job) for each in systems for job in each.parts.once]
        rows: list[Ref[Any]] = [schedules(f"{each.name}/{job}") for each, job, _ in repeated]
        rows += [each.jobs.row(once_id(each.name, job)) for each, job in single]
        found = await self._runtime.get_many(row.consistent() for row in rows)
        for (each, job, cron), there in zip(repeated, found, strict=False):
            if there is None or there.cron != cron:
                await each.schedules.put(f"{each.name}/{job}", job, {}, cron=cron)
        for (each, job), there in zip(single, found[len(repeated) :], strict=True):
            if there is None:
                await each.jobs.start(job, {}, id=once_id(each.name, job))

    async def tick(self, seconds: float) -> None:
        """Schedules, outbox and jobs until nothing is due or the time is up; for whoever is called once a minute.

        Streams are left out: where nothing runs all the time, they call by themselves.
        """
        await self._prepare()
        until = self._clock.monotonic() + seconds
        while await self.fire_due() + await self.delivery.run_once() + await self.work_on_jobs():
            if self._clock.monotonic() > until:
                break

    async def stop(self) -> None:
        """What is under way may come to its end, within a few seconds; what does not is another worker's."""
        self._stopping.set()
        for each in self._rounds:
            each.ear.hear()
        await asyncio.gather(self._end_rounds(), self.delivery.stop(_STOP_SECONDS))
        if self._tasks:
            self.pulse.note(EVERYTHING)  # others may go on with all of it
        self._tasks = []
        pumps = [pump for system in self._systems.values() for pump in system.pumps]
        await asyncio.gather(*(_in_time(pump.put_down(), "a shard could not be put down") for pump in pumps))
        await _in_time(self.pulse.stop(), "other workers could not be told of the end")

    async def _end_rounds(self) -> None:
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=_STOP_SECONDS)
            for task in late:
                log.warning("a round of the worker is cut off", extra={"round": task.get_name()})
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def run_until_idle(self) -> None:
        """Everything that can be done at this moment of the clock; for tests and commands."""
        for _ in range(_ROUNDS_MAX):
            done = await self.fire_due() + await self.delivery.run_once() + await self.work_on_jobs()
            for system in self._systems.values():
                for pump in system.pumps:
                    done += await pump.run_once()
            if not done:
                return
        raise RuntimeError(f"The worker is still busy after {_ROUNDS_MAX} rounds.")

    async def deliver(self) -> int:
        """Send what waits in the outbox."""
        return await self.delivery.run_once()

    async def fire_due(self) -> int:
        """Do what is due by the clock."""
        fired = 0
        for schedule in await self._any_schedules.due(lambda one: self._job_of(one) is not None):
            job = self._job_of(schedule)
            taken = await self._any_schedules.begin(schedule)
            if job is None or taken is None:
                continue
            fired += 1
            try:
                limit = getattr(job, "limit_seconds", SCHEDULE_SECONDS)
                await self._any_schedules.carry_out(taken, job(taken.payload), limit)
            except LeaseLost:
                log.warning("a scheduled job was left to another worker", extra={"schedule": schedule.name})
            except Exception as error:
                log.exception("a scheduled job failed", extra={"schedule": schedule.name})
                await self._systems[taken.system].schedules.fail(taken, error)
                await self._ring_for(taken, error)
            else:
                await self._systems[taken.system].schedules.finish(taken)
                if taken.last_error is not None:
                    await self.alarms.end(f"schedule/{taken.name}")
        return fired

    async def _ring_for(self, schedule: Schedule, error: Exception) -> None:
        """When it was given up, for good or until its next time."""
        if schedule.attempts >= SCHEDULE_ATTEMPTS_MAX:
            name = "dead-letters/schedule" if schedule.cron is None else f"schedule/{schedule.name}"
            await self.alarms.ring(name, f"{schedule.name}: {error_line(error)}")

    def _job_of(self, schedule: Schedule) -> ScheduledJob | None:
        return self.scheduled(schedule.system, schedule.job)

    def scheduled(self, system: str, job: str) -> ScheduledJob | None:
        """What a schedule calls; None when that is for other processes."""
        running = self._systems.get(system)
        return running.parts.scheduled.get(job) if running is not None else None

    async def work_on_jobs(self) -> int:
        definitions = {name: system.parts.jobs for name, system in self._systems.items() if system.parts.jobs}
        worked = 0
        for run in await due_runs(self._runtime, self._jobs_due, definitions):
            worked += await self._systems[run.system].jobs.work_on(definitions[run.system][run.job], run)
        return worked

    async def _forever(self, each: Round) -> None:
        pause, failures = QUICK_SECONDS, 0
        while not self._stopping.is_set():
            each.ear.forget()
            version = self._store.version()
            try:
                busy = await each.once()
            except asyncio.CancelledError:
                raise
            except Exception as error:
                log.exception("a round of the worker failed", extra={"round": each.name})
                failures += 1
                if failures >= FAILURES_MAX:
                    await self.alarms.ring(f"worker/{each.name}", error_line(error))
                await self._pause(each.ear, FAILED_SECONDS)
                continue
            if failures:
                failures = 0
                await self.alarms.clear(f"worker/{each.name}")
            if busy or await self._until_next(each, pause, version):
                pause = QUICK_SECONDS
            else:
                pause = min(pause * _GROWTH, each.idle_seconds)

    async def _until_next(self, each: Round, pause: float, version: int | None) -> bool:
        """Wait until there is a reason to look again; whether that was something heard in this process."""
        waited = 0.0
        while not self._stopping.is_set():
            due = each.due.seconds()
            step = pause if due is None else min(pause, max(due, _LEAST_SECONDS))
            if await self._pause(each.ear, step):
                return True
            waited += step
            pause = each.idle_seconds
            if (
                (due is not None and step >= due)
                or version is None
                or self._store.version() != version
                or waited >= SURE_SECONDS
            ):
                return False
        return False

    async def _pause(self, ear: Ear, seconds: float) -> bool:
        return await ear.wait(seconds) and not self._stopping.is_set()


async def _in_time(last: Awaitable[None], otherwise: str) -> None:
    """One of the last things; without it another worker waits until a lease has run out."""
    try:
        async with asyncio.timeout(ending.LAST_SECONDS):
            await last
    except Exception as error:
        log.warning(otherwise, extra={"error": repr(error)})
