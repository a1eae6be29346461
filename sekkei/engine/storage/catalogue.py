"""What tables there are and how each is keyed.

A table's record in the file is one JSON document, `Table.record`: what CreateTable was told plus what the engine
added (ids, arn, creation time, time-to-live, stream, continuous backups, tags). `Table` is that record made quick to
use; it is built anew whenever the catalogue's version in the file changes, and never changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sekkei.engine.items import keys, values
from sekkei.engine.items.values import AttributeValue, Item

ACCOUNT = "123456789012"
DEFAULT_REGION = "us-east-1"
HASH_BYTES_MAX = 2048
RANGE_BYTES_MAX = 1024
_SURELY_SHORT = 64
"""Four parts of this many characters fit into either half of a key."""


@dataclass(frozen=True, slots=True)
class KeyPart:
    """One attribute of a key."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class KeySchema:
    """The attributes of a key: partition parts, then sort parts. A table has one and at most one, an index up to 4."""

    hash: tuple[KeyPart, ...]
    range: tuple[KeyPart, ...]
    parts: tuple[KeyPart, ...] = field(init=False)
    names: tuple[str, ...] = field(init=False)
    _types: tuple[tuple[str, str], ...] = field(init=False)
    _is_simple: bool = field(init=False)
    """One partition attribute and at most one sort attribute, as most keys have."""
    _is_of_texts: bool = field(init=False)
    """The same, and they are texts."""

    def __post_init__(self) -> None:
        parts = self.hash + self.range
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "names", tuple(part.name for part in parts))
        object.__setattr__(self, "_types", tuple((part.name, part.type) for part in parts))
        object.__setattr__(self, "_is_simple", len(self.hash) == 1 and len(self.range) <= 1)
        object.__setattr__(self, "_is_of_texts", self._is_simple and all(part.type == "S" for part in parts))

    @classmethod
    def of(cls, key_schema: list[dict[str, str]], types: Mapping[str, str]) -> KeySchema:
        def parts(kind: str) -> tuple[KeyPart, ...]:
            names = [element["AttributeName"] for element in key_schema if element["KeyType"] == kind]
            return tuple(KeyPart(name, types[name]) for name in names)

        return cls(parts("HASH"), parts("RANGE"))

    def is_plainly_in(self, item: Item) -> bool:
        """Whether all parts are there, not empty and surely short enough. Nearly every item needs no other look."""
        for name, kind in self._types:
            value = item.get(name)
            if value is None:
                return False
            content = value.get(kind)
            if not content or len(content) > _SURELY_SHORT:
                return False
        return True

    def is_same_in(self, left: Item, right: Item) -> bool:
        """Whether two items have the same key, or both have none for the same reason."""
        for name in self.names:  # noqa: SIM110 - a generator costs more than the whole look
            if left.get(name) != right.get(name):
                return False
        return True

    def bytes_of(self, item: Item) -> bytes | None:
        """The key bytes of an item; None when a part is missing or cannot be a key (a sparse index skips it)."""
        return self.bytes_in(item) if self.is_plainly_in(item) or self._is_in(item) else None

    def bytes_in(self, item: Item) -> bytes:
        """The key bytes of an item that is known to have the key."""
        if self._is_simple:
            prefix = keys.partition_of(keys.part_bytes(item[self.names[0]]))
            return prefix + keys.part_bytes(item[self.names[1]]) if self.range else prefix
        return keys.partition_bytes([item[part.name] for part in self.hash]) + keys.sort_key_bytes(
            [item[part.name] for part in self.range]
        )

    def text_bytes(self, item: Item) -> bytes | None:
        """The key bytes where all parts are plainly there and texts, as nearly always: one look instead of two.
        The item need not have been looked at before: None when anything about its key is not plain."""
        if not self._is_of_texts:
            return None
        texts = []
        for name in self.names:
            value = item.get(name)
            if type(value) is not dict or len(value) != 1:
                return None
            text = value.get("S")
            if type(text) is not str or not 0 < len(text) <= _SURELY_SHORT:
                return None
            try:
                texts.append(text.encode())
            except UnicodeEncodeError:
                return None
        prefix = keys.partition_of(texts[0])
        return prefix + texts[1] if self.range else prefix

    def _is_in(self, item: Item) -> bool:
        return (
            all(item.get(part.name, {}).get(part.type) for part in self.parts)
            and self._fits(self.hash, item, HASH_BYTES_MAX)
            and self._fits(self.range, item, RANGE_BYTES_MAX)
        )

    @staticmethod
    def _fits(parts: Sequence[KeyPart], item: Item, bytes_max: int) -> bool:
        return sum(values.size(item[part.name]) for part in parts) <= bytes_max


@dataclass(frozen=True, slots=True)
class Index:
    """A secondary index; its rows hold keys and point to the item."""

    id: int
    name: str
    kind: str
    """GSI or LSI."""
    key: KeySchema
    projection: str
    """ALL, KEYS_ONLY or INCLUDE."""
    projected: frozenset[str] | None
    """Names of the attributes an entry holds; None when it holds all."""
    ready: bool
    """Whether the backfill is done. An index that is not ready is written to but not read from."""

    @property
    def is_global(self) -> bool:
        return self.kind == "GSI"

    def project(self, item: Item) -> Item:
        """The item as this index holds it."""
        if self.projected is None:
            return item
        return {name: value for name, value in item.items() if name in self.projected}


@dataclass(slots=True)
class Table:
    """One table, quick to use."""

    id: int
    record: dict[str, Any]
    name: str = field(init=False)
    arn: str = field(init=False)
    key: KeySchema = field(init=False)
    attribute_types: dict[str, str] = field(init=False)
    indexes: dict[str, Index] = field(init=False)
    index_attributes: frozenset[str] = field(init=False)
    """The attributes that are part of an index's key."""
    ttl_attribute: str | None = field(init=False)
    ttl_index_id: int | None = field(init=False)
    ttl_ready: bool = field(init=False)
    """Whether the order of expiry has been filled."""
    stream_view: str | None = field(init=False)
    """What a change record must hold for the stream; None when no stream is on."""
    keeps_history: bool = field(init=False)
    """Whether changes hold the old item: point-in-time recovery is on, or the table is being copied."""
    logs_changes: bool = field(init=False)
    logs_old: bool = field(init=False)
    logs_new: bool = field(init=False)
    is_active: bool = field(init=False)
    """A table that is still being restored or imported can be described, not used."""
    sql_get: str = field(init=False)

    def __post_init__(self) -> None:
        record = self.record
        self.name = record["TableName"]
        self.arn = record["TableArn"]
        self.attribute_types = {
            definition["AttributeName"]: definition["AttributeType"] for definition in record["AttributeDefinitions"]
        }
        self.key = KeySchema.of(record["KeySchema"], self.attribute_types)
        self.indexes = {}
        for kind, member in (("LSI", "LocalSecondaryIndexes"), ("GSI", "GlobalSecondaryIndexes")):
            for description in record.get(member, ()):
                self.indexes[description["IndexName"]] = self._index(kind, description)
        self.index_attributes = frozenset(name for index in self.indexes.values() for name in index.key.names)
        ttl = record.get("TimeToLive")
        self.ttl_attribute = ttl["AttributeName"] if ttl else None
        self.ttl_index_id = ttl["id"] if ttl else None
        self.ttl_ready = ttl is not None and not ttl.get("Backfilling")
        stream = record.get("StreamSpecification")
        self.stream_view = stream["StreamViewType"] if stream and stream["StreamEnabled"] else None
        self.keeps_history = "PointInTimeRecovery" in record or bool(record.get("Copies"))
        self.logs_changes = self.stream_view is not None or self.keeps_history
        self.logs_old = self.keeps_history or self.stream_view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES")
        self.logs_new = self.stream_view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES")
        self.is_active = "TableStatus" not in record
        self.sql_get = f"SELECT item, crc FROM items_{self.id} WHERE key = ?"

    def _index(self, kind: str, description: dict[str, Any]) -> Index:
        key = KeySchema.of(description["KeySchema"], self.attribute_types)
        projection = description.get("Projection", {})
        projection_type = projection.get("ProjectionType", "ALL")
        projected = None
        if projection_type != "ALL":
            projected = frozenset((*self.key.names, *key.names, *projection.get("NonKeyAttributes", ())))
        return Index(
            id=description["id"],
            name=description["IndexName"],
            kind=kind,
            key=key,
            projection=projection_type,
            projected=projected,
            ready=not description.get("Backfilling", False),
        )

    @property
    def has_local_indexes(self) -> bool:
        return "LocalSecondaryIndexes" in self.record

    def key_bytes(self, item: Item) -> bytes:
        """The bytes of a checked key, or of the key within a checked item."""
        return self.key.bytes_in(item)

    def key_of(self, item: Item) -> dict[str, AttributeValue]:
        return {part.name: item[part.name] for part in self.key.parts}


def table_arn(name: str, region: str = DEFAULT_REGION) -> str:
    return f"arn:aws:dynamodb:{region}:{ACCOUNT}:table/{name}"


def table_name(name_or_arn: str) -> str:
    """Requests may name a table by its name or its ARN."""
    if name_or_arn.startswith("arn:"):
        return name_or_arn.split(":table/", 1)[-1].split("/", 1)[0]
    return name_or_arn
