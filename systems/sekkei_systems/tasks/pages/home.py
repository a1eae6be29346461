"""What belongs to one person: their work in all teams, their teams, their notes, invitations that they open."""

from __future__ import annotations

from msgspec import Struct

from sekkei.clock import Clock
from sekkei.kit.typed import Token
from sekkei.runtime.refusals import Invalid
from sekkei.web import Form, Html, Pages, Redirect, Sent, User
from sekkei_systems import days
from sekkei_systems.tasks.api.shapes import NewTeam
from sekkei_systems.tasks.pages.board import After
from sekkei_systems.tasks.pages.view import Calendar
from sekkei_systems.tasks.rules.filters import agenda
from sekkei_systems.tasks.service.invitations import Invitations
from sekkei_systems.tasks.service.mail import Digest
from sekkei_systems.tasks.service.notes import Notes
from sekkei_systems.tasks.service.people import People, Visitor
from sekkei_systems.tasks.service.teams import Teams

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


# What somebody should know, and the morning's mail.


class DigestForm(Struct):
    wanted: bool = False


class Stop(Struct):
    user: Token = ""
    token: Token = ""


@pages.get("/notes", name="notes")
async def notes(visitor: Visitor, notes: Notes, people: People, query: After) -> Html:
    found = await notes.page(visitor.id, query.after)
    names = {team.team_id: team.team_name for team in await people.teams(visitor.id)}
    return Html("tasks/notes.html", notes=found, names=names)


@pages.post("/notes/read", name="read-notes")
async def read(visitor: Visitor, notes: Notes) -> Redirect:
    await notes.read_all(visitor.id)
    return Redirect("tasks:notes")


@pages.post("/digest", name="digest")
async def choose(visitor: Visitor, digest: Digest, form: DigestForm) -> Redirect:
    await digest.want(visitor.id, form.wanted)
    return Redirect("tasks:home").flash("digest.on" if form.wanted else "digest.off")


@pages.get("/digest/stop", name="stop-digest")
async def ask(digest: Digest, query: Stop) -> Html:
    """The link in the mail: no session, because the address itself says whose it is. It asks once more, because mail
    programs follow links by themselves."""
    digest.check(query.user, query.token)
    return Html("tasks/stop.html", given=query, stopped=False)


@pages.post("/digest/stop", name="stop-digest-now")
async def stop(digest: Digest, form: Stop) -> Html:
    digest.check(form.user, form.token)
    await digest.want(form.user, False)
    return Html("tasks/stop.html", given=Stop(), stopped=True)


# What the link in an invitation's mail opens.


class Holder(Struct):
    token: Token = ""


@pages.get("/invitations/{team_id}/{invite_id}", name="invitation")
async def show(user: User | None, invitations: Invitations, team_id: str, invite_id: str, query: Holder) -> Html:
    """Whoever holds the token may read it; to join, the invited person signs in."""
    found = await invitations.look(team_id, invite_id, query.token)
    theirs = user is not None and user.verified and user.email == found.email
    return Html("tasks/invitation.html", invitation=found, token=query.token, theirs=theirs)


@pages.post("/invitations/{team_id}/{invite_id}", name="accept")
async def accept(visitor: Visitor, invitations: Invitations, team_id: str, invite_id: str, form: Holder) -> Redirect:
    await invitations.accept(visitor, team_id, invite_id, form.token)
    return Redirect("tasks:board", team_id=team_id).flash("invite.accepted")
