"""The tables that weather has met, described once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sekkei.engine.storage.catalogue import Table, table_name
from sekkei.errors import DynamoDBError
from sekkei.store.protocol import Request, Store

CHANGING = frozenset(
    {
        "CreateTable",
        "DeleteTable",
        "ImportTable",
        "RestoreTableFromBackup",
        "RestoreTableToPointInTime",
        "UpdateTable",
        "UpdateTimeToLive",
    }
)
"""Operations after which a table may not be what it was."""


class Tables:
    """Descriptions of tables that are ready; one that is not, or is not there, is asked for again next time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, Table] = {}

    async def known(self, names: Iterable[str]) -> dict[str, Table]:
        found = {}
        for name in names:
            table = self._known.get(name) or await self._describe(name)
            if table is not None:
                found[name] = table
        return found

    def forget(self, name: str) -> None:
        self._known.pop(name, None)

    async def _describe(self, name: str) -> Table | None:
        try:
            description = (await self._store.call("DescribeTable", {"TableName": name}))["Table"]
        except DynamoDBError:
            return None
        if not _is_ready(description):
            return None
        table = self._known[name] = Table(0, _record(description))
        return table


def _is_ready(description: dict[str, Any]) -> bool:
    indexes = description.get("GlobalSecondaryIndexes", ())
    return description["TableStatus"] == "ACTIVE" and all(index["IndexStatus"] == "ACTIVE" for index in indexes)


def _record(description: dict[str, Any]) -> dict[str, Any]:
    """A description as the engine's catalogue holds it."""
    members = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
    numbered = {
        member: [{**index, "id": 0} for index in description[member]] for member in members if member in description
    }
    return {**description, **numbered}


def changed_by(operation: str, request: Request) -> str | None:
    """The table that an operation creates, changes or deletes."""
    if operation not in CHANGING:
        return None
    name = request.get("TargetTableName") or request.get("TableName")
    if name is None:
        creation = request.get("TableCreationParameters")
        name = creation.get("TableName") if isinstance(creation, dict) else None
    return table_name(name) if isinstance(name, str) else None
