"""The document of each running design, made from its code: what `sekkei docs` writes, to be read in the browser."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeVar
from urllib.parse import quote

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.advice import heat, heat_chart, workload
from sekkei.advice.costing import SECONDS_A_MONTH, Prices, UnknownName, price, request_dollars
from sekkei.advice.heat import Report
from sekkei.advice.lineage import path_of, uses_of
from sekkei.advice.load_model import BadLoad, streams, walls
from sekkei.advice.quantities import count_of, rate_of
from sekkei.advice.scale import TABLE_QUOTA, of_pattern
from sekkei.advice.workload import BadTraffic, Traffic
from sekkei.design import Design, SekkeiError, UniqueKey, Units, tables
from sekkei.design.loading import find
from sekkei.errors import DynamoDBError
from sekkei.publish.document import Diagram
from sekkei.publish.svg import svg
from sekkei.runtime.refusals import NotThere
from sekkei.web.console import operator
from sekkei.web.console.rows import hues_of
from sekkei.web.console.simulations import Running
from sekkei.web.console.target import Looked, looked_by
from sekkei.web.console.words import in_words
from sekkei.web.forms import Form
from sekkei.web.rendering import page
from sekkei.web.texts import language_of, t

# What a pattern costs at a rate that somebody types, and where it throttles first; beside the map of its design.
#
# ?pattern=members_of&rate=50/s&users=10k&spread=zipf&region=ap-northeast-1      &heat=1 simulates an hour of it
#
# Units are those of `sekkei measure`, prices those of `sekkei.advice.costing`; what is not known is said to be unknown.


_RATE, USERS, REGION = "100/s", "10k", "us-east-1"
_SPREADS = ("", "even", "zipf", "celebrity:0.1", "one")
"""How keys are asked for; the first means: as the keys of the design tell."""
USERS_MAX = 10_000_000_000


class Limit(NamedTuple):
    """Where no more goes through, and from how many calls a second on."""

    rate: float
    place: str
    hottest: float | None
    """The share of the hottest key; None for the quota of a whole table."""


@dataclass(slots=True)
class Costs:
    """What the map shows of a pattern. `units` is None when nobody has measured it."""

    form: Form
    units: Units | None
    declared: float | None
    """Times a day that a user runs it, where traffic.toml beside the design says so."""
    prices: Prices
    rate: float = 0.0
    million: float | None = None
    """Dollars for a million calls."""
    month: float | None = None
    autoscaled: float | None = None
    limits: list[Limit] = field(default_factory=list)
    running: Running | None = None


class _Bad(ValueError):
    """What was typed does not fit: the field and its text."""

    def __init__(self, field: str, code: str, text: str) -> None:
        super().__init__(code)
        self.field, self.code, self.text = field, code, text[:60]


async def _costs_of(request: Request, looked: Looked, name: str, pattern: str) -> Costs:
    design, measured = looked.design(name), looked.measured(name)
    said = _declared(looked, name)
    often = said.patterns.get(pattern) if said is not None else None
    form = Form(_given(request.query_params, looked, often))
    found = Costs(form, measured.units.get(pattern), often, Prices.of(form.values["region"] or REGION))
    if found.units is None:
        return found
    try:
        rate, users = _typed(form.values)
        _reckon(found, design, looked, name, pattern, rate)
        asked = _streams(design, looked, name, pattern, rate, users, form.values["spread"])
    except _Bad as wrong:
        found.form = Form(form.values, {wrong.field: t(request, f"console.map.cost.{wrong.code}", text=wrong.text)})
        return found
    found.limits = sorted(_limits(asked, rate), key=lambda one: one.rate)
    if request.query_params.get("heat"):
        key = (name, pattern, rate, users, form.values["spread"])
        found.running = await looked.simulations.run(key, asked)
    return found


def _given(given: Mapping[str, str], looked: Looked, often: float | None) -> dict[str, str]:
    users = given.get("users", "").strip() or USERS
    rate = given.get("rate", "").strip()
    if not rate:
        rate = _RATE if often is None else f"{often * _count(users):g}/day"
    own = looked.where.removeprefix("dynamodb://") if looked.where.startswith("dynamodb://") else REGION
    regions = Prices.regions()
    region = next((one for one in (given.get("region", ""), own) if one in regions), REGION)
    spread = given.get("spread", "")
    return {"rate": rate, "users": users, "region": region, "spread": spread if spread in _SPREADS else ""}


def _count(text: str) -> int:
    try:
        return count_of(text)
    except (ValueError, OverflowError):
        return 0


def _typed(values: Mapping[str, str]) -> tuple[float, int]:
    try:
        rate = rate_of(values["rate"])
    except ValueError:
        raise _Bad("rate", "no-rate", values["rate"]) from None
    if not 0 < rate <= 1e9:
        raise _Bad("rate", "no-rate", values["rate"])
    users = _count(values["users"])
    if not 1 <= users <= USERS_MAX:
        raise _Bad("users", "no-users", values["users"])
    return rate, users


def _reckon(found: Costs, design: Design, looked: Looked, name: str, pattern: str, rate: float) -> None:
    units = found.units
    assert units is not None
    try:
        bill = price(design, looked.measured(name), rates={pattern: rate}, items={}, prices=found.prices)
    except UnknownName:
        raise _Bad("rate", "no-rate", found.form.values["rate"]) from None
    second = request_dollars(found.prices, units.read, units.write)
    found.rate, found.month, found.autoscaled = rate, bill.on_demand, bill.autoscaled
    found.million = None if second is None else second / SECONDS_A_MONTH * 1e6


def _streams(
    design: Design, looked: Looked, name: str, pattern: str, rate: float, users: int, spread: str
) -> list[heat.Stream]:
    measured, said = looked.measured(name), _declared(looked, name)
    try:
        if not spread and said is not None:
            asked = of_pattern(design, pattern, measured).asked[0]
            spread = said.popularity(asked.place, asked.key, asked.nature)
        hot = {pattern: spread} if spread else {}
        return streams(design, measured, users=users, rates={pattern: rate / users}, hot=hot)
    except (BadLoad, BadTraffic) as error:
        raise _Bad("spread", "no-spread", str(error)) from None


def _limits(asked: list[heat.Stream], rate: float) -> Iterator[Limit]:
    """A key that no split helps, and the quota that AWS gives a table or an index."""
    for bound in walls(asked, 1):
        shares = [one.popularity.shares[0] for one in asked if (one.place, one.key or one.pattern) == bound[1:3]]
        yield Limit(bound.users * rate, bound.place, max(shares))
    for place in dict.fromkeys(one.place for one in asked):
        there = [one for one in asked if one.place == place]
        units = max(sum(one.read for one in there), sum(one.write for one in there))
        if units:
            yield Limit(TABLE_QUOTA / units * rate, place, None)


def _declared(looked: Looked, name: str) -> Traffic | None:
    try:
        path = workload.beside(find(looked.sources.get(name, name))[1])
        return workload.load(path) if path.exists() else None
    except (SekkeiError, BadTraffic):
        return None


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
    costs = await _costs_of(request, looked, name, pattern.name) if pattern is not None else None
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
        spreads=_SPREADS,
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
