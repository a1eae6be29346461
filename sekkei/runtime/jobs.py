"""Long jobs in small steps: each step saves how far it came, so that a job cut off anywhere goes on from there.

A step is a function that does a bounded amount of work and says where it stopped. It may be run again for the same
cursor (a worker can die before the cursor is saved), so a step must bear being repeated.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, Put, Ref
from sekkei.kit.retries import backoff
from sekkei.runtime import days
from sekkei.runtime.alarms import Alarms
from sekkei.runtime.deadlines import within
from sekkei.runtime.design import FAILED, JOB, JobRun, due_jobs, job_runs
from sekkei.runtime.failures import error_line
from sekkei.runtime.leases import Due, LeaseLost, Leases, due, take

ATTEMPTS_MAX = 50
ATTEMPTS_QUIET = 5
"""Of one step, in a row; then an alarm rings."""
STEP_SECONDS = 900.0
"""As long as AWS Lambda would let it."""
_RUNS_PER_ROUND = 25
KEPT = timedelta(days=30)

log = logging.getLogger("sekkei.runtime.jobs")


@dataclass(frozen=True, slots=True)
class Progress:
    """What a step did: how many items, and the cursor to go on with (None: this step is done)."""

    done: int
    cursor: str | None = None


Payload = Mapping[str, Any]
Step = Callable[[Payload, str | None], Awaitable[Progress]]


@dataclass(frozen=True, slots=True)
class Job:
    """Named steps, in order."""

    steps: Sequence[tuple[str, Step]]
    leaves_nothing: bool = False
    """What it was given is forgotten when it has finished; the row says only that it ran."""
    step_seconds: float = STEP_SECONDS
    """How long one step may take; longer counts as a failure."""

    def __post_init__(self) -> None:
        names = [name for name, _ in self.steps]
        if len(set(names)) < len(names):
            raise ValueError(f"Two steps of a job have one name: {', '.join(names)}")

    def after(self, name: str) -> str | None:
        """The step that follows one."""
        names = [step_name for step_name, _ in self.steps]
        position = names.index(name) + 1
        return names[position] if position < len(names) else None


async def due_runs(runtime: Database, when: Due, definitions: Mapping[str, Mapping[str, Job]]) -> list[JobRun]:
    """What is due now of the jobs that these systems have."""

    def is_ours(run: JobRun) -> bool:
        return run.job in definitions.get(run.system, ())

    return when.now_of(await due(runtime, due_jobs(when.until), is_ours, _RUNS_PER_ROUND), JobRun.due_at)


class Jobs:
    """Starting jobs, and working on those of one system."""

    def __init__(self, runtime: Database, clock: Clock, system: str, worker: str = "worker") -> None:
        self._runtime = runtime
        self._clock = clock
        self._system = system
        self._worker = worker
        self._leases = Leases(runtime, clock, JobRun.lease_until, JobRun.lease_by)
        self.alarms: Alarms | None = None
        """Who is told of jobs that fail; the worker's."""

    def start_action(self, job: str, payload: Payload, *, id: str, after: timedelta = timedelta()) -> Put[JobRun]:
        """An action for a transaction: the job begins so long after it goes through. The id makes it start once."""
        now = days.now(self._clock)
        run = JobRun(
            id=f"{self._system}/{id}",
            system=self._system,
            job=job,
            payload=dict(payload),
            due_at=now + after,
            listed_at=now,
        )
        return job_runs.create(run)

    async def start(self, job: str, payload: Payload, *, id: str, after: timedelta = timedelta()) -> bool:
        """False when a job with this id has been started before."""
        try:
            await self._runtime.write(self.start_action(job, payload, id=id, after=after))
        except ConditionFailed:
            return False
        return True

    def row(self, id: str) -> Ref[JobRun]:
        return job_runs(f"{self._system}/{id}")

    async def get(self, id: str) -> JobRun | None:
        return await self._runtime.get(self.row(id).consistent())

    async def run_to_end(self, definitions: Mapping[str, Job], id: str) -> JobRun:
        """Work on one job here and now until it is finished; for commands and tests."""
        key = f"{self._system}/{id}"
        run = await self._runtime.need(job_runs(key).consistent())
        while not run.finished:
            run = await self._step(definitions[run.job], run)
        return run

    async def run_once(self, definitions: Mapping[str, Job]) -> int:
        """One step of every job of this system that is due; returns how many were worked on."""

        runs = await due_runs(self._runtime, Due(self._clock), {self._system: definitions})
        return sum([await self.work_on(definitions[run.job], run) for run in runs])

    async def work_on(self, job: Job, run: JobRun) -> bool:
        """One step of a job that is due; False when another worker has it."""
        taken = await self._begin(run)
        if taken is None:
            return False
        await self._work(job, taken)
        return True

    async def _begin(self, run: JobRun) -> JobRun | None:
        update = job_runs.update(run.id).add(JobRun.attempts, 1)
        update = update.when(JobRun.due_pk == JOB, self._leases.free())
        return await take(self._runtime, self._leases.taking(update, self._leases.token(self._worker)))

    async def _work(self, job: Job, run: JobRun) -> None:
        try:
            await self._step(job, run)
            if run.attempts > ATTEMPTS_QUIET and self.alarms is not None:
                await self.alarms.end(_alarm_of(run))
        except LeaseLost as error:
            log.warning("a step was left to another worker", extra={"job": run.job, "id": run.id, "error": str(error)})
        except Exception as error:
            log.warning("a job's step failed", extra={"job": run.job, "id": run.id, "error": error_line(error)})
            await self._fail(run, error)
            await self._ring_for(run, error)

    async def _ring_for(self, run: JobRun, error: Exception) -> None:
        if self.alarms is None or run.attempts < ATTEMPTS_QUIET:
            return
        if run.attempts >= ATTEMPTS_MAX:
            await self.alarms.ring("dead-letters/job", f"{run.id}: {error_line(error)}")
            await self.alarms.end(_alarm_of(run))
        else:
            await self.alarms.ring(_alarm_of(run), f"{run.id}, attempt {run.attempts}: {error_line(error)}")

    async def _step(self, job: Job, run: JobRun) -> JobRun:
        """Run the step the job stands at, and save where it stands then."""
        name = run.step or job.steps[0][0]
        work = within(job.step_seconds, dict(job.steps)[name](run.payload, run.cursor), self._clock)
        token = run.lease_by
        progress = await (work if token is None else self._leases.keep(job_runs.update(run.id), token, work))
        following: str | None = name if progress.cursor is not None else job.after(name)
        update = (
            job_runs.update(run.id).add(JobRun.done, progress.done).set(JobRun.attempts, 0).remove(JobRun.last_error)
        )
        cursor = progress.cursor
        update = update.remove(JobRun.cursor) if cursor is None else update.set(JobRun.cursor, cursor)
        now = days.now(self._clock)
        if following is None:
            update = update.set(JobRun.finished, True).remove(JobRun.due_pk).set(JobRun.expires, now + KEPT)
            update = update.set(JobRun.payload, {}) if job.leaves_nothing else update
        else:
            update = update.set(JobRun.step, following).set(JobRun.due_at, now)
        saved = await take(self._runtime, self._leases.putting_down(update, token))
        if saved is None:  # it took longer than its lease, and somebody else goes on with it
            log.warning("a step was overtaken", extra={"job": run.job, "id": run.id, "step": name})
            return await self._runtime.need(job_runs(run.id).consistent())
        return saved

    async def _fail(self, run: JobRun, error: Exception) -> None:
        update = job_runs.update(run.id).set(JobRun.last_error, error_line(error))
        if run.attempts >= ATTEMPTS_MAX:
            update = update.set(JobRun.due_pk, FAILED + JOB).set(JobRun.due_at, days.now(self._clock))
        else:
            update = update.set(JobRun.due_at, days.now(self._clock) + backoff(run.attempts, self._clock))
        await take(self._runtime, self._leases.putting_down(update, run.lease_by))


def _alarm_of(run: JobRun) -> str:
    return f"job/{run.system}/{run.job}"
