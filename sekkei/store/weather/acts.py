"""What a request does, item by item: which table or index, reading or writing, and where in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sekkei.engine import operations
from sekkei.engine.items import keys
from sekkei.engine.items.values import Item
from sekkei.engine.operation import Checked
from sekkei.engine.partiql.prepared import Existence, Insertion, Prepared, Selection, prepare
from sekkei.engine.partiql.single_item import keyed
from sekkei.engine.storage.catalogue import KeySchema, Table
from sekkei.errors import DynamoDBError
from sekkei.store.protocol import Request

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
