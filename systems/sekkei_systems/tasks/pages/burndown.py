"""How many tasks there were at the end of each day."""

from __future__ import annotations

from datetime import timedelta

from msgspec import Struct

from sekkei.web import Html, Pages
from sekkei_systems.tasks.design import DayTotals
from sekkei_systems.tasks.pages.view import View
from sekkei_systems.tasks.service import Teams

SPANS = (14, 30, 90)
pages = Pages()


class Span(Struct):
    days: str = ""

    @property
    def chosen(self) -> int:
        return next((span for span in SPANS if self.days == str(span)), SPANS[0])


@pages.get("/teams/{team_id}/burndown", name="burndown")
async def burndown(view: View, teams: Teams, query: Span) -> Html:
    found = await teams.days(view.member, query.chosen)
    labels, days = filled(found)
    return Html(
        "tasks/burndown.html", view=view, span=query.chosen, spans=SPANS, labels=labels, days=days, now=found[-1]
    )


def filled(found: list[DayTotals]) -> tuple[list[str], list[DayTotals | None]]:
    """A label for every day, and the totals of the days that have them."""
    by_day = {day.day: day for day in found}
    first, last = found[0].day, found[-1].day
    days = [first + timedelta(days=after) for after in range((last - first).days + 1)]
    return [f"{day.month}/{day.day}" for day in days], [by_day.get(day) for day in days]
