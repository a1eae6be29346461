"""The old table itself, read and written through the seam: it has no design."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Contended
from sekkei.design.codecs import AttributeValue, from_stored, to_stored
from sekkei.design.retries import TRIES_MAX, pause
from sekkei.errors import ConditionalCheckFailedException, ResourceNotFoundException
from sekkei.store.protocol import Store
from sekkei_lessons_migration.mapping import Row
from sekkei_lessons_migration.places import identity

PAGE_ROWS = 2_000
"""How much a run that is cut off looks at again, at most; what it wrote stays written."""
BATCH_GET_MAX = 100

Stored = Mapping[str, AttributeValue]


class NoOldTable(Exception):
    """There is nothing to move from."""


@dataclass(frozen=True, slots=True)
class About:
    """What the store says of the old table."""

    key_names: tuple[str, ...]
    rows: int
    """About: DynamoDB counts every six hours."""
    stream: bool


class OldRows:
    """Rows as plain values."""

    def __init__(self, store: Store, table: str, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self.table = table

    async def about(self) -> About:
        try:
            answer = await self._store.call("DescribeTable", {"TableName": self.table})
        except ResourceNotFoundException:
            raise NoOldTable(
                f"There is no table {self.table} to move from. Name yours in a mapping file, with --mapping; "
                "to try it out, make one: sekkei lessons migrate sample"
            ) from None
        found = answer["Table"]
        names = tuple(part["AttributeName"] for part in found["KeySchema"])
        enabled = bool(found.get("StreamSpecification", {}).get("StreamEnabled"))
        return About(names, int(found.get("ItemCount", 0)), enabled)

    async def enable_stream(self) -> None:
        specification = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        await self._store.call("UpdateTable", {"TableName": self.table, "StreamSpecification": specification})

    async def pages(
        self, segment: int, segments: int, after: Stored | None
    ) -> AsyncIterator[tuple[list[Row], Stored | None]]:
        """One segment page by page, each with where it ended (None: the segment's last)."""
        request: dict[str, Any] = {"TableName": self.table, "Limit": PAGE_ROWS, "ConsistentRead": True}
        if segments > 1:
            request |= {"Segment": segment, "TotalSegments": segments}
        while True:
            if after is not None:
                request["ExclusiveStartKey"] = after
            answer = await self._store.call("Scan", request)
            after = answer.get("LastEvaluatedKey")
            yield [plain(item) for item in answer["Items"]], after
            if after is None:
                return

    async def get(self, keys: Iterable[Row]) -> dict[str, Row]:
        """Those of the rows that are there, as they are now, by their identities."""
        wanted = list({identity(key): key for key in keys}.values())
        found: dict[str, Row] = {}
        for start in range(0, len(wanted), BATCH_GET_MAX):
            batch = wanted[start : start + BATCH_GET_MAX]
            for row in await self._get_batch([stored(key) for key in batch]):
                found[identity({name: row[name] for name in batch[0]})] = row
        return found

    async def _get_batch(self, keys: list[dict[str, AttributeValue]]) -> list[Row]:
        request: Any = {self.table: {"Keys": keys, "ConsistentRead": True}}
        rows: list[Row] = []
        for attempt in range(TRIES_MAX):
            answer = await self._store.call("BatchGetItem", {"RequestItems": request})
            rows += [plain(item) for item in answer["Responses"].get(self.table, ())]
            request = answer.get("UnprocessedKeys")
            if not request:
                return rows
            await pause(attempt, self._clock)
        raise Contended(
            "SK304", f"the store left reads of {self.table} unprocessed {TRIES_MAX} times. Try again later."
        )

    async def replace(self, row: Row, before: Row | None, watched: str) -> bool:
        """Put a row where `before` was read; False if its attribute `watched` has changed meanwhile."""
        request: dict[str, Any] = {
            "TableName": self.table,
            "Item": stored(row),
            "ExpressionAttributeNames": {"#watched": watched},
        }
        if before is None or watched not in before:
            request["ConditionExpression"] = "attribute_not_exists(#watched)"
        else:
            request["ConditionExpression"] = "#watched = :before"
            request["ExpressionAttributeValues"] = {":before": to_stored(before[watched])}
        try:
            await self._store.call("PutItem", request)
        except ConditionalCheckFailedException:
            return False
        return True


def plain(item: Stored) -> Row:
    return {name: from_stored(value) for name, value in item.items()}


def stored(row: Row) -> dict[str, AttributeValue]:
    return {name: to_stored(value) for name, value in row.items()}
