"""What a system holds of a person: a copy for people who ask for it, and jobs that erase it when they leave."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, TypeVar

from sekkei.clock import Clock
from sekkei.design import Action, Database, Query
from sekkei.design.model import described
from sekkei.runtime.design import (
    FAILED,
    JOB,
    SCHEDULE,
    JobRun,
    Message,
    Schedule,
    SetAside,
    all_schedules,
    job_runs,
    messages,
    newest_jobs,
    newest_messages,
    newest_set_aside,
    schedules,
    set_aside,
)
from sekkei.runtime.jobs import Job, Jobs, Payload, Progress, Step
from sekkei.runtime.receipts import names

# What messages, schedules and jobs of a system still say of somebody who has left, found wherever it stands.
#
# Page by page, as steps of a job: the outbox keeps receipts for months, and their ids may name people too.


PAGE_ITEMS = 100
M = TypeVar("M")


class Traces:
    """Those of one system."""

    def __init__(self, runtime: Database, system: str) -> None:
        self._runtime = runtime
        self._system = system

    def steps(self) -> Sequence[tuple[str, Step]]:
        return [
            ("runtime-messages", self._messages),
            ("runtime-jobs", self._jobs),
            ("runtime-schedules", self._schedules),
            ("runtime-schedules-failed", self._failed_schedules),
            ("runtime-records", self.records),
        ]

    async def _gone(
        self,
        query: Query[M],
        payload: Payload,
        cursor: str | None,
        said: Callable[[M], Any],
        delete: Callable[[M], Action[Any, Any] | None],
    ) -> Progress:
        """Delete what names them on one page."""
        people = {person for person in (payload["user_id"], payload.get("email")) if person}
        page = await self._runtime.page(query, size=PAGE_ITEMS, after=cursor)
        actions = [action for one in page if names(said(one), people) and (action := delete(one)) is not None]
        await self._runtime.write_many(actions)
        return Progress(len(actions), page.cursor)

    async def _messages(self, payload: Payload, cursor: str | None) -> Progress:
        def delete(one: Message) -> Action[Any, Any] | None:
            return messages.delete(one.id) if one.system == self._system else None

        return await self._gone(newest_messages(), payload, cursor, lambda one: [one.id, one.to, one.people], delete)

    async def _jobs(self, payload: Payload, cursor: str | None) -> Progress:
        """Those that have finished or were given up; what still runs has its work to do."""

        def delete(one: JobRun) -> Action[Any, Any] | None:
            over = one.finished or one.due_pk == FAILED + JOB
            return job_runs.delete(one.id) if over and one.system == self._system else None

        return await self._gone(newest_jobs(), payload, cursor, lambda one: [one.id, one.payload], delete)

    async def _schedules(self, payload: Payload, cursor: str | None) -> Progress:
        return await self._gone_schedules(SCHEDULE, payload, cursor)

    async def _failed_schedules(self, payload: Payload, cursor: str | None) -> Progress:
        return await self._gone_schedules(FAILED + SCHEDULE, payload, cursor)

    async def _gone_schedules(self, place: str, payload: Payload, cursor: str | None) -> Progress:
        def delete(one: Schedule) -> Action[Any, Any] | None:
            return schedules.delete(one.name) if one.cron is None and one.system == self._system else None

        return await self._gone(all_schedules(place), payload, cursor, lambda one: [one.name, one.payload], delete)

    async def records(self, payload: Payload, cursor: str | None) -> Progress:
        def delete(one: SetAside) -> Action[Any, Any] | None:
            ours = one.consumer.startswith(f"{self._system}/")
            return set_aside.delete(one.consumer, one.sequence) if ours else None

        return await self._gone(newest_set_aside(), payload, cursor, lambda one: one.record, delete)


# What a system does for people who ask for their data or leave: it hands everything over, and it forgets them.
#
# A system says so in its parts, and the shell does the rest (`/account/export`, `/account/leave`):
#
#     Parts(..., personal=Personal(
#         about={"ja": "チームから抜け、…", "en": "You leave your teams …"},
#         export=export,          # async def export(person): yield "teams.json", [as_data(team), …]
#                                 #                           yield "pictures/me.jpg", b"…"
#         leaving=[("teams", leave_teams), ("notes", delete_notes)],      # steps of a job, see sekkei.runtime.jobs
#         obstacles=obstacles,    # async def obstacles(person) -> what they have to settle first
#     ))
#
# The steps are given `user_id`, `email` and `name` of whoever leaves, as their payload. Each may be cut off anywhere
# and done again, so it must bear that; each runs in a process that serves the system. What messages, schedules and
# finished jobs still say of somebody goes afterwards, by itself, and once more a day later: until then what was deleted
# is in the streams, and what cannot be handled of it is set aside with all that is in it. Whoever leaves can no longer
# sign in when the first step begins.


LEAVE = "leave-account"
LATE = "forget-late-records"
"""The jobs' names, in every system."""
AFTER = timedelta(hours=25)
"""A stream keeps its records for a day."""

Localized = Mapping[str, str]
Exported = tuple[str, Any]
"""A name such as `answers.json` or `pictures/1.jpg`, and what is in it: bytes as they are, anything else as JSON."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account."""

    user_id: str
    email: str
    """In lower case, proven to be theirs; empty for somebody known by a provider only."""
    name: str

    def payload(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Something that only they can settle, such as who leads a team when they are gone."""

    text: Localized
    path: str = "/"
    """Where to do so, below the system's prefix."""


async def nothing_in_the_way(person: Person) -> Sequence[Obstacle]:
    return ()


@dataclass(frozen=True, slots=True)
class Personal:
    """What one system holds of people, and how it lets them go."""

    about: Localized
    """What leaving means there, in a sentence or two."""
    export: Callable[[Person], AsyncIterator[Exported]]
    """Everything that it holds of somebody; nothing at all for somebody it does not know."""
    leaving: Sequence[tuple[str, Step]]
    obstacles: Callable[[Person], Awaitable[Sequence[Obstacle]]] = nothing_in_the_way
    late: Sequence[tuple[str, Step]] = ()
    """What is done once more a day later, by `user_id` alone: of what a stream told late, or a request wrote that had
    begun before."""


def as_data(row: Any, *without: str) -> dict[str, Any]:
    """A stored item by the names of its attributes, to be exported; some may be left out, such as hashes."""
    fields = described(type(row)).fields
    return {name: getattr(row, name) for name, field in fields.items() if field.in_init and name not in without}


def leaving_jobs(
    system: str,
    steps: Sequence[tuple[str, Step]],
    runtime: Database,
    clock: Clock,
    late: Sequence[tuple[str, Step]] = (),
) -> dict[str, Job]:
    """The steps of a system, and then what the runtime holds for it."""
    traces, jobs = Traces(runtime, system), Jobs(runtime, clock, system)

    async def later(payload: Payload, cursor: str | None) -> Progress:
        # By their id alone: their address may be somebody's again by then, with a new account.
        await jobs.start(LATE, {"user_id": payload["user_id"]}, id=f"{LATE}/{clock.uuid()}", after=AFTER)
        return Progress(0)

    return {
        LEAVE: Job([*steps, *traces.steps(), ("runtime-later", later)], leaves_nothing=True),
        LATE: Job([*late, ("records", traces.records)], leaves_nothing=True),
    }
