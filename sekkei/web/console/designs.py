"""The document of each running design, made from its code: what `sekkei docs` writes, to be read in the browser."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Literal, TypeVar
from urllib.parse import quote

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.advice import heat_chart
from sekkei.advice.costing import Prices
from sekkei.advice.heat import Report
from sekkei.advice.lineage import path_of, uses_of
from sekkei.design import Design, UniqueKey, tables
from sekkei.errors import DynamoDBError
from sekkei.publish.document import Diagram
from sekkei.publish.svg import svg
from sekkei.runtime.refusals import NotThere
from sekkei.web.console import operator
from sekkei.web.console.costs import SPREADS, costs_of
from sekkei.web.console.looked import looked_by
from sekkei.web.console.rows import hues_of
from sekkei.web.console.words import in_words
from sekkei.web.rendering import page
from sekkei.web.texts import language_of, t

T = TypeVar("T")
TITLE_MAX = 28
"""Characters that an entity's words may have on the map; with more, it stands there by its name."""

_ONLY_ITS_STYLE = "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def routes() -> list[BaseRoute]:
    return [
        Route("/console/designs/{system}", show_design, methods=["GET"]),
        Route("/console/designs/{system}/map", show_map, methods=["GET"]),
    ]


async def show_design(request: Request) -> Response:
    # Nobody needs the publisher before somebody reads a document.
    from sekkei.publish import document, html
    from sekkei.publish.html import STYLE

    looked, name = operator(request).looked, request.path_params["system"]
    design = looked.design(name)
    language: Literal["ja", "en"] = "en" if language_of(request) == "en" else "ja"
    text = html(document(design, language, looked.measured(name)))
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    headers = {"Content-Security-Policy": _ONLY_ITS_STYLE.format(digest=digest)}
    return Response(text, media_type="text/html; charset=utf-8", headers=headers)


async def show_map(request: Request) -> Response:
    """The design to walk through: a pattern lights its path, an attribute names who reads and writes it."""
    looked, name = operator(request).looked, request.path_params["system"]
    design = looked.design(name)
    pattern = _chosen(request, "pattern", design.patterns)
    entities = {one.name: one for table in design.tables.values() for one in table.entities}
    entity = _chosen(request, "entity", entities)
    attribute = _chosen(request, "attribute", entity.model.fields) if entity is not None else None
    path = path_of(pattern) if pattern is not None else None
    steps = await _differences(request, design) if request.query_params.get("live") else None
    lit = path.entities if path is not None else (entity.name,) if entity is not None else ()
    here, measured = f"/console/designs/{quote(name)}/map", looked.measured(name)
    costs = await costs_of(request, looked, name, pattern.name) if pattern is not None else None
    shown = page(
        request,
        "console/map.html",
        422 if costs is not None and costs.form.errors else 200,
        name=name,
        title=looked.title(name),
        design=design,
        drawing=Markup(svg(_diagram(design, request), lit=lit, address=lambda one: f"{here}?entity={quote(one)}")),
        here=here,
        pattern=pattern,
        entity=entity,
        attribute=attribute,
        way=path,
        uses=uses_of(design, entity, attribute.name) if entity is not None and attribute is not None else None,
        units=measured.units,
        hues=hues_of(design),
        table_name=lambda table: design.table_name(table, looked.env),
        findings=looked.findings(name, measured),
        steps=steps,
        costs=costs,
        regions=[(one, one) for one in Prices.regions()],
        spreads=SPREADS,
        source=looked.sources.get(name, name),
        picture=lambda report: _picture(request, report),
    )
    if costs is not None and costs.running is not None and not costs.running.finished:
        # For browsers without scripts; with one, the page loads itself again and stays where it was scrolled to.
        shown.headers["Refresh"] = f"3; url={here}?{request.url.query}"
    return shown


def _picture(request: Request, report: Report) -> Markup:
    """Asked, served and throttled, minute by minute, in the reader's language."""
    blanks = {name: f"{{{name}}}" for name in ("asked", "throttled", "last", "first", "place", "minutes")}
    words = (t(request, f"console.map.plot.{name}", **blanks) for name in heat_chart.Words._fields)
    return Markup(heat_chart.plot(report, heat_chart.Words(*words), standalone=False))


async def _differences(request: Request, design: Design) -> list[str]:
    """Where the store's tables are not as the design says; asks for every table, so only when it is wanted."""
    looked = looked_by(request)
    try:
        return [str(step) for step in await tables.differences(looked.store, design, looked.env)]
    except DynamoDBError as error:
        return [in_words(request, error)]


def _chosen(request: Request, kind: str, known: Mapping[str, T]) -> T | None:
    wanted = request.query_params.get(kind)
    if wanted is not None and wanted not in known:
        raise NotThere()
    return None if wanted is None else known[wanted]


def _diagram(design: Design, request: Request) -> Diagram:
    """Every entity but the uniqueness markers, whether or not it has relations."""
    everyone = (entity for table in design.tables.values() for entity in table.entities)
    entities = [entity for entity in everyone if entity.model.cls is not UniqueKey]
    japanese = language_of(request) == "ja"
    said = [(entity.ja if japanese else entity.en) or entity.name for entity in entities]
    titles = [text if len(text) <= TITLE_MAX else one.name for text, one in zip(said, entities, strict=True)]
    return Diagram(entities, design.relations, titles)
