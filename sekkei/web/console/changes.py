"""A table's stream as decoded changes: of everything, of one entity, of one item; and followed as they come."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.advice.stream_tail import Follower, NoStream, Told, told
from sekkei.design import Table
from sekkei.design.reading import seal, unseal
from sekkei.errors import DynamoDBError
from sekkei.runtime.refusals import NotThere
from sekkei.web.console import masks, operator
from sekkei.web.console.asking import schema_of
from sekkei.web.console.rows import address_of, hues_of, text_of
from sekkei.web.console.tables import described
from sekkei.web.console.target import looked_by
from sekkei.web.console.words import in_words
from sekkei.web.rendering import page
from sekkei.web.texts import t

SHOWN_MAX = 200
CALLS_MAX = 10
KINDS = ("INSERT", "MODIFY", "REMOVE")


def routes() -> list[BaseRoute]:
    return [Route("/console/tables/{name}/changes", show_changes, methods=["GET"])]


async def show_changes(request: Request) -> Response:
    """The newest first. `after` is where an earlier look ended: only what came since is shown."""
    looked = operator(request).looked
    name = request.path_params["name"]
    known = looked.table(name)
    found: list[Told] = []
    wrong, place = "", None
    try:
        description = await described(looked.store, name)
        follower = Follower(looked.store, name, _places(request, name))
        records = await follower.read(CALLS_MAX)
        found = [told(record, known[1] if known else None) for record in records]
        place = seal(dict(follower.places), _fingerprint(name), _secret(request)) if follower.places else None
    except NoStream:
        wrong = t(request, "console.changes.no-stream", table=name)
    except DynamoDBError as error:
        wrong = in_words(request, error)
        return page(request, "console/tables.html", 502, tables=[], wrong=wrong, cursor=None)
    chosen = [change for change in reversed(found) if _is_wanted(request, change)]
    return page(
        request,
        "console/changes.html",
        name=name,
        wrong=wrong,
        changes=chosen[:SHOWN_MAX],
        entities=[entity.name for entity in known[1].entities] if known else [],
        kinds=KINDS,
        hues=hues_of(known[0] if known else None),
        schema=schema_of(description),
        address_of=address_of,
        shown=shower(request, known[1] if known else None),
        place=place,
        looked=looked_by(request),
    )


def _secret(request: Request) -> bytes:
    key: bytes = request.app.state.shell.settings.secrets.key("cursors")
    return key


def _fingerprint(name: str) -> bytes:
    return f"console/changes/{name}".encode()


def _places(request: Request, name: str) -> dict[str, str]:
    after = request.query_params.get("after")
    return dict(unseal(after, _fingerprint(name), _secret(request))) if after else {}


def _is_wanted(request: Request, change: Told) -> bool:
    """By kind, entity and key, as far as they were given."""
    given = request.query_params
    if given.get("kind") and given["kind"] not in KINDS:
        raise NotThere()
    texts = [str(next(iter(value.values()))) for value in change.key.values()]
    wanted = [given[name] for name in ("key", "sort") if given.get(name)]
    return (
        given.get("kind", "") in ("", change.kind)
        and given.get("entity", "") in ("", change.entity)
        and all(text in texts for text in wanted)
    )


def shower(request: Request, table: Table | None) -> Any:
    """Values as text, personal ones covered."""
    revealed = masks.is_revealed(request)

    def shown(name: str, value: Any) -> str:
        if value is None:
            return "—"
        hidden = not revealed and name in masks.covered_names({name}, table)
        return masks.COVER if hidden else text_of(value if revealed else masks.covered_within(value))

    return shown
