"""What somebody should know, and the morning's mail."""

from __future__ import annotations

from msgspec import Struct

from sekkei.kit.typed import Token
from sekkei.web import Html, Pages, Redirect
from sekkei_systems.tasks.pages.board import After
from sekkei_systems.tasks.service import Digest, Notes, People, Visitor

pages = Pages()


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
