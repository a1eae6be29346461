"""Files: tasks as CSV out and in, boards of other programs, and the calendar that calendar programs fetch."""

from __future__ import annotations

import asyncio
import base64
import binascii
import zlib
from typing import Any

import msgspec
from msgspec import Struct
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from sekkei.clock import Clock
from sekkei.kit.typed import Token
from sekkei.runtime.refusals import Refusal
from sekkei.web import Form, Html, Pages, Rate, Redirect, body_limit, calendar_feed, download, limit
from sekkei_systems import days
from sekkei_systems.tasks.pages.settings import refused
from sekkei_systems.tasks.pages.view import Listening, View
from sekkei_systems.tasks.rules import spreadsheet
from sekkei_systems.tasks.rules.identifiers import reference, short
from sekkei_systems.tasks.rules.imports import BYTES_MAX, TASKS_MAX, UNPACKED_MAX, Board, ForeignTask, UnknownFile, read
from sekkei_systems.tasks.service.access import Member
from sekkei_systems.tasks.service.feeds import Feeds
from sekkei_systems.tasks.service.imports import Imports
from sekkei_systems.tasks.service.plans import Plans
from sekkei_systems.tasks.service.tasks import Tasks

# Boards of other programs: what a file would bring, and that only when somebody says so.


pages = Pages()
SHOWN_MAX = 200
_IMPORTS = (Rate.per_minute(10), "import")


class Confirmed(Struct):
    board: Token = ""


def packed(board: Board) -> str:
    """What was read of a file, to be carried by the form that confirms it: nothing waits on the server."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(board))).decode()


def unpacked(text: str) -> Board:
    """Raises UnknownFile for what we did not pack."""
    try:
        content = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), UNPACKED_MAX)
        board = msgspec.json.decode(content, type=Board)
    except (binascii.Error, zlib.error, msgspec.DecodeError, ValueError, RecursionError):
        raise UnknownFile() from None
    if len(board.tasks) > TASKS_MAX or any(_odd(one) for one in board.tasks):
        raise UnknownFile()
    return board


def _odd(one: ForeignTask) -> bool:
    return len(one.source) > 200 or "/" not in one.source or len(one.parent) > 200


@pages.get("/teams/{team_id}/imports", name="imports")
async def ask(view: View) -> Html:
    return Html("tasks/imports.html", view=view, form=Form())


@pages.post("/teams/{team_id}/imports", name="preview-import")
@body_limit(BYTES_MAX + 10_000)
async def preview(request: Request, view: View, imports: Imports, language: str) -> Html:
    """Nothing is written yet."""
    limit(request, *_IMPORTS)
    given = (await request.form()).get("file")
    content = await given.read() if isinstance(given, UploadFile) else b""
    try:
        board = await asyncio.to_thread(read, content)
    except Refusal as wrong:
        form = Form({}, {"file": wrong.text(language)})
        return Html("tasks/imports.html", 422, view=view, form=form)
    found = await imports.preview(view.member, board)
    shown: dict[str, Any] = {"preview": found, "shown": found.new[:SHOWN_MAX], "board": packed(board)}
    return Html("tasks/imports.html", view=view, form=Form(), **shown)


@pages.post("/teams/{team_id}/imports/confirm", name="confirm-import")
@body_limit(BYTES_MAX + 10_000)
async def take_in(request: Request, member: Member, imports: Imports, form: Confirmed) -> Redirect:
    limit(request, *_IMPORTS)
    try:
        run = await imports.begin(member, await asyncio.to_thread(unpacked, form.board))
    except Refusal as refusal:
        if refusal.status != 422:
            raise
        return Redirect("tasks:imports", team_id=member.team_id).flash(refusal)
    return Redirect("tasks:import-run", team_id=member.team_id, import_id=run.import_id)


@pages.get("/teams/{team_id}/imports/{import_id}", name="import-run")
async def run(listening: Listening, view: View, imports: Imports, import_id: str) -> Html:
    """How far it is; it goes on by itself."""
    return Html(
        "tasks/import_run.html", view=view, run=await imports.get(view.member, import_id), live=listening.address
    )


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
async def take_in_sheet(request: Request, view: View, imports: Imports, clock: Clock) -> Redirect:
    """A wrong line is told at once; the tasks themselves are a job's."""
    limit(request, *_IMPORTS)
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
