"""What somebody should know, and the morning's mail."""

from __future__ import annotations

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime.system import Context
from sekkei.web import Pages, flash, form, page, redirect, t
from sekkei_systems.tasks.pages.view import arrived
from sekkei_systems.tasks.service import Service
from sekkei_systems.tasks.service.digest import Digest


class DigestForm(Struct):
    wanted: bool = False


class StopForm(Struct):
    user: str = ""
    token: str = ""


def declare(pages: Pages, service: Service, context: Context, digest: Digest) -> None:
    @pages.get("/notes", name="notes")
    async def notes(request: Request) -> Response:
        user = await arrived(request, service)
        found = await service.notes.page(user.id, request.query_params.get("after"))
        names = {team.team_id: team.team_name for team in await service.people.teams(user.id)}
        return page(request, "tasks/notes.html", notes=found, names=names)

    @pages.post("/notes/read", name="read-notes")
    async def read(request: Request) -> Response:
        user = await arrived(request, service)
        await service.notes.read_all(user.id)
        return redirect(request, "tasks:notes")

    @pages.post("/digest", name="digest")
    async def choose(request: Request) -> Response:
        user = await arrived(request, service)
        wanted = (await form(request, DigestForm)).wanted
        await digest.want(user.id, wanted)
        flash(request, t(request, "digest.on" if wanted else "digest.off"))
        return redirect(request, "tasks:home")

    @pages.get("/digest/stop", name="stop-digest")
    async def ask(request: Request) -> Response:
        """The link in the mail: no session, because the address itself says whose it is. It asks once more, because
        mail programs follow links by themselves."""
        given = request.query_params
        digest.check(given.get("user", ""), given.get("token", ""))
        return page(request, "tasks/stop.html", given=given, stopped=False)

    @pages.post("/digest/stop", name="stop-digest-now")
    async def stop(request: Request) -> Response:
        given = await form(request, StopForm)
        digest.check(given.user, given.token)
        await digest.want(given.user, False)
        return page(request, "tasks/stop.html", given={}, stopped=True)
