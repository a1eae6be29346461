"""A design that uses every feature of the floor; the tests of the floor run on it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from sekkei.design import (
    Attr,
    Design,
    Index,
    Key,
    LocalIndex,
    Query,
    Ref,
    Transaction,
    attr,
    collection,
    computed,
    epoch,
    iso,
    model,
    part,
    template,
    version,
)


class Status(Enum):
    TODO = "todo"
    DOING = "doing"
    DONE = "done"


OPEN = {Status.TODO: "open", Status.DOING: "open", Status.DONE: "closed"}


def status_group(team_id: str, status: Status) -> str:
    return f"TEAM#{team_id}#{OPEN[status]}"


def waiting(status: Status, due: date | None) -> str | None:
    """Sparse: only what still has to be done by a day."""
    return None if due is None or status is Status.DONE else f"WAIT#{due:%Y-%m}"


@model
class Color:
    text: Attr[str]
    background: Attr[str] = attr("backgroundColor", default="white")


@model
class Team:
    team_id: Attr[str] = part()
    name: Attr[str] = attr("team_name")


@model
class Task:
    team_id: Attr[str] = part()
    task_id: Attr[str] = part()
    title: Attr[str] = attr("team_task_title")
    status: Attr[Status] = attr("team_task_status", default=Status.TODO)
    due: Attr[date | None] = attr(default=None)
    start: Attr[date | None] = attr(default=None, absent_as=date.max)
    rank: Attr[int] = attr(default=0)
    effort: Attr[Decimal] = attr(default=Decimal(0))
    tags: Attr[frozenset[str]] = attr(default=frozenset())
    log: Attr[list[str]] = attr(default_factory=list)
    color: Attr[Color | None] = attr(default=None)
    seen: Attr[datetime | None] = attr(default=None, stored_as=iso("+09:00", 0))
    details: Attr[dict[str, Any]] = attr(default_factory=dict)
    done: Attr[bool] = attr(default=False)
    group: Attr[str] = computed(status_group, "status_group")
    start_sort: Attr[str] = template("START#{start}", "start_sort_sk")
    ranked: Attr[str] = template("{status}#{rank:04d}#{task_id}", "ranked_sk")
    waiting: Attr[str | None] = computed(waiting)


@model
class TaskLabel:
    """What a list shows: a part of a task."""

    team_id: Attr[str] = part()
    task_id: Attr[str] = part()
    title: Attr[str] = attr("team_task_title")


@model
class TaskKey:
    team_id: Attr[str] = part()
    task_id: Attr[str] = part()


@model
class Member:
    team_id: Attr[str] = part()
    user_id: Attr[str] = part()
    role: Attr[str] = attr(default="member")


@model
class Totals:
    team_id: Attr[str] = part()
    todo: Attr[int] = attr(default=0)
    doing: Attr[int] = attr(default=0)


@model
class DayTotals:
    team_id: Attr[str] = part()
    day: Attr[date] = part()
    todo: Attr[int] = attr(default=0)
    expires: Attr[datetime | None] = attr(default=None, stored_as=epoch())


design = Design("example", tables="{env}-{table}")

board = design.table(
    "board",
    "PK",
    "SK",
    discriminator="type",
    ttl="expires",
    stream="NEW_AND_OLD_IMAGES",
    indexes=[
        Index("invert", "SK", "PK"),
        Index("by_group", "status_group", "start_sort_sk"),
        Index("by_start", "PK", "start_sort_sk"),
        Index("waiting", "waiting", "due", projection=("team_task_title",)),
        Index("keys", "status_group", "due", projection="KEYS_ONLY"),
        LocalIndex("ranked", "ranked_sk"),
    ],
)


@board.entity(Team, type="team")
def teams(team_id: str) -> Key:
    return Key(f"TEAM#{team_id}", f"TEAM#{team_id}")


@board.entity(Task, type="task")
def tasks(team_id: str, task_id: str) -> Key:
    return Key(f"TEAM#{team_id}", f"TASK#{task_id}")


@board.entity(Member, type="member")
def members(team_id: str, user_id: str) -> Key:
    return Key(f"TEAM#{team_id}", f"USER#{user_id}")


@board.entity(Totals, type="counter")
def totals(team_id: str) -> Key:
    return Key(f"TEAM#{team_id}", "COUNTER#ALL")


@board.entity(DayTotals, type="counter")
def day_totals(team_id: str, day: date) -> Key:
    return Key(f"TEAM#{team_id}", f"COUNTER#{day}")


by_group = tasks.index("by_group")
by_start = tasks.index("by_start")
ranked = tasks.index("ranked")
labels = tasks.index("waiting", TaskLabel)
everything = collection(teams, members, tasks, totals)


@model
class Notice:
    guild_id: Attr[str]
    notice_id: Attr[str] = attr(form="NTC#{}")
    event_id: Attr[str] = attr(form="EVT#{}")
    created_at: Attr[datetime] = attr(stored_as=iso("+09:00", 0))
    title: Attr[str] = attr(default="")
    event_sk: Attr[str] = template("{event_id}#{created_at}#{notice_id}")


notices_table = design.table("notices", "guild_id", "notice_id", indexes=[Index("gsi_event", "guild_id", "event_sk")])


@notices_table.entity(Notice)
def notices(guild_id: str, notice_id: str) -> Key:
    return Key(guild_id, notice_id)


notices_by_event = notices.index("gsi_event")


@model
class User:
    user_id: Attr[str] = attr("userId")
    email: Attr[str] = attr(escape=True)
    handle: Attr[str | None] = attr(default=None)
    name: Attr[str] = attr(default="")
    points: Attr[int] = attr(default=0)
    version: Attr[int] = version()


users_table = design.table("users", "userId")
markers_table = design.table("markers", "key")
markers = markers_table.markers()


@users_table.entity(User)
def users(user_id: str) -> Key:
    return Key(user_id)


emails = users.unique("EMAIL#{email}", markers)
handles = users.unique("HANDLE#{handle}", markers)


@model
class Reading:
    """A key of numbers, and an index whose key is made of several attributes."""

    sensor: Attr[int]
    at: Attr[int]
    country: Attr[str]
    city: Attr[str]
    level: Attr[int] = attr(default=0)
    kind: Attr[str] = attr(default="air")


readings_table = design.table(
    "readings", "sensor", "at", indexes=[Index("by_place", ("country", "city"), ("kind", "level"))]
)


@readings_table.entity(Reading)
def readings(sensor: int, at: int) -> Key:
    return Key(sensor, at)


by_place = readings.index("by_place")


@design.pattern
def one_task(team_id: str, task_id: str) -> Ref[Task]:
    """One task, as it is now."""
    return tasks(team_id, task_id).consistent()


@design.pattern(number="12", ja="開始日遅延", page=20)
def late_to_start(team_id: str, today: date) -> Query[Task]:
    """Open tasks whose start has passed."""
    return by_group.where(Task.group == f"TEAM#{team_id}#open", Task.start < today)


@design.pattern
def late_and_tagged(team_id: str, today: date, tags: list[str]) -> Query[Task]:
    """Open tasks whose start has passed, with all of these tags."""
    found = late_to_start(team_id, today)
    for tag in tags:
        found = found.filter(Task.tags.contains(tag))
    return found


@design.pattern
def add_task(task: Task) -> Transaction:
    """A new task, counted."""
    return Transaction(tasks.create(task), totals.upsert(task.team_id).add(Totals.todo, 1))


@design.pattern(scan="a report that runs once a night")
def all_tasks() -> Query[Task]:
    """Every task of every team."""
    return tasks.scan()


@design.pattern
def team_and_members(team_id: str, user_ids: list[str]) -> tuple[Ref[Team], list[Ref[Member]]]:
    """A team, and some of its members."""
    return teams(team_id), [members(team_id, user_id) for user_id in user_ids]


NOON = datetime(2025, 8, 20, 3, 0, 0, tzinfo=UTC)
