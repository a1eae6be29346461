"""The tables as they are stored, through the same seam that everything else uses."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.design.cursors import seal, unseal
from sekkei.errors import ResourceNotFoundException, ValidationException
from sekkei.runtime.refusals import Invalid, NotThere
from sekkei.store.protocol import Store
from sekkei.web.console import operator
from sekkei.web.rendering import page

PAGE_ITEMS = 50
TABLES_MAX = 300
_CELL_CHARACTERS_MAX = 400


def routes() -> list[BaseRoute]:
    return [
        Route("/console/tables", show_tables, methods=["GET"]),
        Route("/console/tables/{name}", show_items, methods=["GET"]),
    ]


async def show_tables(request: Request) -> Response:
    store = operator(request).deployment.store
    names: list[str] = []
    start: str | None = None
    while len(names) < TABLES_MAX:
        answer = await store.call("ListTables", {"ExclusiveStartTableName": start} if start else {})
        names += answer["TableNames"]
        start = answer.get("LastEvaluatedTableName")
        if start is None:
            break
    tables = [await _described(store, name) for name in names]
    return page(request, "console/tables.html", tables=tables, key_words=key_words)


async def _described(store: Store, name: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = (await store.call("DescribeTable", {"TableName": name}))["Table"]
    except (ResourceNotFoundException, ValidationException):
        raise NotThere() from None
    return found


def key_words(schema: list[dict[str, str]]) -> str:
    """`PK / SK`."""
    return " / ".join(part["AttributeName"] for part in schema)


async def show_items(request: Request) -> Response:
    """Items of a table or an index: all of them, or those of one key."""
    shell = operator(request)
    name = request.path_params["name"]
    store = shell.deployment.store
    table = await _described(store, name)
    indexes = [*table.get("GlobalSecondaryIndexes", ()), *table.get("LocalSecondaryIndexes", ())]
    wanted = request.query_params.get("index", "")
    view = next((index for index in indexes if index["IndexName"] == wanted), None) if wanted else table
    if view is None:
        raise NotThere()
    operation, asked = _request(table, view, wanted, request.query_params.get("key", ""))
    fingerprint = f"console/{name}/{wanted}/{request.query_params.get('key', '')}".encode()
    secret = shell.settings.secrets.key("cursors")
    after = request.query_params.get("after")
    if after:
        asked["ExclusiveStartKey"] = unseal(after, fingerprint, secret)
    try:
        answer = await store.call(operation, asked)
    except ValidationException as error:
        raise Invalid(words={"ja": str(error), "en": str(error)}) from None
    last = answer.get("LastEvaluatedKey")
    columns = _columns(table, view)
    return page(
        request,
        "console/items.html",
        table=table,
        indexes=indexes,
        index=wanted,
        key=request.query_params.get("key", ""),
        columns=columns,
        items=[_shown(item, columns) for item in answer["Items"]],
        cursor=seal(last, fingerprint, secret) if last else None,
        key_words=key_words,
        view=view,
    )


def _request(table: dict[str, Any], view: dict[str, Any], index: str, key: str) -> tuple[str, dict[str, Any]]:
    asked: dict[str, Any] = {"TableName": table["TableName"], "Limit": PAGE_ITEMS}
    if index:
        asked["IndexName"] = index
    if not key:
        return "Scan", asked
    hash_name = next(part["AttributeName"] for part in view["KeySchema"] if part["KeyType"] == "HASH")
    types = {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]}
    asked["KeyConditionExpression"] = "#k = :k"
    asked["ExpressionAttributeNames"] = {"#k": hash_name}
    asked["ExpressionAttributeValues"] = {":k": {types[hash_name]: key}}
    return "Query", asked


def _columns(table: dict[str, Any], view: dict[str, Any]) -> list[str]:
    parts = [*view["KeySchema"], *table["KeySchema"]]
    return list(dict.fromkeys(part["AttributeName"] for part in parts))


def _shown(item: dict[str, Any], columns: list[str]) -> dict[str, Any]:
    rest = {name: plain(value) for name, value in sorted(item.items()) if name not in columns}
    line = orjson.dumps(rest).decode()
    return {
        "keys": [plain(item[name]) if name in item else "" for name in columns],
        "line": line if len(line) <= _CELL_CHARACTERS_MAX else line[:_CELL_CHARACTERS_MAX] + "…",
        "raw": orjson.dumps(item, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode(),
    }


def plain(value: dict[str, Any]) -> Any:
    """An attribute value without its type, for reading."""
    ((kind, inside),) = value.items()
    if kind == "M":
        return {name: plain(one) for name, one in inside.items()}
    if kind == "L":
        return [plain(one) for one in inside]
    if kind == "NULL":
        return None
    return inside
