"""The tables as they are stored: items by key, index and filter, drawn by partition; counted and exported."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.advice.snippets import forms
from sekkei.design import CursorRefused
from sekkei.design.reading import seal, unseal
from sekkei.errors import DynamoDBError, ResourceNotFoundException, ValidationException
from sekkei.kit import sheets
from sekkei.runtime.refusals import NotThere
from sekkei.store.protocol import Store
from sekkei.web.answers import download
from sekkei.web.console import masks, operator, reading
from sekkei.web.console.asking import FILTERS, SORT_OPERATORS, TYPES, Ask, BadAsk, Schema, schema_of
from sekkei.web.console.rows import hues_of, plain, rows_of, types_in
from sekkei.web.console.target import looked_by
from sekkei.web.console.words import in_words
from sekkei.web.forms import Form
from sekkei.web.rendering import page
from sekkei.web.texts import t

# A result as a file: CSV for people, DynamoDB JSON and lines of JSON for programs; written while it is read.


ENDINGS = {"csv": "csv", "json": "dynamodb.json", "ndjson": "ndjson"}
Pages = AsyncIterator[list[dict[str, Any]]]


async def written(pages: Pages, form: str, columns: list[str], *, rest: bool = True) -> AsyncIterator[bytes]:
    """`json` is a line `{"Item": {…}}` an item, as DynamoDB's own export and import have it.

    Of CSV: the columns, and with `rest` one more, in which what has no column stands as JSON."""
    if form == "csv":
        yield sheets.write([[*columns, *(["…"] if rest else [])]])
    async for items in pages:
        if form == "csv":
            yield sheets.lines(_row(item, columns, rest) for item in items)
        else:
            yield b"".join(orjson.dumps({"Item": item} if form == "json" else _typed(item)) + b"\n" for item in items)


def _row(item: Mapping[str, Any], columns: list[str], rest: bool) -> list[str]:
    cells = [_cell(item[name]) if name in item else "" for name in columns]
    others = {name: plain(value) for name, value in sorted(item.items()) if name not in columns}
    return [*cells, *([orjson.dumps(others).decode() if others else ""] if rest else [])]


def _cell(value: Mapping[str, Any]) -> str:
    found = plain(value)
    if isinstance(found, str):
        return sheets.Number(found) if "N" in value else found
    return orjson.dumps(found).decode()


def _typed(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _natural(value) for name, value in item.items()}


def _natural(value: Mapping[str, Any]) -> Any:
    """As JSON has it: numbers are numbers where JSON can hold them exactly, else texts."""
    ((kind, inside),) = value.items()
    if kind == "N":
        number = Decimal(inside)
        whole = number == number.to_integral_value() and abs(number) < 2**53
        return int(number) if whole else float(number) if Decimal(repr(float(number))) == number else inside
    if kind == "M":
        return {name: _natural(one) for name, one in inside.items()}
    if kind in ("L", "NS"):
        return [_natural(one if kind == "L" else {"N": one}) for one in inside]
    return None if kind == "NULL" else inside


TABLES_MAX = 300
_TABLES_A_PAGE = 50
_DESCRIBED_AT_ONCE = 10


def routes() -> list[BaseRoute]:
    return [
        Route("/console/tables", show_tables, methods=["GET"]),
        Route("/console/tables/{name}", show_items, methods=["GET"]),
        Route("/console/tables/{name}/export", export, methods=["GET"]),
    ]


async def show_tables(request: Request) -> Response:
    looked = operator(request).looked
    start = request.query_params.get("after")
    further = {"ExclusiveStartTableName": start} if start else {}
    try:
        answer = await looked.store.call("ListTables", {"Limit": _TABLES_A_PAGE, **further})
        tables = await _descriptions(looked.store, answer["TableNames"])
    except DynamoDBError as error:
        return page(request, "console/tables.html", 502, tables=[], wrong=in_words(request, error), cursor=None)
    return page(
        request,
        "console/tables.html",
        tables=[(table, looked.table(table["TableName"])) for table in tables],
        wrong="",
        cursor=answer.get("LastEvaluatedTableName"),
        looked=looked,
        key_words=key_words,
    )


async def _descriptions(store: Store, names: list[str]) -> list[dict[str, Any]]:
    """Some at a time; a table that went away meanwhile is left out."""
    gate = asyncio.Semaphore(_DESCRIBED_AT_ONCE)

    async def describe(name: str) -> dict[str, Any] | None:
        async with gate:
            try:
                return await described(store, name)
            except NotThere:
                return None

    found = await asyncio.gather(*(describe(name) for name in names))
    return [table for table in found if table is not None]


async def described(store: Store, name: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = (await store.call("DescribeTable", {"TableName": name}))["Table"]
    except (ResourceNotFoundException, ValidationException):
        raise NotThere() from None
    return found


def key_words(schema: list[dict[str, str]]) -> str:
    """`PK / SK`."""
    return " / ".join(part["AttributeName"] for part in schema)


def indexes_of(table: dict[str, Any]) -> list[dict[str, Any]]:
    return [*table.get("GlobalSecondaryIndexes", ()), *table.get("LocalSecondaryIndexes", ())]


async def show_items(request: Request) -> Response:
    """Items of a table or an index: all of them, or those of one key, as far as the filters let them through."""
    looked = operator(request).looked
    try:
        table = await described(looked.store, request.path_params["name"])
    except DynamoDBError as error:
        return page(request, "console/tables.html", 502, tables=[], wrong=in_words(request, error), cursor=None)
    schema = _schema(request, table)
    form, found, counted, copied = Form(), reading.Found(), None, {}
    try:
        operation, asked = _asked(request, schema)
        found = await reading.read_page(looked.store, operation, asked, schema, _start(request, operation, asked))
        if request.query_params.get("count"):
            counted = await reading.count(looked.store, operation, asked)
        sort = next(iter(schema.sorts), None)
        copied = forms([(operation, {**asked, "Limit": reading.PAGE_ITEMS})], lambda request: sort)
        cursor = _cursor(request, operation, asked, found)
    except BadAsk as wrong:
        form, cursor = Form({}, {wrong.field: t(request, f"console.wrong.{wrong.code}", **wrong.values)}), None
    except CursorRefused:
        raise
    except DynamoDBError as error:
        form, cursor = Form({}, {"": in_words(request, error)}), None
    return page(
        request,
        "console/items.html",
        422 if form.errors else 200,
        **_view(request, table, schema, found),
        form=form,
        found=found,
        counted=counted,
        copied=copied,
        cursor=cursor,
    )


def _schema(request: Request, table: dict[str, Any]) -> Schema:
    schema = schema_of(table, request.query_params.get("index", ""))
    if schema is None:
        raise NotThere()
    return schema


def _asked(request: Request, schema: Schema) -> tuple[str, dict[str, Any]]:
    known = looked_by(request).table(schema.table)
    return Ask.read(request.query_params).request(schema, types_in(known[1] if known else None))


def _view(request: Request, table: dict[str, Any], schema: Schema, found: reading.Found) -> dict[str, Any]:
    looked = looked_by(request)
    known = looked.table(schema.table)
    names = {name for item in found.items for name in item} - set(schema.keys)
    items, covers = masks.shown_items(request, found.items, schema.keys, known[1] if known else None)
    given = request.query_params
    return {
        "table": table,
        "schema": schema,
        "tabs": _tabs(request, table, schema),
        "drawn": rows_of(items, schema, known[1] if known else None),
        "covers": covers,
        "hues": hues_of(known[0] if known else None),
        "design": looked.name_of(known[0]) if known else None,
        "given": given,
        "filters": _filter_rows(request),
        "sort_operators": SORT_OPERATORS,
        "filter_operators": FILTERS,
        "types": TYPES,
        "attributes": sorted({*names, *(types_in(known[1]) if known else ())}),
        "looked": looked,
        "key_words": key_words,
    }


def _tabs(request: Request, table: dict[str, Any], schema: Schema) -> list[tuple[str, str, bool]]:
    """The table itself and each index, as (address, words, is it this one)."""
    here = f"/console/tables/{schema.table}"
    found = [(here, t(request, "console.table-itself"), not schema.index)]
    for index in indexes_of(table):
        words = f"{index['IndexName']} ({key_words(index['KeySchema'])})"
        found.append((f"{here}?{urlencode({'index': index['IndexName']})}", words, index["IndexName"] == schema.index))
    return found


def _filter_rows(request: Request) -> list[dict[str, str]]:
    """What stands in the filter's fields, and one empty row more."""
    given = request.query_params
    lists = {name: given.getlist(name) for name in ("attr", "is", "value", "and", "type")}
    rows = [
        {name: texts[number] if number < len(texts) else "" for name, texts in lists.items()}
        for number in range(len(lists["attr"]))
    ]
    return [*(row for row in rows if row["attr"]), dict.fromkeys(lists, "")]


def fingerprint(operation: str, asked: dict[str, Any]) -> bytes:
    """A cursor is good for the question that it came from."""
    return b"console/" + orjson.dumps([operation, asked], option=orjson.OPT_SORT_KEYS)


def _start(request: Request, operation: str, asked: dict[str, Any]) -> dict[str, Any] | None:
    after = request.query_params.get("after")
    secret = request.app.state.shell.settings.secrets.key("cursors")
    return unseal(after, fingerprint(operation, asked), secret) if after else None


def _cursor(request: Request, operation: str, asked: dict[str, Any], found: reading.Found) -> str | None:
    secret = request.app.state.shell.settings.secrets.key("cursors")
    return seal(found.last, fingerprint(operation, asked), secret) if found.last else None


async def export(request: Request) -> Response:
    """The whole result as a file, written while it is read. Personal attributes stay covered unless asked for."""
    looked = operator(request).looked
    form = request.query_params.get("format", "csv")
    if form not in ENDINGS:
        raise NotThere()
    try:
        table = await described(looked.store, request.path_params["name"])
        schema = _schema(request, table)
        operation, asked = _asked(request, schema)
        pages = reading.each_page(looked.store, operation, asked)
        first: list[dict[str, Any]] = await anext(pages, [])
    except (BadAsk, DynamoDBError):
        return await show_items(request)  # which says what is wrong
    columns = _columns(request, schema, first)
    chosen = bool(Ask.read(request.query_params).columns)
    content = written(_covered(request, schema, first, pages), form, columns, rest=not chosen)
    name = f"{schema.table}{'.' + schema.index if schema.index else ''}.{ENDINGS[form]}"
    return download(name, content)


def _columns(request: Request, schema: Schema, first: list[dict[str, Any]]) -> list[str]:
    """Of a CSV: what was chosen, or what the design declares, or what the first items have."""
    ask, known = Ask.read(request.query_params), looked_by(request).table(schema.table)
    further = ask.columns or (types_in(known[1]) if known else sorted({name for item in first for name in item}))
    return list(dict.fromkeys((*schema.keys, *further)))


async def _covered(
    request: Request, schema: Schema, first: list[dict[str, Any]], pages: AsyncIterator[list[dict[str, Any]]]
) -> AsyncIterator[list[dict[str, Any]]]:
    known = looked_by(request).table(schema.table)
    table = known[1] if known else None
    yield masks.shown_items(request, first, schema.keys, table)[0]
    async for items in pages:
        yield masks.shown_items(request, items, schema.keys, table)[0]
