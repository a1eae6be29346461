"""Files: tasks as CSV out and in, and the calendar that calendar programs fetch."""

from __future__ import annotations

import asyncio

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from sekkei.clock import Clock
from sekkei.runtime.refusals import Refusal
from sekkei.web import Pages, Rate, Redirect, body_limit, calendar_feed, download, limit
from sekkei_systems import days
from sekkei_systems.tasks.pages.imports import IMPORTS
from sekkei_systems.tasks.pages.settings import refused
from sekkei_systems.tasks.pages.view import View
from sekkei_systems.tasks.rules import spreadsheet
from sekkei_systems.tasks.rules.identifiers import short
from sekkei_systems.tasks.rules.numbers import reference
from sekkei_systems.tasks.service import Feeds, Imports, Plans, Tasks

pages = Pages()


@pages.get("/teams/{team_id}/export.csv", name="export")
async def export(request: Request, view: View, tasks: Tasks, plans: Plans, language: str, clock: Clock) -> Response:
    limit(request, Rate.per_minute(10), "export")
    found = [task async for task in tasks.every(view.member)]
    tags = {ref: tag.name for ref, tag in view.tags.items()}
    members = {user_id: member.user_name for user_id, member in view.members.items()}
    families, key = await plans.relatives(view.member, [task.task_id for task in found]), view.member.key
    above = {id: family.parent.number for id, family in families.items() if family.parent}
    references = {
        task.task_id: (reference(key, task.number), reference(key, above.get(task.task_id))) for task in found
    }
    body = spreadsheet.write(found, tags, members, language, references)
    return download(f"tasks-{days.today(clock)}.csv", body)


@pages.post("/teams/{team_id}/import", name="import")
@body_limit(spreadsheet.BYTES_MAX + 10_000)
async def take_in(request: Request, view: View, imports: Imports, clock: Clock) -> Redirect:
    """A wrong line is told at once; the tasks themselves are a job's."""
    limit(request, *IMPORTS)
    given = (await request.form()).get("file")
    content = await given.read() if isinstance(given, UploadFile) else b""
    tags = {tag.name: tag.tag_id for tag in view.tags.values()}
    members = {member.user_name: user_id for user_id, member in view.members.items()}
    try:
        rows = await asyncio.to_thread(spreadsheet.read_rows, content, tags, members)
        board = spreadsheet.as_board(rows, _turned(tags), _turned(members), short(clock))
        run = await imports.begin_with(view.member, board.program, board.name, board.tasks)
    except Refusal as refusal:
        return refused(view.team.team_id, refusal)
    return Redirect("tasks:import-run", team_id=view.team.team_id, import_id=run.import_id)


def _turned(ids: dict[str, str]) -> dict[str, str]:
    return {id: name for name, id in ids.items()}


@pages.get("/calendar/{team_id}/{user_id}/{token}.ics", name="calendar")
async def calendar(feeds: Feeds, team_id: str, user_id: str, token: str) -> Response:
    """No session: the address itself is the secret, as calendar programs demand."""
    return calendar_feed(await feeds.open(team_id, user_id, token))
