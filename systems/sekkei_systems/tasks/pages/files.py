"""Files: tasks as CSV out and in, and the calendar that calendar programs fetch."""

from __future__ import annotations

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime import days
from sekkei.runtime.refusals import Refusal
from sekkei.runtime.system import Context
from sekkei.web import Pages, Rate, body_limit, flash, language_of, limit, redirect, t
from sekkei_systems.tasks.pages.settings import refused
from sekkei_systems.tasks.pages.view import look
from sekkei_systems.tasks.rules import spreadsheet
from sekkei_systems.tasks.service import Service


def declare(pages: Pages, service: Service, context: Context) -> None:
    @pages.get("/teams/{team_id}/export.csv", name="export")
    async def export(request: Request) -> Response:
        view = await look(request, service, context)
        limit(request, Rate.per_minute(10), "export")
        found = [task async for task in service.tasks.every(view.me.user_id, view.team.team_id)]
        tags = {ref: tag.name for ref, tag in view.tags.items()}
        members = {user_id: member.user_name for user_id, member in view.members.items()}
        body = spreadsheet.write(found, tags, members, language_of(request))
        name = f"tasks-{days.today(context.clock)}.csv"
        return Response(body, media_type="text/csv; charset=utf-8", headers=_download(name))

    @pages.post("/teams/{team_id}/import", name="import")
    @body_limit(spreadsheet.BYTES_MAX + 10_000)
    async def take_in(request: Request) -> Response:
        view = await look(request, service, context)
        given = (await request.form()).get("file")
        content = await given.read() if isinstance(given, UploadFile) else b""
        tags = {tag.name: tag.tag_id for tag in view.tags.values()}
        members = {member.user_name: user_id for user_id, member in view.members.items()}
        try:
            drafts = spreadsheet.read(content, tags, members)
            made = await service.tasks.create_many(view.me.user_id, view.team.team_id, drafts)
        except Refusal as refusal:
            return refused(request, refusal)
        flash(request, t(request, "import.done", n=made))
        return redirect(request, "tasks:list", team_id=view.team.team_id)

    @pages.get("/calendar/{team_id}/{user_id}/{token}.ics", name="calendar")
    async def calendar(request: Request) -> Response:
        """No session: the address itself is the secret, as calendar programs demand."""
        found = request.path_params
        body = await service.feeds.open(found["team_id"], found["user_id"], found["token"])
        return Response(
            body, media_type="text/calendar; charset=utf-8", headers={"Cache-Control": "private, max-age=300"}
        )


def _download(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
