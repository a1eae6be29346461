"""What a request does, item by item: which table or index, reading or writing, and where in it.

Batches can be answered in part. The tables that requests name are described once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sekkei.engine import operations
from sekkei.engine.items import keys
from sekkei.engine.items.values import Item
from sekkei.engine.operation import Checked
from sekkei.engine.partiql.prepared import Existence, Insertion, Prepared, Selection, prepare
from sekkei.engine.partiql.single_item import keyed
from sekkei.engine.storage.catalogue import KeySchema, Table, table_name
from sekkei.errors import DynamoDBError
from sekkei.store.protocol import Request, Response, Store

TRANSACTIONS = frozenset({"TransactGetItems", "TransactWriteItems", "ExecuteTransaction"})
BATCHES = frozenset({"BatchGetItem", "BatchWriteItem"})


@dataclass(frozen=True, slots=True)
class Act:
    """One item read or written, or one range of a table or index read."""

    table: str
    writes: bool
    index: str | None = None
    item: Item | None = None
    """The item that is put, or the key of the item that is read or changed; None for a range."""
    puts: bool = False
    changes: bool = False
    """Writes that leave another item behind; a condition check does not."""
    consistent: bool = False
    partition: bytes | None = None
    """Of a range that lies in one partition."""


class Acts:
    """What a request does, read once. `acts.in_tables(tables)` has more to say the more tables are known."""

    def __init__(self, operation: str, request: Request) -> None:
        self._reading = _READERS.get(operation)
        self._checked: Checked | None = None
        if self._reading is not None:
            with suppress(DynamoDBError):  # the store will say what is wrong with it
                self._checked = operations.check(operation, request)

    def in_tables(self, tables: Mapping[str, Table]) -> list[Act]:
        """In the request's order; none if it is not about items, or not valid."""
        if self._reading is None or self._checked is None:
            return []
        try:
            return list(self._reading(self._checked, tables))
        except DynamoDBError:
            return []

    @property
    def tables(self) -> set[str]:
        """The names of those it is about."""
        return {act.table for act in self.in_tables({})}


def partition_of(schema: KeySchema, item: Item | None) -> bytes | None:
    """Where an item lies in a table or index; None when it is not in it."""
    if item is None:
        return None
    values = [item.get(part.name) for part in schema.hash]
    if any(value is None or part.type not in value for value, part in zip(values, schema.hash, strict=True)):
        return None
    return keys.partition_bytes([value for value in values if value is not None])


def _get(checked: Checked, _: Mapping[str, Table]) -> Iterator[Act]:
    yield Act(checked.table, False, item=checked.key, consistent=_consistent(checked.request))


def _write(checked: Checked, _: Mapping[str, Table]) -> Iterator[Act]:
    puts = checked.item is not None
    yield Act(checked.table, True, item=checked.item if puts else checked.key, puts=puts, changes=True)


def _query(checked: Checked, tables: Mapping[str, Table]) -> Iterator[Act]:
    index = checked.request.get("IndexName")
    table = tables.get(checked.table)
    schema = _schema(table, index) if table else None
    partition = None
    if schema is not None and checked.key_condition is not None:
        partition = keys.partition_bytes(checked.key_condition.on(schema).hash)
    yield Act(checked.table, False, index, consistent=_consistent(checked.request), partition=partition)


def _scan(checked: Checked, _: Mapping[str, Table]) -> Iterator[Act]:
    yield Act(checked.table, False, checked.request.get("IndexName"), consistent=_consistent(checked.request))


def _batch_get(checked: Checked, _: Mapping[str, Table]) -> Iterator[Act]:
    for part in checked.parts:
        for key in part.keys:
            yield Act(part.table, False, item=key, consistent=_consistent(part.request))


def _transact_get(checked: Checked, _: Mapping[str, Table]) -> Iterator[Act]:
    for part in checked.parts:
        yield Act(part.table, False, item=part.key, consistent=True)


def _several_writes(checked: Checked, _: Mapping[str, Table]) -> Iterator[Act]:
    for part in checked.parts:
        puts = part.item is not None
        changes = part.action != "ConditionCheck"
        yield Act(part.table, True, item=part.item if puts else part.key, puts=puts, changes=changes)


def _statement(checked: Checked, tables: Mapping[str, Table]) -> Iterator[Act]:
    yield _act_of(checked.request, tables)


def _statements(member: str) -> Callable[[Checked, Mapping[str, Table]], Iterator[Act]]:
    def read(checked: Checked, tables: Mapping[str, Table]) -> Iterator[Act]:
        for statement in checked.request[member]:
            yield _act_of(statement, tables)

    return read


def _act_of(request: Mapping[str, Any], tables: Mapping[str, Table]) -> Act:
    statement = prepare(request["Statement"], request.get("Parameters", ()))
    target = statement.target
    if isinstance(statement, Selection):
        return Act(target.table_name, False, target.index_name, consistent=_consistent(request))
    table = tables.get(target.table_name)
    item = _item_of(statement, table) if table else None
    puts, changes = isinstance(statement, Insertion), not isinstance(statement, Existence)
    return Act(target.table_name, True, item=item, puts=puts, changes=changes)


def _item_of(statement: Prepared, table: Table) -> Item | None:
    if isinstance(statement, Insertion):
        return statement.item
    if isinstance(statement, Existence):
        statement = statement.selection
    found = keyed(table, statement.where, statement.bindings)
    return found.key if found.is_whole(table) else None


def _schema(table: Table, index: str | None) -> KeySchema | None:
    if index is None:
        return table.key
    return table.indexes[index].key if index in table.indexes else None


def _consistent(request: Mapping[str, Any]) -> bool:
    return bool(request.get("ConsistentRead"))


_READERS: dict[str, Callable[[Checked, Mapping[str, Table]], Iterator[Act]]] = {
    "GetItem": _get,
    "PutItem": _write,
    "UpdateItem": _write,
    "DeleteItem": _write,
    "Query": _query,
    "Scan": _scan,
    "BatchGetItem": _batch_get,
    "BatchWriteItem": _several_writes,
    "TransactGetItems": _transact_get,
    "TransactWriteItems": _several_writes,
    "ExecuteStatement": _statement,
    "BatchExecuteStatement": _statements("Statements"),
    "ExecuteTransaction": _statements("TransactStatements"),
}


_UNPROCESSED = {"BatchGetItem": "UnprocessedKeys", "BatchWriteItem": "UnprocessedItems"}


def split(operation: str, request: Request, held_back: Set[int]) -> tuple[Request, dict[str, Any]]:
    """The request without the entries at these positions, and those as they will be returned."""
    done: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    position = 0
    for table, wanted in request["RequestItems"].items():
        entries = wanted["Keys"] if operation == "BatchGetItem" else wanted
        positions = range(position, position + len(entries))
        position += len(entries)
        for target, is_held in ((done, False), (kept, True)):
            chosen = [entry for at, entry in zip(positions, entries, strict=True) if (at in held_back) is is_held]
            if chosen:
                target[table] = {**wanted, "Keys": chosen} if operation == "BatchGetItem" else chosen
    return {**request, "RequestItems": done}, kept


def give_back(operation: str, response: Response, kept: dict[str, Any]) -> None:
    """Add to a response's unprocessed entries those that were held back."""
    unprocessed = response.setdefault(_UNPROCESSED[operation], {})
    for table, entries in kept.items():
        there = unprocessed.get(table)
        if there is None:
            unprocessed[table] = entries
        elif operation == "BatchGetItem":
            unprocessed[table] = {**there, "Keys": there["Keys"] + entries["Keys"]}
        else:
            unprocessed[table] = there + entries


_CHANGING = frozenset(
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
    if operation not in _CHANGING:
        return None
    name = request.get("TargetTableName") or request.get("TableName")
    if name is None:
        creation = request.get("TableCreationParameters")
        name = creation.get("TableName") if isinstance(creation, dict) else None
    return table_name(name) if isinstance(name, str) else None
