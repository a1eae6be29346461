"""Personal attributes stay covered until an operator asks for them; that is logged and lasts ten minutes.

Which attributes are personal is told by their names, in the table or in the design. Keys are not covered: without them
nothing could be found.
"""

from __future__ import annotations

import hmac
import logging
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.design import Table
from sekkei.web.console import operator
from sekkei.web.forms import form
from sekkei.web.rendering import flash, local_path, redirect
from sekkei.web.texts import t

COVER = "••••••"
COOKIE = "sekkei_reveal"
SECONDS = 600
_PERSONAL = """
    email mail phone telephone tel mobile fax address addresses street postal postcode zip zipcode birth birthday
    birthdate dob gender password passwd secret token tokens credential hash digest salt signature ssn passport
    licence license card iban ip kana realname fullname firstname lastname surname
"""
PERSONAL = frozenset(_PERSONAL.split())
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

log = logging.getLogger("sekkei.web.console")


class Reveal(Struct):
    next: str = "/console"


def routes() -> list[BaseRoute]:
    return [Route("/console/reveal", reveal, methods=["POST"])]


def is_personal(name: str) -> bool:
    """Does an attribute's name speak of a person's data or of a secret?"""
    words = [word.lower() for word in _WORDS.findall(name)]
    return not PERSONAL.isdisjoint((*words, "".join(words), *map("".join, pairwise(words))))


def covered_names(names: Iterable[str], table: Table | None) -> frozenset[str]:
    """The stored names that are covered: by their own name, or by the name that the design gives them."""
    found = {name for name in names if is_personal(name)}
    if table is not None:
        keys = {*table.key_attributes, *(name for index in table.indexes.values() for name in index.attributes)}
        fields = (field for entity in table.entities for field in entity.model.by_stored.values())
        found |= {field.stored for field in fields if is_personal(field.name)}
        found -= keys
    return frozenset(found)


def covered(item: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """The item with the values of these attributes covered."""
    return {name: {"S": COVER} if name in names else value for name, value in item.items()}


def is_revealed(request: Request) -> bool:
    until, _, signature = request.cookies.get(COOKIE, "").partition(".")
    if not until.isdigit() or not hmac.compare_digest(signature, _signature(request, until)):
        return False
    now: float = request.app.state.shell.clock.now()
    return now < int(until)


async def reveal(request: Request) -> Response:
    shell = operator(request)
    wanted = await form(request, Reveal)
    until = str(int(shell.clock.now()) + SECONDS)
    user = request.state.user
    place = local_path(wanted.next, "/console")
    extra = {"request_id": request.state.id, "user": user.id if user else "local", "path": place.partition("?")[0]}
    log.warning("personal attributes were uncovered", extra=extra)
    request.state.set_cookies.append((COOKIE, f"{until}.{_signature(request, until)}", SECONDS))
    flash(request, t(request, "console.revealed"))
    return redirect(request, place)


def _signature(request: Request, until: str) -> str:
    """Good for one browser: the session, or the visitor's cookie."""
    state = request.state
    key: bytes = request.app.state.shell.settings.secrets.key("reveal")
    return hmac.new(key, f"{state.session_hash or state.visitor}/{until}".encode(), "sha256").hexdigest()[:32]
