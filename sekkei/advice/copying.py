"""A request to DynamoDB in other words: boto3, the AWS CLI, PartiQL, JavaScript; and a pattern as typed Python.

forms(requests)["PartiQL"]        SELECT * FROM "shop" WHERE "PK" = 'o#1' AND begins_with("SK", 'p#')
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from sekkei.store.protocol import Request

if TYPE_CHECKING:
    from sekkei.advice.trying import Tried
    from sekkei.design import Design

_NAME_OR_VALUE = re.compile(r"[#:][A-Za-z0-9_]+")
_EXISTS = re.compile(r"attribute_exists\s*\(([^()]+)\)")
_ABSENT = re.compile(r"attribute_not_exists\s*\(([^()]+)\)")


def copies(tried: Tried, design: Design, texts: Mapping[str, str]) -> dict[str, str]:
    """What was tried, in other words; the pattern itself first."""
    from sekkei.advice.trying import arguments_of

    pattern = design.patterns[tried.pattern]
    given = arguments_of(pattern, texts)
    arguments = ", ".join(f"{name}={_code(given[name])}" for name, text in texts.items() if text)
    reads = "page" if any(plan.operation in ("Query", "Scan") for plan in pattern.plans) else "get"
    return {"Python": f"await db.{reads}({tried.pattern}({arguments}))", **forms(tried.requests)}


def _code(value: Any) -> str:
    """A value as Python writes it, with the names that a program imports."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, list | tuple | set | frozenset):
        inside = ", ".join(map(_code, value))
        opened, closed = {list: "[]", tuple: ("(", ",)"), set: "{}"}.get(type(value), ("frozenset({", "})"))
        return f"{opened}{inside}{closed}"
    return repr(value).replace("datetime.", "")


def forms(requests: Sequence[tuple[str, Request]]) -> dict[str, str]:
    """Each request in each form, below each other."""
    ways = {"boto3": _boto3, "AWS CLI": _cli, "PartiQL": _partiql, "JavaScript (AWS SDK v3)": _javascript}
    return {name: "\n".join(way(operation, request) for operation, request in requests) for name, way in ways.items()}


def _boto3(operation: str, request: Request) -> str:
    inside = ",\n    ".join(f"{name}={value!r}" for name, value in request.items())
    return f"client.{_snake(operation)}(\n    {inside},\n)"


def _cli(operation: str, request: Request) -> str:
    words = " ".join(_option(name, value) for name, value in request.items())
    return f"aws dynamodb {_snake(operation, '-')} {words}"


def _option(name: str, value: Any) -> str:
    option = _snake(name, "-")
    if isinstance(value, bool):
        return f"--{option}" if value else f"--no-{option}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"--{option} {shlex.quote(text)}"


def _javascript(operation: str, request: Request) -> str:
    return (
        f'import {{ DynamoDBClient, {operation}Command }} from "@aws-sdk/client-dynamodb";\n'
        f"await new DynamoDBClient({{}}).send(new {operation}Command("
        f"{json.dumps(request, ensure_ascii=False, indent=2)}));"
    )


def _partiql(operation: str, request: Request) -> str:
    """SELECT statements; what PartiQL cannot say (a page's size, a direction other than by ORDER BY) is left out."""
    if operation == "GetItem":
        return _select(request["TableName"], None, "*", _equals(request["Key"]))
    if operation == "BatchGetItem":
        keys = [(table, key) for table, wanted in request["RequestItems"].items() for key in wanted["Keys"]]
        return "\n".join(_select(table, None, "*", _equals(key)) for table, key in keys)
    names = request.get("ExpressionAttributeNames", {})
    values = request.get("ExpressionAttributeValues", {})
    tests = [request[part] for part in ("KeyConditionExpression", "FilterExpression") if part in request]
    where = " AND ".join(_replaced(f"({text})" if " OR " in text else text, names, values) for text in tests)
    columns = _replaced(request["ProjectionExpression"], names, {}) if "ProjectionExpression" in request else "*"
    found = _select(request["TableName"], request.get("IndexName"), columns, where)
    return f"{found}{_order(request, names)}"


def _order(request: Request, names: Mapping[str, str]) -> str:
    """Backwards: by the sort key, which is the last name of the key condition."""
    if request.get("ScanIndexForward", True):
        return ""
    asked = re.findall(r"#[A-Za-z0-9_]+", request.get("KeyConditionExpression", ""))
    return f" ORDER BY {_quoted(names[asked[-1]])} DESC" if len(set(asked)) > 1 else ""


def _select(table: str, index: str | None, columns: str, where: str) -> str:
    source = _quoted(table) + (f".{_quoted(index)}" if index else "")
    return f"SELECT {columns} FROM {source}" + (f" WHERE {where}" if where else "")


def _equals(key: Mapping[str, Any]) -> str:
    return " AND ".join(f"{_quoted(name)} = {literal(value)}" for name, value in key.items())


def _replaced(text: str, names: Mapping[str, str], values: Mapping[str, Any]) -> str:
    """The expression with its own functions, names and values in their places; PartiQL has no placeholders by name."""
    text = _EXISTS.sub(r"\1 IS NOT MISSING", text)
    text = _ABSENT.sub(r"\1 IS MISSING", text)

    def put(found: re.Match[str]) -> str:
        word = found[0]
        return _quoted(names[word]) if word in names else literal(values[word]) if word in values else word

    return _NAME_OR_VALUE.sub(put, text)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(value: Mapping[str, Any]) -> str:
    """A stored value as PartiQL writes it."""
    ((kind, inside),) = value.items()
    if kind == "S":
        return "'" + str(inside).replace("'", "''") + "'"
    if kind == "N":
        return str(inside)
    if kind == "BOOL":
        return "true" if inside else "false"
    if kind == "NULL":
        return "NULL"
    if kind == "L":
        return "[" + ", ".join(map(literal, inside)) + "]"
    if kind == "M":
        return "{" + ", ".join(f"'{name}': {literal(one)}" for name, one in inside.items()) + "}"
    if kind in ("SS", "NS"):
        return "<<" + ", ".join(literal({kind[0]: one}) for one in inside) + ">>"
    return f"/* {kind} */ '{inside}'"


def _snake(name: str, joint: str = "_") -> str:
    return "".join(
        f"{joint}{letter.lower()}" if letter.isupper() and at else letter.lower() for at, letter in enumerate(name)
    )
