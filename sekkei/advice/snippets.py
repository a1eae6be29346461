"""A request to DynamoDB in other words: boto3, the AWS CLI, PartiQL, JavaScript; and a pattern as typed Python.

forms(requests)["PartiQL"]        SELECT * FROM "shop" WHERE "PK" = 'o#1' AND begins_with("SK", 'p#')
"""

from __future__ import annotations

import json
import re
import shlex
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from datetime import date, time
from enum import Enum
from typing import TYPE_CHECKING, Any

from sekkei.store.protocol import Request
from sekkei.store.wrapper import parts_of

if TYPE_CHECKING:
    from sekkei.advice.pattern_runner import Tried
    from sekkei.design import Design

Parameter = Callable[[Mapping[str, Any]], str]
SortKey = Callable[[Request], str | None]
_NAME_OR_VALUE = re.compile(r"[#:][A-Za-z0-9_]+")
_BASE64 = re.compile(r'"[A-Za-z0-9+/=]*"')
_BINARY = re.compile(r'"B": ("[A-Za-z0-9+/=]*")(?=\s*[,}])')
_BINARIES = re.compile(r'"BS": \[([^\]]*)\]')
_EXISTS = re.compile(r"attribute_exists\s*\(([^()]+)\)")
_ABSENT = re.compile(r"attribute_not_exists\s*\(([^()]+)\)")


def copies(tried: Tried, design: Design, texts: Mapping[str, str]) -> dict[str, str]:
    """What was tried, in other words; the pattern itself first."""
    from sekkei.advice.pattern_runner import arguments_of

    pattern = design.patterns[tried.pattern]
    given = arguments_of(pattern, texts)
    arguments = ", ".join(f"{name}={_code(given[name])}" for name, text in texts.items() if text)
    return {
        "Python": _python(pattern(**given), f"{tried.pattern}({arguments})"),
        **forms(tried.requests, _sort_in(design)),
    }


def _sort_in(design: Design) -> SortKey:
    def found(request: Request) -> str | None:
        names = set(request.get("ExpressionAttributeNames", {}).values())
        for table in design.tables.values():
            index = table.indexes.get(request.get("IndexName", ""))
            if index is not None and names.issuperset(index.pk):
                return index.sk[0] if index.sk else None
            if "IndexName" not in request and table.pk in names:
                return table.sk
        return None

    return found


def _python(planned: Any, call: str) -> str:
    """What reads it: a page, one item, several, or each step of a pattern that has some."""
    from sekkei.design import Query, Ref

    if isinstance(planned, tuple):
        reads = {_python(step, "step") for step in planned}
        if len(reads) == 1:
            return f"[{reads.pop()} for step in {call}]"
        names = [f"step{number}" for number in range(1, len(planned) + 1)]
        lines = [_python(step, name) for step, name in zip(planned, names, strict=True)]
        return "\n".join([f"{', '.join(names)} = {call}", *lines])
    way = "page" if isinstance(planned, Query) else "get" if isinstance(planned, Ref) else "get_many"
    return f"await db.{way}({call})"


def _code(value: Any) -> str:
    """A value as Python writes it, with the names that a program imports."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, list | tuple | set | frozenset):
        inside = ", ".join(map(_code, value))
        opened, closed = {list: "[]", tuple: ("(", ",)"), set: "{}"}.get(type(value), ("frozenset({", "})"))
        return f"{opened}{inside}{closed}"
    return repr(value).replace("datetime.", "") if isinstance(value, date | time) else repr(value)


def forms(requests: Sequence[tuple[str, Request]], sort: SortKey = lambda request: None) -> dict[str, str]:
    """Each request in each form, below each other. `sort` tells the sort key that a Query runs along."""

    def partiql(operation: str, request: Request) -> str:
        return _partiql(operation, request, sort(request))

    ways = {"boto3": _boto3, "AWS CLI": _cli, "PartiQL": partiql, "JavaScript (AWS SDK v3)": _javascript}
    return {name: "\n".join(way(operation, request) for operation, request in requests) for name, way in ways.items()}


def _boto3(operation: str, request: Request) -> str:
    inside = ",\n    ".join(f"{name}={_bytes(value)!r}" for name, value in request.items())
    return f"client.{_snake(operation)}(\n    {inside},\n)"


def _bytes(value: Any) -> Any:
    """Binary values as Python has them; a request has them in base64."""
    if isinstance(value, list | tuple):
        return [_bytes(one) for one in value]
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1:
        ((kind, inside),) = value.items()
        if kind == "B" and isinstance(inside, str):
            return {kind: b64decode(inside)}
        if kind == "BS" and isinstance(inside, list):
            return {kind: [b64decode(one) for one in inside]}
    return {name: _bytes(one) for name, one in value.items()}


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
        f"{_script(request)}));"
    )


def _script(request: Request) -> str:
    """JSON is a script's own notation, but for bytes."""
    text = json.dumps(request, ensure_ascii=False, indent=2)
    text = _BINARY.sub(r'"B": Buffer.from(\1, "base64")', text)
    return _BINARIES.sub(lambda found: '"BS": [' + _BASE64.sub(r'Buffer.from(\g<0>, "base64")', found[1]) + "]", text)


def _partiql(operation: str, request: Request, sort: str | None) -> str:
    """SELECT statements; what PartiQL cannot say (a page's size, a direction other than by ORDER BY) is left out.

    It has no notation for bytes: they are parameters, named behind the statement."""
    given: list[Mapping[str, Any]] = []

    def parameter(value: Mapping[str, Any]) -> str:
        given.append(value)
        return "?"

    text = _statements(operation, request, sort, parameter)
    return f"{text}\n-- Parameters: {json.dumps(given)}" if given else text


def _statements(operation: str, request: Request, sort: str | None, parameter: Parameter) -> str:
    if operation in ("GetItem", "BatchGetItem"):
        keys = [(part.table, part.item) for part in parts_of(operation, request)]
        return "\n".join(_select(table, None, "*", _equals(key, parameter)) for table, key in keys)
    names = request.get("ExpressionAttributeNames", {})
    values = request.get("ExpressionAttributeValues", {})
    tests = [request[part] for part in ("KeyConditionExpression", "FilterExpression") if part in request]
    where = " AND ".join(_replaced(f"({text})" if " OR " in text else text, names, values, parameter) for text in tests)
    columns = (
        _replaced(request["ProjectionExpression"], names, {}, parameter) if "ProjectionExpression" in request else "*"
    )
    found = _select(request["TableName"], request.get("IndexName"), columns, where)
    return f"{found}{_order(request, names, sort)}"


def _order(request: Request, names: Mapping[str, str], sort: str | None) -> str:
    """Backwards: by the sort key, which is told, or is the last name of the key condition."""
    if request.get("ScanIndexForward", True):
        return ""
    if sort is not None:
        return f" ORDER BY {_quoted(sort)} DESC"
    asked = re.findall(r"#[A-Za-z0-9_]+", request.get("KeyConditionExpression", ""))
    return f" ORDER BY {_quoted(names[asked[-1]])} DESC" if len(set(asked)) > 1 else ""


def _select(table: str, index: str | None, columns: str, where: str) -> str:
    source = _quoted(table) + (f".{_quoted(index)}" if index else "")
    return f"SELECT {columns} FROM {source}" + (f" WHERE {where}" if where else "")


def _equals(key: Mapping[str, Any], parameter: Parameter) -> str:
    return " AND ".join(f"{_quoted(name)} = {_written(value, parameter)}" for name, value in key.items())


def _replaced(text: str, names: Mapping[str, str], values: Mapping[str, Any], parameter: Parameter) -> str:
    """The expression with its own functions, names and values in their places; PartiQL has no placeholders by name."""
    text = _EXISTS.sub(r"\1 IS NOT MISSING", text)
    text = _ABSENT.sub(r"\1 IS MISSING", text)

    def put(found: re.Match[str]) -> str:
        word = found[0]
        return _quoted(names[word]) if word in names else _written(values[word], parameter) if word in values else word

    return _NAME_OR_VALUE.sub(put, text)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _written(value: Mapping[str, Any], parameter: Parameter) -> str:
    """PartiQL has no notation for bytes, and takes no parameter inside a value: what holds some is one as a whole."""
    return parameter(value) if _bytes(value) != value else literal(value)


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
        return "[" + ", ".join(literal(one) for one in inside) + "]"
    if kind == "M":
        return "{" + ", ".join(f"{literal({'S': name})}: {literal(one)}" for name, one in inside.items()) + "}"
    if kind in ("SS", "NS"):
        return "<<" + ", ".join(literal({kind[0]: one}) for one in inside) + ">>"
    return f"/* {kind} */ '{inside}'"


def _snake(name: str, joint: str = "_") -> str:
    return "".join(
        f"{joint}{letter.lower()}" if letter.isupper() and at else letter.lower() for at, letter in enumerate(name)
    )
