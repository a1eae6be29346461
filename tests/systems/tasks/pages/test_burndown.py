"""The burndown's days."""

from __future__ import annotations

from datetime import date

from sekkei.web.testing import Client
from sekkei_systems.tasks.design import DayTotals
from sekkei_systems.tasks.pages.burndown import Span, filled
from tests.systems.tasks.pages.site import new_task, new_team


def test_days_without_totals_are_gaps() -> None:
    found = [DayTotals(team_id="t", day=date(2025, 11, day), todo=day) for day in (3, 6)]
    labels, days = filled(found)
    assert labels == ["11/3", "11/4", "11/5", "11/6"]
    assert days == [found[0], None, None, found[1]]


def test_only_the_spans_that_are_offered() -> None:
    assert [Span(days).chosen for days in ("30", "", "31", "３０", "x")] == [30, 14, 14, 14, 14]


async def test_the_first_day_has_a_point_and_says_so(client: Client) -> None:
    shown = (await client.get(f"{await new_team(client)}/burndown?days=90")).text
    assert "集計は今夜から始まります" in shown


async def test_flow_out_of_the_history(client: Client) -> None:
    team = await new_team(client)
    task = await new_task(client, team, title="=1+1")
    for status in ("doing", "done"):
        await client.post(f"{task}/move", {"status": status})
    await client.work()
    shown = (await client.get(f"{team}/burndown")).text
    assert "着手から完了" in shown
    assert '<span class="sum-number">0.0</span>' in shown
    exported = await client.get(f"{team}/flow.csv")
    assert "TASK-1,'=1+1," in exported.text
    assert "attachment" in (exported.header("content-disposition") or "")
    told = (await client.get(f"{team}/flow.json")).json()
    assert [(one["number"], one["title"]) for one in told["done"]] == [("TASK-1", "=1+1")]
    assert (told["days"][-1]["todo"], told["days"][-1]["done"]) == (0, 1)
