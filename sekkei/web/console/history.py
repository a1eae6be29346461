"""One item through time: every change that is still known, and how the item looked at a moment.

An embedded store tells as far back as its table's recovery reaches (35 days), any other as far as the stream does (a
day). Amazon DynamoDB shows an older moment only as a new table; the page says how to make one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.advice.stream_tail import Follower, NoStream, Record, told
from sekkei.design import Table
from sekkei.errors import DynamoDBError
from sekkei.runtime.days import now
from sekkei.runtime.refusals import NotThere
from sekkei.store.protocol import Store
from sekkei.web.console import masks, operator
from sekkei.web.console.asking import Schema
from sekkei.web.console.changes import shower
from sekkei.web.console.changing import entity_of
from sekkei.web.console.item import key_of
from sekkei.web.console.rows import address_of, hues_of
from sekkei.web.console.tables import described
from sekkei.web.console.words import in_words
from sekkei.web.rendering import page
from sekkei.web.texts import speech, t

SHOWN_MAX = 100
PARTS_MAX = 50
"""Parts of the log that one page looks through; further back, so many times as many."""
_FAR_MAX = 64
_STREAM_CALLS = 20
_STREAM_HOURS = 24

Item = Mapping[str, Mapping[str, Any]]


def routes() -> list[BaseRoute]:
    return [Route("/console/tables/{name}/history", show_history, methods=["GET"])]


@dataclass(slots=True)
class Past:
    """What is known of an item: records of its changes, the newest first, and from when on there can be any."""

    records: list[Record]
    since: datetime | None
    """None when nothing of its past is kept."""
    further: bool = False
    """Is there more, further back?"""


@dataclass(frozen=True, slots=True)
class Then:
    """How an item was at a moment."""

    at: datetime
    item: Item | None
    """None when it was not there."""
    known: bool
    """Or does nothing reach back so far?"""


async def show_history(request: Request) -> Response:
    looked = operator(request).looked
    try:
        table = await described(looked.store, request.path_params["name"])
        schema, key = key_of(request, table)
        answer = await looked.store.call("GetItem", {"TableName": schema.table, "Key": key, "ConsistentRead": True})
        past = await _past(request, looked.store, table, key, answer.get("Item"))
    except DynamoDBError as error:
        return page(request, "console/tables.html", 502, tables=[], wrong=in_words(request, error), cursor=None)
    if answer.get("Item") is None and not past.records:
        raise NotThere()
    at, wrong = _moment(request)
    known = looked.table(schema.table)
    declared = known[1] if known else None
    then = _then(past, answer.get("Item"), at) if at is not None else None
    return page(
        request,
        "console/history.html",
        422 if wrong else 200,
        table=table,
        wrong=wrong,
        past=past,
        changes=[told(record, declared) for record in past.records[:SHOWN_MAX]],
        then=then,
        differences=_differences(schema, then, answer.get("Item")) if then is not None else [],
        entity=_entity(declared, then.item if then is not None else answer.get("Item")),
        hues=hues_of(known[0] if known else None),
        address=address_of(key, schema),
        covers=_covers(request, past, schema, declared),
        shown=shower(request, declared),
        at=at,
        far=_far(request) * 4,
        zone=speech.get().zone,
        local=lambda moment: moment.astimezone(speech.get().zone).strftime("%Y-%m-%dT%H:%M:%S"),
        right_after=lambda moment: (moment + timedelta(seconds=1)).replace(microsecond=0),
    )


def _entity(table: Table | None, item: Item | None) -> str | None:
    entity = entity_of(table, item) if table is not None and item is not None else None
    return entity.name if entity is not None else None


def _covers(request: Request, past: Past, schema: Schema, table: Table | None) -> bool:
    images = [image for record in past.records for image in _images(record) if image is not None]
    return masks.shown_items(request, images, schema.keys, table)[1]


def _moment(request: Request) -> tuple[datetime | None, str]:
    """The moment asked for, in the zone of all times on these pages; or what is wrong with it."""
    text = request.query_params.get("at", "")
    if not text:
        return None, ""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None, t(request, "console.history.no-moment", text=text[:40])
    return found if found.tzinfo is not None else found.replace(tzinfo=speech.get().zone), ""


async def _past(
    request: Request, store: Store, table: Mapping[str, Any], key: Mapping[str, Any], present: Item | None
) -> Past:
    embedded = _embedded(store)
    clock = request.app.state.shell.clock
    streamed = now(clock) - timedelta(hours=_STREAM_HOURS) if table.get("LatestStreamArn") else None
    if embedded is None:
        return Past(await _from_stream(store, table["TableName"], key), streamed)
    since = await _recoverable(store, table["TableName"]) or streamed
    if since is None:
        return Past([], None)
    found: list[Record] = []
    place: int | None = None
    for _ in range(PARTS_MAX * _far(request)):
        records, place = embedded.past(table["TableName"], key, place)
        found += records
        if place is None:
            break
        await asyncio.sleep(0)  # others have their turn
    made = datetime.fromtimestamp(float(table["CreationDateTime"]), UTC)
    return Past(_completed(found, present), max(since, made), place is not None)


def _far(request: Request) -> int:
    text = request.query_params.get("far", "")
    return min(max(1, int(text)), _FAR_MAX) if text.isascii() and text.isdigit() and len(text) < 4 else 1


def _completed(records: list[Record], present: Item | None) -> list[Record]:
    """A log that is kept for recovery alone has the items before each change; what came after is in the next one."""
    after = present
    for record in records:
        data = record["dynamodb"]
        if "NewImage" not in data and record["eventName"] != "REMOVE" and after is not None:
            data["NewImage"] = after
        after = data.get("OldImage")
    return records


def _embedded(store: Any) -> Any:
    """The store under what wraps it, when it keeps the past itself."""
    while store is not None:
        if hasattr(store, "past"):
            return store
        store = getattr(store, "store", None)
    return None


async def _recoverable(store: Store, name: str) -> datetime | None:
    answer = await store.call("DescribeContinuousBackups", {"TableName": name})
    recovery = answer["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
    earliest = recovery.get("EarliestRestorableDateTime")
    return None if earliest is None else datetime.fromtimestamp(float(earliest), UTC)


async def _from_stream(store: Store, name: str, key: Mapping[str, Any]) -> list[Record]:
    try:
        records = await Follower(store, name).read(_STREAM_CALLS)
    except NoStream:
        return []
    return [record for record in reversed(records) if record["dynamodb"]["Keys"] == key]


def _images(record: Record) -> tuple[Item | None, Item | None]:
    data = record["dynamodb"]
    return data.get("OldImage"), data.get("NewImage")


def _then(past: Past, present: Item | None, at: datetime) -> Then:
    """After the last change up to that moment; before the first one after it; or as it is now."""
    item, complete = present, True
    for record in past.records:
        moment = record["dynamodb"].get("ApproximateCreationDateTime")
        if moment is None or float(moment) <= at.timestamp():
            return Then(at, item, complete)
        item = _images(record)[0]
        complete = item is not None or record["eventName"] == "INSERT"
    reached = past.since is not None and at >= past.since and not past.further
    return Then(at, item, complete and reached) if reached else Then(at, None, False)


def _differences(schema: Schema, then: Then, present: Item | None) -> Sequence[tuple[str, Any, Any]]:
    """Every attribute then and now, those that differ first."""
    before, after = then.item or {}, present or {}
    names = sorted(
        {*before, *after} - set(schema.table_keys), key=lambda name: (before.get(name) == after.get(name), name)
    )
    return [(name, before.get(name), after.get(name)) for name in names]
