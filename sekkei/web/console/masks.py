"""Personal attributes stay covered until an operator asks for them; that is logged and lasts ten minutes.

Which attributes are personal, `sekkei.advice.pii` says.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.advice.pii import COVER, covered, covered_names, covered_within, holders
from sekkei.design import Table
from sekkei.kit.signing import BadToken, Signer
from sekkei.kit.typed import Token
from sekkei.web.console import operator
from sekkei.web.forms import form
from sekkei.web.rendering import flash, local_path, redirect
from sekkei.web.texts import t

Item = Mapping[str, Mapping[str, Any]]
COOKIE = "sekkei_reveal"
SECONDS = 600

__all__ = ["COVER", "covered", "covered_names", "covered_within", "holders", "is_revealed", "shown_items"]

log = logging.getLogger("sekkei.web.console")


class Reveal(Struct):
    next: Token = "/console"


def routes() -> list[BaseRoute]:
    return [Route("/console/reveal", reveal, methods=["POST"])]


def is_revealed(request: Request) -> bool:
    shell = request.app.state.shell
    try:
        browser: str = _signer(request).read(request.cookies.get(COOKIE, ""), shell.clock.now())
    except BadToken:
        return False
    return browser == _browser(request)


def shown_items(
    request: Request, items: Sequence[Item], keys: Iterable[str], table: Table | None
) -> tuple[list[dict[str, Any]], bool]:
    """The items as this browser may see them, and whether something of them is covered."""
    whole = [dict(item) for item in items]
    if is_revealed(request):
        return whole, False
    names = covered_names({name for item in items for name in item} - set(keys), table)
    made = [covered(item, names) for item in items]
    return made, made != whole


async def reveal(request: Request) -> Response:
    shell = operator(request)
    wanted = await form(request, Reveal)
    token = _signer(request).sign(_browser(request), until=int(shell.clock.now()) + SECONDS)
    user = request.state.user
    place = local_path(wanted.next, "/console")
    extra = {"request_id": request.state.id, "user": user.id if user else "local", "path": place.partition("?")[0]}
    log.warning("personal attributes were uncovered", extra=extra)
    request.state.set_cookies.append((COOKIE, token, SECONDS))
    flash(request, t(request, "console.revealed"))
    return redirect(request, place)


def _signer(request: Request) -> Signer:
    signer: Signer = request.app.state.shell.settings.secrets.signer("reveal")
    return signer


def _browser(request: Request) -> str:
    """Return the mark of one browser: of its session, or of the visitor's cookie."""
    state = request.state
    return _signer(request).mark(state.session_hash or state.visitor or "")
