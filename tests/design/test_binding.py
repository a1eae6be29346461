"""From conditions to key conditions, as people read them in a plan."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from sekkei.design import DesignError, Query, ValueRefused
from sekkei.design.conditions import Readable
from tests.design.example import (
    NOON,
    DayTotals,
    Member,
    Notice,
    Reading,
    Status,
    Task,
    Team,
    by_group,
    by_place,
    by_start,
    day_totals,
    everything,
    labels,
    members,
    notices,
    notices_by_event,
    ranked,
    readings,
    tasks,
    teams,
)

DAY = date(2025, 1, 2)


def key(query: Query[Any]) -> str:
    readable = Readable()
    return " AND ".join(test.render(readable) for test in query.tests)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (lambda: tasks.where(Task.team_id == "t"), 'PK = "TEAM#t" AND begins_with(SK, "TASK#")'),
        (lambda: tasks.where(Task.team_id == "t", Task.task_id == "k"), 'PK = "TEAM#t" AND SK = "TASK#k"'),
        (lambda: tasks.where((Task.team_id == "t") & (Task.task_id == "k")), 'PK = "TEAM#t" AND SK = "TASK#k"'),
        (
            lambda: tasks.where(Task.task_id.begins_with("a"), Task.team_id == "t"),
            'PK = "TEAM#t" AND begins_with(SK, "TASK#a")',
        ),
        (lambda: teams.where(Team.team_id == "t"), 'PK = "TEAM#t" AND SK = "TEAM#t"'),
        (lambda: by_start.where(Task.team_id == "t"), 'PK = "TEAM#t" AND begins_with(start_sort_sk, "START#")'),
        (
            lambda: by_start.where(Task.team_id == "t", Task.start < DAY),
            'PK = "TEAM#t" AND start_sort_sk < "START#2025-01-02"',
        ),
        (
            lambda: by_start.where(Task.team_id == "t", Task.start == DAY),
            'PK = "TEAM#t" AND start_sort_sk = "START#2025-01-02"',
        ),
        (
            lambda: by_start.where(Task.team_id == "t", Task.start.between(DAY, DAY)),
            'PK = "TEAM#t" AND start_sort_sk BETWEEN "START#2025-01-02" AND "START#2025-01-02"',
        ),
        (
            lambda: by_start.where(Task.team_id == "t", Task.start_sort == "START#x"),
            'PK = "TEAM#t" AND start_sort_sk = "START#x"',
        ),
        (
            lambda: by_start.where(Task.team_id == "t", Task.start_sort >= "START#2025"),
            'PK = "TEAM#t" AND start_sort_sk >= "START#2025"',
        ),
        (
            lambda: by_group.where(Task.group == "g", Task.start >= DAY),
            'status_group = "g" AND start_sort_sk >= "START#2025-01-02"',
        ),
        (
            lambda: day_totals.where(DayTotals.team_id == "t", DayTotals.day < DAY),
            'PK = "TEAM#t" AND SK BETWEEN "COUNTER#" AND "COUNTER#2025-01-02"',
        ),
        (
            lambda: day_totals.where(DayTotals.team_id == "t", DayTotals.day >= DAY),
            'PK = "TEAM#t" AND SK BETWEEN "COUNTER#2025-01-02" AND "COUNTER$"',
        ),
        (
            lambda: notices_by_event.where(Notice.guild_id == "g", Notice.event_id == "EVT#1"),
            'guild_id = "g" AND begins_with(event_sk, "EVT#1#")',
        ),
        (
            lambda: notices_by_event.where(
                Notice.guild_id == "g", Notice.event_id == "EVT#1", Notice.created_at > NOON
            ),
            'guild_id = "g" AND event_sk BETWEEN "EVT#1#2025-08-20T12:00:00+09:00$" AND "EVT#1$"',
        ),
        (
            lambda: notices_by_event.where(
                Notice.guild_id == "g", Notice.event_id == "EVT#1", Notice.created_at <= NOON
            ),
            'guild_id = "g" AND event_sk BETWEEN "EVT#1#" AND "EVT#1#2025-08-20T12:00:00+09:00$"',
        ),
        (
            lambda: notices_by_event.where(
                Notice.guild_id == "g", Notice.event_id == "EVT#1", Notice.created_at.between(NOON, NOON)
            ),
            'guild_id = "g" AND event_sk BETWEEN '
            '"EVT#1#2025-08-20T12:00:00+09:00" AND "EVT#1#2025-08-20T12:00:00+09:00$"',
        ),
        (lambda: notices_by_event.where(Notice.guild_id == "g"), 'guild_id = "g"'),
        (
            lambda: notices_by_event.where(Notice.guild_id == "g", Notice.event_sk.begins_with("EVT#")),
            'guild_id = "g" AND begins_with(event_sk, "EVT#")',
        ),
        (
            lambda: ranked.where(Task.team_id == "t", Task.status == Status.TODO, Task.rank < 5),
            'PK = "TEAM#t" AND ranked_sk BETWEEN "todo#" AND "todo#0005"',
        ),
        (lambda: readings.where(Reading.sensor == 1, Reading.at.between(2, 3)), "sensor = 1 AND at BETWEEN 2 AND 3"),
        (
            lambda: by_place.where(
                Reading.country == "JP", Reading.city == "x", Reading.kind == "air", Reading.level > 2
            ),
            'country = "JP" AND city = "x" AND kind = "air" AND level > 2',
        ),
        (
            lambda: by_place.where(Reading.country == "JP", Reading.city == "x", Reading.kind.begins_with("a")),
            'country = "JP" AND city = "x" AND begins_with(kind, "a")',
        ),
        (lambda: everything.where(Team.team_id == "t"), 'PK = "TEAM#t"'),
    ],
)
def test_key_conditions(query: Callable[[], Query[Any]], expected: str) -> None:
    assert key(query()) == expected


@pytest.mark.parametrize(
    ("build", "number"),
    [
        (lambda: tasks.where(), "SK131: tasks in board would read the whole table.*needs Task.team_id"),
        (lambda: tasks.where(Task.task_id == "k"), "SK131"),
        (lambda: by_place.where(Reading.country == "JP"), "SK131.*Reading.city"),
        (lambda: tasks.where(Task.team_id == "t", Task.title == "x"), "SK132.*title"),
        (lambda: notices_by_event.where(Notice.guild_id == "g", Notice.created_at == NOON), "SK132.*created_at"),
        (lambda: by_place.where(Reading.country == "JP", Reading.city == "x", Reading.level == 1), "SK132.*level"),
        (
            lambda: by_place.where(
                Reading.country == "JP", Reading.city == "x", Reading.kind > "a", Reading.level == 1
            ),
            "SK132.*level",
        ),
        (lambda: tasks.where(Task.team_id == "t", Task.team_id == "u"), "SK154.*team_id"),
        (lambda: tasks.where(Task.team_id == "t", Task.team_id.begins_with("u")), "SK154.*team_id"),
        (lambda: tasks.where(Task.team_id.begins_with("u"), Task.team_id == "t"), "SK154.*team_id"),
        (lambda: tasks.where((Task.team_id == "t") | (Task.team_id == "u")), "SK130"),
        (lambda: tasks.where(Task.team_id != "t"), "SK130"),
        (lambda: tasks.where(Task.team_id == "t", Task.start > DAY, Task.start < DAY), "SK130"),
        (lambda: tasks.where(Task.team_id.exists()), "SK130"),
        (lambda: notices.where(Notice.guild_id == "g").filter(Notice.notice_id == "NTC#1"), "SK133"),
        (lambda: by_group.where(Task.group == "g").filter(Task.start_sort == "x"), "SK133"),
        (lambda: by_group.where(Task.group == "g").consistent(), "SK134"),
        (lambda: notices_by_event.where(Notice.guild_id == "g", Notice.event_id > "EVT#1"), "SK135"),
        (lambda: everything.where(Team.team_id == "t", Task.task_id == "k"), "SK153.*task_id"),
        (lambda: tasks.index("nobody"), "SK117.*invert, by_group"),
        (lambda: members.index("by_group"), "SK128.*status_group, start_sort_sk"),
        (lambda: tasks.index("keys"), "SK129.*team_task_title"),
        (lambda: tasks.index("waiting").where(), "SK131"),
        (lambda: labels.where(), "SK131"),
        (lambda: by_group.where(Task.group == "g").page_of(0), "SK217"),
    ],
)
def test_what_a_key_cannot_serve_is_refused(build: Callable[[], Any], number: str) -> None:
    with pytest.raises((DesignError, ValueRefused), match=number):
        build()


def test_none_for_a_part_of_a_key_is_refused() -> None:
    with pytest.raises(DesignError, match="SK130"):
        members.where(Member.team_id == None)  # type: ignore[arg-type]  # noqa: E711


def test_a_filter_may_name_the_tables_key_in_an_index() -> None:
    assert by_place.where(Reading.country == "JP", Reading.city == "x").filter(Reading.at > 3).filters
