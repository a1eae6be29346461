"""My work in all teams, and the teams."""

from __future__ import annotations

from sekkei.clock import Clock
from sekkei.runtime.refusals import Invalid
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems import days
from sekkei_systems.tasks.api.shapes import NewTeam
from sekkei_systems.tasks.pages.view import Calendar
from sekkei_systems.tasks.rules.agenda import agenda
from sekkei_systems.tasks.service import Notes, People, Teams, Visitor

pages = Pages()


async def shown(visitor: Visitor, people: People, notes: Notes, clock: Clock, status: int, form: Form) -> Html:
    teams = await people.teams(visitor.id)
    today = days.today(clock)
    return Html(
        "tasks/home.html",
        status,
        teams=teams,
        names={team.team_id: team.team_name for team in teams},
        totals=await people.totals(teams),
        agenda=agenda(await people.work(visitor.id, teams), today),
        view=Calendar(today),
        form=form,
        unread=await notes.unread(visitor.id),
        me=await people.get(visitor.id),
    )


@pages.get("/", name="home")
async def home(visitor: Visitor, people: People, notes: Notes, clock: Clock) -> Html:
    return await shown(visitor, people, notes, clock, 200, Form())


@pages.post("/teams", name="create-team")
async def create_team(
    visitor: Visitor, people: People, notes: Notes, clock: Clock, teams: Teams, sent: Sent[NewTeam]
) -> Html | Redirect:
    try:
        team = await teams.create(visitor.id, sent.value.name, sent.value.description)
    except Invalid as wrong:
        return await shown(visitor, people, notes, clock, 422, sent.refilled(wrong))
    return Redirect("tasks:board", team_id=team.team_id).flash("team.created", name=team.name)
