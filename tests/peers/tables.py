"""The tables that the random requests are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.peers import values
from tests.peers.dice import Dice
from tests.peers.values import Item

Request = dict[str, Any]


@dataclass(frozen=True)
class Index:
    name: str
    hash: str
    range: str | None
    projection: dict[str, Any]
    local: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return (self.hash,) if self.range is None else (self.hash, self.range)


@dataclass(frozen=True)
class Table:
    name: str
    types: dict[str, str]
    """Of every attribute that is a key of the table or of an index."""
    hash: str = "p"
    range: str | None = None
    indexes: tuple[Index, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (self.hash,) if self.range is None else (self.hash, self.range)

    def definition(self) -> Request:
        request: Request = {
            "TableName": self.name,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": kind} for name, kind in sorted(self.types.items())
            ],
            "KeySchema": _key_schema(self.hash, self.range),
        }
        for member, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True)):
            if indexes := [index for index in self.indexes if index.local == local]:
                request[member] = [
                    {
                        "IndexName": index.name,
                        "KeySchema": _key_schema(index.hash, index.range),
                        "Projection": index.projection,
                    }
                    for index in indexes
                ]
        return request

    def key(self, random: Dice) -> Item:
        return {name: key_value(random, self.types[name]) for name in self.names}

    def item(self, random: Dice, *, whole: bool = False) -> Item:
        """Index keys mostly have the type that they must have, and always in a `whole` item, which lacks nothing."""
        names = values.ATTRIBUTES if whole else random.sample(values.ATTRIBUTES, random.randint(0, 5))
        rest = {name: self.attribute(random, name, 0.0 if whole else 0.1) for name in names}
        return {**self.key(random), **rest}

    def attribute(self, random: Dice, name: str, wrong: float = 0.1) -> values.Value:
        if name in self.types and random.random() >= wrong:
            return key_value(random, self.types[name])
        return values.random_value(random)


def key_value(random: Dice, kind: str) -> values.Value:
    """Of few, so that requests meet each other's items."""
    pool = {"S": ("a", "ab", "b"), "N": ("1", "2", "10", "-1"), "B": ("YQ==", "YWI=", "/w==")}
    return {kind: random.choice(pool[kind])}


def _key_schema(hash_name: str, range_name: str | None) -> list[dict[str, str]]:
    schema = [{"AttributeName": hash_name, "KeyType": "HASH"}]
    return schema if range_name is None else [*schema, {"AttributeName": range_name, "KeyType": "RANGE"}]


def tables(prefix: str) -> tuple[Table, ...]:
    """One of each kind: a plain one, one with every kind of index, one whose keys are number and binary."""
    return (
        Table(f"{prefix}.plain", {"p": "S"}),
        Table(
            f"{prefix}.indexed",
            {"p": "S", "r": "N", "a": "S", "b": "N"},
            range="r",
            indexes=(
                Index("all", "a", "b", {"ProjectionType": "ALL"}),
                Index("keys", "b", None, {"ProjectionType": "KEYS_ONLY"}),
                Index("some", "a", None, {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["c", "m"]}),
                Index("local", "p", "b", {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["d"]}, local=True),
                Index("local_keys", "p", "a", {"ProjectionType": "KEYS_ONLY"}, local=True),
            ),
        ),
        Table(f"{prefix}.numbers", {"p": "N", "r": "B"}, range="r"),
    )
