"""Requests to make or change a table, in parts."""

from __future__ import annotations

from typing import Any

UNITS = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
ALL = {"ProjectionType": "ALL"}


FIRST = "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"


def defined(names: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": "S"} for name in names]


def keyed(*parts: str) -> list[dict[str, str]]:
    """ "a" is a HASH key, "-b" a RANGE key."""
    return [{"AttributeName": part[-1], "KeyType": "RANGE" if part[0] == "-" else "HASH"} for part in parts]


def index(name: str, *parts: str, **more: Any) -> dict[str, Any]:
    return {"IndexName": name, "KeySchema": keyed(*parts), "Projection": ALL, **more}


MANY = 1_000_000_000_001
