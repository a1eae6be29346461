"""What was done and how long it took: a row for each task that is done, written when the stream tells of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import orjson

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed
from sekkei_systems import days
from sekkei_systems.days import JST
from sekkei_systems.tasks.design import Activity, DayTotals, Flow, Task, activity_on, flow_in, flows, tasks
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.identifiers import reference
from sekkei_systems.tasks.service.access import Member

# How long tasks take, out of what was written down when they were begun and done.


def begun_at(task: Task, lines: Iterable[Activity]) -> datetime | None:
    """When it was first moved to what is being done; when it was made, if it was made there. None if it never was."""
    moves = sorted((line for line in lines if "status" in line.changes), key=lambda line: line.version)
    begun = next((line.at for line in moves if line.changes["status"][1] == Status.DOING.value), None)
    born_there = bool(moves) and moves[0].changes["status"][0] == Status.DOING.value
    return task.created_at if born_there else begun


@dataclass(frozen=True, slots=True)
class Summary:
    """Days, to a tenth; None where nothing was done."""

    done: int
    cycle_median: float | None
    cycle_most: float | None
    """85 of 100 took no longer."""
    lead_median: float | None


def summary(flows: Sequence[Flow]) -> Summary:
    cycle = sorted(_days(one.begun_at, one.done_at) for one in flows if one.begun_at)
    lead = sorted(_days(one.created_at, one.done_at) for one in flows if one.created_at)
    return Summary(len(flows), percentile(cycle, 50), percentile(cycle, 85), percentile(lead, 50))


def _days(start: datetime | None, end: datetime) -> float:
    return max(0.0, (end - start).total_seconds() / 86_400) if start else 0.0


def percentile(ordered: Sequence[float], share: int) -> float | None:
    """The smallest value that `share` of 100 do not exceed."""
    if not ordered:
        return None
    return round(ordered[max(0, -(-len(ordered) * share // 100) - 1)], 1)


def by_day(flows: Iterable[Flow], first: date, last: date) -> list[int]:
    """How many were done on each day."""
    counted = Counter(one.day for one in flows)
    return [counted[first + timedelta(days=at)] for at in range((last - first).days + 1)]


def write_json(flows: Iterable[Flow], days: Iterable[DayTotals], key: str) -> bytes:
    """What was done and when, and how many tasks there were at the end of each day; the last of those is now."""
    done = [
        {
            "id": one.task_id,
            "number": reference(key, one.number) or None,
            "title": one.title,
            "created": one.created_at,
            "begun": one.begun_at,
            "done": one.done_at,
        }
        for one in flows
    ]
    totals = [{"day": one.day, "todo": one.todo, "doing": one.doing, "done": one.done} for one in days]
    return orjson.dumps({"done": done, "days": totals}, option=orjson.OPT_INDENT_2)


LIFE = timedelta(days=400)


@dataclass
class Flows:
    db: Database
    clock: Clock

    async def changed(self, old: Task | None, new: Task) -> None:
        """A row when it is done; none any more when it is not. A record that comes again writes the same again."""
        if old is not None and old.done_at and (new.done_at != old.done_at or new.deleted_at):
            await self.db.write(flows.delete(old.team_id, _day(old), old.task_id))
        if new.status is Status.DONE and new.done_at and not new.deleted_at:
            await self.done(new)

    async def done(self, task: Task) -> None:
        if task.done_at is None or task.done_at + LIFE < days.now(self.clock):
            return
        lines = await self.db.all(activity_on(task.team_id, task.task_id).consistent())
        made = Flow(
            team_id=task.team_id,
            day=_day(task),
            task_id=task.task_id,
            title=task.title,
            number=task.number,
            created_at=task.created_at,
            begun_at=begun_at(task, lines),
            done_at=task.done_at,
            expires=task.done_at + LIFE,
        )
        try:
            await self.db.transact(flows.put(made), tasks.must_exist(task.team_id, task.task_id))
        except TransactionFailed:
            pass  # it is gone, perhaps with its team, and what belonged to it was taken away

    async def between(self, member: Member, first: date, last: date) -> list[Flow]:
        return await self.db.all(flow_in(member.team_id, first, last))


def _day(task: Task) -> date:
    assert task.done_at is not None
    return task.done_at.astimezone(JST).date()
