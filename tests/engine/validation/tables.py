"""Tables to check requests against, and how a refusal is read."""

from __future__ import annotations

from typing import Any

from sekkei.engine.storage.catalogue import Table

INVALID = "One or more parameter values were invalid: "
MISMATCH = "The provided key element does not match the schema"
EMPTY = (
    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
    "{} value. Key: {}"
)


def keyed(*parts: str) -> list[dict[str, str]]:
    """ "a" is a HASH key, "-b" a RANGE key."""
    return [{"AttributeName": part[-1], "KeyType": "RANGE" if part[0] == "-" else "HASH"} for part in parts]


def table(*parts: str, types: str = "", indexes: dict[str, Any] | None = None) -> Table:
    """`types` names the attributes that are no strings: "nN" is a number called n. LSI names begin with l."""
    kinds = {pair[0]: pair[1] for pair in types.split()}
    indexes = indexes or {}
    names = dict.fromkeys(part[-1] for group in (parts, *(i["keys"] for i in indexes.values())) for part in group)
    described: dict[str, list[Any]] = {}
    for number, (name, index) in enumerate(indexes.items(), start=1):
        member = "LocalSecondaryIndexes" if name[0] == "l" else "GlobalSecondaryIndexes"
        projection = {"ProjectionType": index.get("projection", "ALL")}
        if "include" in index:
            projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": index["include"]}
        described.setdefault(member, []).append(
            {
                "id": number,
                "IndexName": name,
                "KeySchema": keyed(*index["keys"]),
                "Projection": projection,
                "Backfilling": index.get("backfilling", False),
            }
        )
    record = {
        "TableName": "abc",
        "TableArn": "arn:aws:dynamodb:us-east-1:123456789012:table/abc",
        "AttributeDefinitions": [{"AttributeName": n, "AttributeType": kinds.get(n, "S")} for n in names],
        "KeySchema": keyed(*parts),
        **described,
    }
    return Table(1, record)


HASH = table("a")
RANGE = table(
    "a",
    "-b",
    indexes={
        "local": {"keys": ("a", "-c")},
        "gone": {"keys": ("c",)},
        "gtwo": {"keys": ("c", "-d"), "include": ["e"]},
        "gkeys": {"keys": ("c", "-d"), "projection": "KEYS_ONLY"},
        "growing": {"keys": ("c",), "backfilling": True},
        "gmany": {"keys": ("c", "d", "-e", "-f")},
    },
)


def s(text: str) -> dict[str, str]:
    return {"S": text}


OTHERS: list[dict[str, Any]] = [
    {"N": "1"},
    {"B": "Yg=="},
    {"BOOL": True},
    {"NULL": True},
    {"SS": ["a"]},
    {"NS": ["1"]},
    {"BS": ["Yg=="]},
    {"M": {}},
    {"L": []},
]
