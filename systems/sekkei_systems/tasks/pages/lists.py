"""Lists: all tasks by filters that stand in the URL, what is late, many at once, and the burndown."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime.system import Context
from sekkei.web import Pages, flash, form, local_path, page, redirect, t
from sekkei_systems.tasks.design import DayTotals
from sekkei_systems.tasks.pages.view import View, arrived, filter_of, look
from sekkei_systems.tasks.rules.drafts import KEEP, Changes
from sekkei_systems.tasks.rules.filters import Filter, Late
from sekkei_systems.tasks.rules.statuses import Status
from sekkei_systems.tasks.service import Service

SPANS = (14, 30, 90)


class Bulk(Struct):
    tasks: list[str] = []
    status: Status | None = None
    assignee: str | None = None
    """`-` takes the assignee away."""
    action: Literal["change", "delete"] = "change"
    next: str = ""


def declare(pages: Pages, service: Service, context: Context) -> None:
    @pages.get("/teams/{team_id}/tasks", name="list")
    async def listing(request: Request) -> Response:
        view = await look(request, service, context)
        wanted = filter_of(request, view.me.user_id)
        after = request.query_params.get("after")
        found = await service.tasks.page(view.me.user_id, view.team.team_id, wanted, after=after)
        return page(request, "tasks/list.html", view=view, filter=wanted, found=found)

    @pages.get("/teams/{team_id}/late", name="late")
    async def late(request: Request) -> Response:
        view = await look(request, service, context)
        wanted = filter_of(request, view.me.user_id)
        finish = Late.DOING if wanted.late is Late.DOING else Late.FINISH
        found = [
            (which, await service.tasks.page(view.me.user_id, view.team.team_id, _late(wanted, which)))
            for which in (finish, Late.START)
        ]
        return page(request, "tasks/late.html", view=view, filter=wanted, lists=found)

    @pages.get("/teams/{team_id}/burndown", name="burndown")
    async def burndown(request: Request) -> Response:
        view = await look(request, service, context)
        given = request.query_params.get("days", "")
        span = int(given) if given.isascii() and given.isdigit() and int(given) in SPANS else SPANS[0]
        found = await service.teams.days(view.me.user_id, view.team.team_id, span)
        labels, rows = _filled(view, found)
        return page(
            request, "tasks/burndown.html", view=view, span=span, spans=SPANS, labels=labels, days=rows, now=found[-1]
        )

    @pages.post("/teams/{team_id}/bulk", name="bulk")
    async def bulk(request: Request) -> Response:
        user = await arrived(request, service)
        team_id = request.path_params["team_id"]
        wanted = await form(request, Bulk)
        if wanted.action == "delete":
            refused = await service.tasks.delete_many(user.id, team_id, wanted.tasks)
        else:
            refused = await service.tasks.change_many(user.id, team_id, wanted.tasks, _changes(wanted))
        done = len(set(wanted.tasks)) - len(refused)
        flash(request, t(request, "bulk.done", n=done), "ok" if done else "info")
        if refused:
            flash(request, t(request, "bulk.refused", n=len(refused)), "warning")
        home = str(request.app.url_path_for("tasks:list", team_id=team_id))
        return redirect(request, local_path(wanted.next, home))


def _late(wanted: Filter, which: Late) -> Filter:
    return Filter(tags=wanted.tags, any_tag=wanted.any_tag, assignee=wanted.assignee, late=which)


def _changes(wanted: Bulk) -> Changes:
    assignee = KEEP if wanted.assignee is None else None if wanted.assignee == "-" else wanted.assignee
    return Changes(status=KEEP if wanted.status is None else wanted.status, assignee=assignee)


def _filled(view: View, found: list[DayTotals]) -> tuple[list[str], list[DayTotals | None]]:
    """A label for every day, and the totals of the days that have them."""
    by_day = {day.day: day for day in found}
    first, last = found[0].day, found[-1].day
    days = [first + timedelta(days=after) for after in range((last - first).days + 1)]
    return [f"{day.month}/{day.day}" for day in days], [by_day.get(day) for day in days]
