"""How long tasks take, out of what was written down when they were begun and done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import orjson

from sekkei_systems.tasks.design import Activity, DayTotals, Flow, Task
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.numbers import reference


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
