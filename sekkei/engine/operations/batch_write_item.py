"""BatchWriteItem: up to 25 puts and deletes. Each stands for itself, yet here all of them share one commit."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import Any

from sekkei.engine.items import capacity, values
from sekkei.engine.operation import Checked, Render, Response, Write
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Stored
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.storage.writer import WritePath
from sekkei.engine.validation import against_table, fields
from sekkei.engine.validation.against_table import check_item_size
from sekkei.engine.validation.fields import TABLE_NAME, named
from sekkei.engine.validation.shapes import List, Map, Structure
from sekkei.errors import ValidationException

_REQUESTS_MAX = 25


class WriteRequest(Structure):
    """Faults of a delete are named before those of a put, yet DynamoDB repeats the put first."""

    def __init__(self) -> None:
        deletion = Structure("DeleteRequest", "Key", Key=fields.ITEM)
        put = Structure("PutRequest", "Item", Item=fields.ITEM)
        super().__init__("WriteRequest", DeleteRequest=deletion, PutRequest=put)
        self._repeated = Structure("WriteRequest", PutRequest=put, DeleteRequest=deletion)

    def shown(self, value: dict[str, Any]) -> str:
        return self._repeated.shown(value)


_SHAPE = Structure(
    "BatchWriteItemInput",
    "RequestItems",
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    ReturnItemCollectionMetrics=fields.RETURN_ITEM_COLLECTION_METRICS,
    RequestItems=Map(
        List(
            WriteRequest(),
            shortest=1,
            longest=_REQUESTS_MAX,
        ),
        key=TABLE_NAME,
    ),
)


def rules(request: dict[str, Any]) -> Checked:
    tables = request["RequestItems"]
    if not tables:
        raise ValidationException("The requestItems parameter is required for BatchWriteItem")
    if sum(map(len, tables.values())) > _REQUESTS_MAX:
        raise ValidationException("Too many items requested for the BatchWriteItem call")
    checked = Checked(request)
    checked.parts = [part for name, writes in tables.items() for part in _parts(name, writes)]
    return checked


def _parts(name: str, writes: list[dict[str, Any]]) -> list[Checked]:
    if any(len(write) != 1 for write in writes):
        raise ValidationException(
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes"
        )
    return [_part(name, write) for write in writes]


def _part(name: str, write: dict[str, Any]) -> Checked:
    if "PutRequest" in write:
        item, size = values.measured_item(write["PutRequest"]["Item"])
        check_item_size(size)
        return Checked(write, named(name), action="Put", reference=name, item=item, size=size)
    key = values.normalised_item(write["DeleteRequest"]["Key"])
    return Checked(write, named(name), action="Delete", reference=name, key=key)


def batch_write_item(transaction: Transaction, checked: Checked, render: Render) -> Response:
    parts = [(part, transaction.table(part.table)) for part in checked.parts]
    targets = [(table, _checked_key(part, table)) for part, table in parts]
    against_table.check_no_duplicates(targets)
    olds = _olds(transaction, targets)
    how = checked.request.get("ReturnConsumedCapacity")
    consumed = capacity.Consumed() if capacity.wanted(how) else None
    for (part, table), (_, key), old in zip(parts, targets, olds, strict=True):
        item = part.item
        if consumed is not None:
            consumed.add_write(table, old.item if old else None, item)
        if item is not None:
            transaction.put(table, key, item, part.size, old)
        elif old is not None:
            transaction.delete(table, key, old)

    response: Response = {"UnprocessedItems": {}}
    capacity.attach_all(response, consumed, how)
    if checked.request.get("ReturnItemCollectionMetrics") == "SIZE":
        response["ItemCollectionMetrics"] = _collection_metrics(transaction, parts)
    return response


def _checked_key(part: Checked, table: Table) -> bytes:
    if part.item is not None:
        against_table.check_batch_item(table, part.item)
        return table.key_bytes(part.item)
    assert part.key is not None
    return against_table.key_bytes(table, part.key)


def _olds(transaction: Transaction, targets: list[tuple[Table, bytes]]) -> list[Stored | None]:
    """What is there now, all of it read before anything is written."""
    olds: list[Stored | None] = []
    for table, of_table in groupby(targets, key=itemgetter(0)):
        olds += transaction.stored_each(table, [key for _, key in of_table])
    return olds


def _collection_metrics(transaction: Transaction, parts: list[tuple[Checked, Table]]) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for part, table in parts:
        if table.has_local_indexes:
            item = part.item or part.key or {}
            partition = str(item[table.key.hash[0].name])
            found.setdefault(table.name, {})[partition] = capacity.metrics(transaction, table, item)
    return {name: list(by_partition.values()) for name, by_partition in found.items()}


OPERATIONS = (Write("BatchWriteItem", _SHAPE, rules, batch_write_item, fastest=WritePath.AT_ONCE),)
