"""A statement of PartiQL that reads, run as it is typed, page by page."""

from __future__ import annotations

import re
from time import perf_counter
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.advice.pii import is_personal
from sekkei.design import Table
from sekkei.errors import DynamoDBError
from sekkei.runtime.refusals import NotThere
from sekkei.store.read_only import ReadOnly
from sekkei.web.console import masks, operator
from sekkei.web.console.asking import schema_of
from sekkei.web.console.reading import PAGE_ITEMS, Found
from sekkei.web.console.rows import hues_of, rows_of
from sekkei.web.console.tables import described
from sekkei.web.console.target import Looked, looked_by
from sekkei.web.console.words import in_words
from sekkei.web.forms import Form
from sekkei.web.rendering import page

_SELECTED = re.compile(r"\bSELECT\b(.*?)\bFROM\b", re.IGNORECASE | re.DOTALL)
_STEP = re.compile(r'"[^"]*"|[\w-]+')
_PATH = re.compile(r'(?:"[^"]*"|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|[\w-]+)|\s*\[\s*\d+\s*\])+')
_FROM = re.compile(r'\bFROM\s+(?:"([^"]+)"|([\w.-]+))(?:\."([^"]+)")?', re.IGNORECASE)


def routes() -> list[BaseRoute]:
    return [Route("/console/partiql", show_partiql, methods=["GET"])]


async def show_partiql(request: Request) -> Response:
    """Only what reads: a change goes through the form of one item, where it is conditional and can be undone."""
    looked = operator(request).looked
    statement = request.query_params.get("statement", "").strip()
    form, found = Form({"statement": statement}), Found()
    drawn = schema = None
    hues: dict[str, int] = {}
    covers = False
    if statement:
        try:
            found, token = await _run(looked, statement, request.query_params.get("after"))
            drawn, schema, covers = await _drawn(request, statement, found)
            known = looked.table(schema.table) if schema is not None else None
            hues = hues_of(known[0] if known else None)
        except DynamoDBError as error:
            form = Form({"statement": statement}, {"statement": in_words(request, error)})
    return page(
        request,
        "console/partiql.html",
        422 if form.errors else 200,
        form=form,
        found=found,
        drawn=drawn,
        schema=schema,
        covers=covers,
        hues=hues,
        cursor=token if statement and not form.errors else None,
        names=_names(looked),
    )


async def _run(looked: Looked, statement: str, after: str | None) -> tuple[Found, str | None]:
    further = {"NextToken": after} if after else {}
    asked = {"Statement": statement, "Limit": PAGE_ITEMS, "ReturnConsumedCapacity": "TOTAL", **further}
    began = perf_counter()
    answer = await ReadOnly(looked.store).call("ExecuteStatement", asked)
    units = float(answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0))
    items: list[dict[str, Any]] = answer.get("Items", [])
    found = Found(items, None, len(items), units, 1, (perf_counter() - began) * 1000)
    return found, answer.get("NextToken")


async def _drawn(request: Request, statement: str, found: Found) -> tuple[Any, Any, bool]:
    """The items by partition when the statement names a table of the store, and its keys are among the attributes."""
    named = _FROM.search(statement)
    try:
        table = await described(looked_by(request).store, (named[1] or named[2]) if named else "-")
    except NotThere:
        return None, None, False
    schema = schema_of(table, (named[3] if named else "") or "")
    if schema is None:
        return None, None, False
    known = looked_by(request).table(schema.table)
    declared = known[1] if known else None
    items, covers = masks.shown_items(request, found.items, schema.keys, declared)
    if not masks.is_revealed(request):
        inside = _personal_ends(statement, declared)
        covers = covers or any(inside & item.keys() for item in items)
        items = [{name: {"S": masks.COVER} if name in inside else one for name, one in item.items()} for item in items]
    return rows_of(items, schema, declared), schema, covers


def _personal_ends(statement: str, table: Table | None) -> frozenset[str]:
    """`SELECT address.line1` answers with a `line1`: it is as personal as what it was taken from."""
    selected = _SELECTED.search(statement)
    found = set()
    for path in _PATH.findall(selected[1] if selected else ""):
        steps = [step.strip('"') for step in _STEP.findall(path)]
        if len(steps) > 1 and (masks.covered_names(steps[:1], table) & {steps[0]} or any(map(is_personal, steps))):
            found.add(steps[-1])
    return frozenset(found)


def _names(looked: Looked) -> list[tuple[str, list[str]]]:
    """Tables with what can be named inside each, for whoever writes a statement."""
    found = []
    for design in looked.designs.values():
        for table in design.tables.values():
            attributes = dict.fromkeys(name for entity in table.entities for name in sorted(entity.stored_names))
            indexes = [f'"{design.table_name(table, looked.env)}"."{name}"' for name in table.indexes]
            found.append((design.table_name(table, looked.env), [*indexes, *attributes]))
    return found
