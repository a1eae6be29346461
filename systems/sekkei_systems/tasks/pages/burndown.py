"""How many tasks there were at the end of each day."""

from __future__ import annotations

from datetime import date, timedelta

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from sekkei.kit.typed import Token
from sekkei.web import Html, Pages, Rate, download, limit
from sekkei_systems.tasks.design import DayTotals
from sekkei_systems.tasks.pages.view import View
from sekkei_systems.tasks.rules import spreadsheet
from sekkei_systems.tasks.service.flows import LIFE, Flows, by_day, summary, write_json
from sekkei_systems.tasks.service.teams import Teams

_SPANS = (14, 30, 90)
pages = Pages()


class Span(Struct):
    days: Token = ""

    @property
    def chosen(self) -> int:
        return next((span for span in _SPANS if self.days == str(span)), _SPANS[0])


@pages.get("/teams/{team_id}/burndown", name="burndown")
async def burndown(view: View, teams: Teams, flows: Flows, query: Span) -> Html:
    found = await teams.days(view.member, query.chosen)
    labels, days = filled(found)
    first = view.today - timedelta(days=query.chosen - 1)
    done = await flows.between(view.member, first, view.today)
    return Html(
        "tasks/burndown.html",
        view=view,
        span=query.chosen,
        spans=_SPANS,
        labels=labels,
        days=days,
        now=found[-1],
        flow=summary(done),
        done_labels=[short(first + timedelta(days=at)) for at in range(query.chosen)],
        done=by_day(done, first, view.today),
    )


def short(day: date) -> str:
    return f"{day.month}/{day.day}"


@pages.get("/teams/{team_id}/flow.csv", name="flow")
async def export(request: Request, view: View, flows: Flows) -> Response:
    """What was done in the last 400 days, with when it was made, begun and done."""
    limit(request, Rate.per_minute(10), "export")
    found = await flows.between(view.member, view.today - LIFE, view.today)
    body = spreadsheet.write_flow(found, view.member.key)
    return download(f"flow-{view.today}.csv", body)


@pages.get("/teams/{team_id}/flow.json", name="flow-json")
async def export_json(request: Request, view: View, teams: Teams, flows: Flows) -> Response:
    """The same, and how many tasks there were at the end of each of those days."""
    limit(request, Rate.per_minute(10), "export")
    done = await flows.between(view.member, view.today - LIFE, view.today)
    body = write_json(done, await teams.days(view.member, LIFE.days), view.member.key)
    return download(f"flow-{view.today}.json", body)


def filled(found: list[DayTotals]) -> tuple[list[str], list[DayTotals | None]]:
    """A label for every day, and the totals of the days that have them."""
    by_day = {day.day: day for day in found}
    first, last = found[0].day, found[-1].day
    days = [first + timedelta(days=after) for after in range((last - first).days + 1)]
    return [short(day) for day in days], [by_day.get(day) for day in days]
