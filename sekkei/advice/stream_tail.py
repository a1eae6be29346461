"""A table's stream as changes that people can read, from its beginning, from a place, or from now on.

follower = Follower(store, "shop", latest=True)
for record in await follower.read(): told(record, table)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sekkei.design import SekkeiError, Table
from sekkei.errors import ExpiredIteratorException, TrimmedDataAccessException
from sekkei.store.protocol import Store

_RECORDS = 1000
Record = dict[str, Any]
Item = Mapping[str, Mapping[str, Any]]


class NoStream(ValueError):
    """The table has no stream, so nobody hears of its changes."""


@dataclass
class Follower:
    """Reads every shard in turn; `places` says where each was left, to go on there another time."""

    store: Store
    table: str
    places: dict[str, str] = field(default_factory=dict)
    latest: bool = False
    """From now on; else from the beginning, as far back as the stream reaches."""
    _iterators: dict[str, str | None] = field(default_factory=dict)
    _stream: str | None = None

    async def read(self, calls_max: int = 10) -> list[Record]:
        """What is new, in the order of each shard; so many calls for records at most."""
        found: list[Record] = []
        calls = 0
        for shard in await self._shards():
            while calls < calls_max:
                records, more = await self._shard(shard)
                calls += 1
                found += records
                if not records or not more:
                    break
        return found

    async def _shards(self) -> list[str]:
        if self._stream is None:
            table = (await self.store.call("DescribeTable", {"TableName": self.table}))["Table"]
            self._stream = table.get("LatestStreamArn")
        if self._stream is None:
            raise NoStream(f"{self.table} has no stream. Give its table stream='NEW_AND_OLD_IMAGES' in the design.")
        found: list[str] = []
        start: dict[str, str] = {}
        while True:
            answer = await self.store.call("DescribeStream", {"StreamArn": self._stream, **start})
            found += [shard["ShardId"] for shard in answer["StreamDescription"]["Shards"]]
            last = answer["StreamDescription"].get("LastEvaluatedShardId")
            if last is None:
                return found
            start = {"ExclusiveStartShardId": last}

    async def _shard(self, shard: str) -> tuple[list[Record], bool]:
        if shard not in self._iterators:
            self._iterators[shard] = await self._iterator(shard)
        iterator = self._iterators[shard]
        if iterator is None:  # it came to its end
            return [], False
        try:
            answer = await self.store.call("GetRecords", {"ShardIterator": iterator, "Limit": _RECORDS})
        except (ExpiredIteratorException, TrimmedDataAccessException):
            del self._iterators[shard]
            return [], False
        self._iterators[shard] = answer.get("NextShardIterator")
        records: list[Record] = answer["Records"]
        if records:
            self.places[shard] = records[-1]["dynamodb"]["SequenceNumber"]
        return records, self._iterators[shard] is not None and len(records) == _RECORDS

    async def _iterator(self, shard: str) -> str:
        asked: dict[str, Any] = {"StreamArn": self._stream, "ShardId": shard}
        if shard in self.places:
            after = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self.places[shard]}
            try:
                return str((await self.store.call("GetShardIterator", {**asked, **after}))["ShardIterator"])
            except TrimmedDataAccessException:
                pass
        kind = "LATEST" if self.latest and shard not in self.places else "TRIM_HORIZON"
        return str((await self.store.call("GetShardIterator", {**asked, "ShardIteratorType": kind}))["ShardIterator"])


@dataclass(frozen=True, slots=True)
class Told:
    """One change in words."""

    kind: str
    entity: str | None
    key: dict[str, Any]
    changes: list[tuple[str, Any, Any]]
    """Stored attribute, its value before and after; keys are left out."""
    at: datetime | None
    sequence: str
    expired: bool


def told(record: Record, table: Table | None) -> Told:
    data = record["dynamodb"]
    old, new = data.get("OldImage"), data.get("NewImage")
    names = sorted({*(old or {}), *(new or {})} - set(data["Keys"]))
    changes = [(name, (old or {}).get(name), (new or {}).get(name)) for name in names]
    by = record.get("userIdentity") or {}
    return Told(
        record["eventName"],
        _entity(table, new or old or data["Keys"]),
        data["Keys"],
        [one for one in changes if one[1] != one[2]],
        _moment(data.get("ApproximateCreationDateTime")),
        data["SequenceNumber"],
        (by.get("PrincipalId") or by.get("principalId")) == "dynamodb.amazonaws.com",
    )


def _moment(seconds: Any) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(float(seconds), UTC)


def _entity(table: Table | None, image: Item) -> str | None:
    if table is None:
        return None
    try:
        return table.entity_of(image).name  # type: ignore[arg-type]
    except SekkeiError:
        return next((one.name for one in table.entities if one.fits(image)), None)  # type: ignore[arg-type]
