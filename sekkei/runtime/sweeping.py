"""Looking through whole tables for an id that no index leads to, such as that of whoever once signed off a line.

For steps of a job that runs seldom: a page at a time, and only what holds the id travels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from sekkei.design import Database, Table
from sekkei.design.retries import pause
from sekkei.errors import ConditionalCheckFailedException, TransactionConflictException
from sekkei.runtime.jobs import Payload, Progress

PAGE_ITEMS = 500
TRIES = 8
NOBODY = "—"
"""Stands where somebody's id or name stood who has left."""


class Sweep:
    """Puts NOBODY in place of an id, wherever one of these attributes holds it."""

    def __init__(
        self,
        db: Database,
        tables: Sequence[Table],
        attributes: Sequence[str],
        *,
        beside: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """`beside`: for an attribute, others of the same item that tell of them too, such as their name."""
        self._db = db
        self._tables = [db.table_name(table) for table in tables]
        self._keys = {db.table_name(table): [key for key in (table.pk, table.sk) if key] for table in tables}
        self._attributes, self._beside = list(attributes), dict(beside or {})

    async def step(self, payload: Payload, cursor: str | None) -> Progress:
        number, start = orjson.loads(cursor) if cursor else (0, None)
        table = self._tables[number]
        answer = await self._db.store.call("Scan", self._scan(table, payload["user_id"], start))
        done = sum([await self._replaced(table, item, payload["user_id"]) for item in answer["Items"]])
        last = answer.get("LastEvaluatedKey")
        if last is None and number + 1 == len(self._tables):
            return Progress(done)
        return Progress(done, orjson.dumps((number, last) if last else (number + 1, None)).decode())

    def _scan(self, table: str, user_id: str, start: Any) -> dict[str, Any]:
        places = range(len(self._attributes))
        request = {
            "TableName": table,
            "ConsistentRead": True,
            "Limit": PAGE_ITEMS,
            "FilterExpression": " OR ".join(f"#a{n} = :user" for n in places),
            "ExpressionAttributeNames": {f"#a{n}": self._attributes[n] for n in places},
            "ExpressionAttributeValues": {":user": {"S": user_id}},
        }
        return {**request, "ExclusiveStartKey": start} if start else request

    async def _replaced(self, table: str, item: dict[str, Any], user_id: str) -> int:
        held = [name for name in self._attributes if item.get(name) == {"S": user_id}]
        held += [name for one in held for name in self._beside.get(one, ()) if name in item]
        places = range(len(held))
        request = {
            "TableName": table,
            "Key": {name: item[name] for name in self._keys[table]},
            "UpdateExpression": "SET " + ", ".join(f"#a{n} = :nobody" for n in places),
            "ConditionExpression": "#a0 = :user",
            "ExpressionAttributeNames": {f"#a{n}": held[n] for n in places},
            "ExpressionAttributeValues": {":user": {"S": user_id}, ":nobody": {"S": NOBODY}},
        }
        try:
            await self._patiently(request)
        except ConditionalCheckFailedException:
            return 0  # changed or deleted meanwhile
        return 1

    async def _patiently(self, request: dict[str, Any]) -> None:
        """A transaction that holds the item is over in a moment."""
        for attempt in range(TRIES):
            try:
                await self._db.store.call("UpdateItem", request)
                return
            except TransactionConflictException:
                if attempt + 1 == TRIES:
                    raise
                await pause(attempt, self._db.clock)
