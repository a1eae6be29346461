"""My work in all teams, and the teams."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime import days
from sekkei.runtime.refusals import Invalid
from sekkei.runtime.system import Context
from sekkei.web import Form, Pages, User, flash, form, page, redirect, refill, t
from sekkei_systems.tasks.api.shapes import NewTeam
from sekkei_systems.tasks.pages.view import Calendar, arrived
from sekkei_systems.tasks.rules.agenda import agenda
from sekkei_systems.tasks.service import Service


def declare(pages: Pages, service: Service, context: Context) -> None:
    async def show(request: Request, user: User, status: int, filled: Form) -> Response:
        teams = await service.people.teams(user.id)
        today = days.today(context.clock)
        work = await service.people.work(user.id)
        return page(
            request,
            "tasks/home.html",
            status,
            teams=teams,
            names={team.team_id: team.team_name for team in teams},
            totals=await service.people.totals(teams),
            agenda=agenda(work, today),
            view=Calendar(today),
            form=filled,
            unread=await service.notes.unread(user.id),
            me=await service.people.get(user.id),
        )

    @pages.get("/", name="home")
    async def home(request: Request) -> Response:
        return await show(request, await arrived(request, service), 200, Form())

    @pages.post("/teams", name="create-team")
    async def create_team(request: Request) -> Response:
        user = await arrived(request, service)
        try:
            new = await form(request, NewTeam)
            team = await service.teams.create(user.id, new.name, new.description)
        except Invalid as wrong:
            return await show(request, user, 422, refill(request, wrong))
        flash(request, t(request, "team.created", name=team.name))
        return redirect(request, "tasks:board", team_id=team.team_id)
