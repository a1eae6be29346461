"""Boards of other programs: what a file would bring, and that only when somebody says so."""

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

from sekkei.kit.typed import Token
from sekkei.runtime.refusals import Refusal
from sekkei.web import Form, Html, Pages, Rate, Redirect, body_limit, limit
from sekkei_systems.tasks.pages.view import Listening, View
from sekkei_systems.tasks.rules.foreign import BYTES_MAX, TASKS_MAX, UNPACKED_MAX, Board, ForeignTask, UnknownFile, read
from sekkei_systems.tasks.service import Imports, Member

pages = Pages()
SHOWN_MAX = 200
IMPORTS = (Rate.per_minute(10), "import")


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
    limit(request, *IMPORTS)
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
    limit(request, *IMPORTS)
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
