"""PutItem: condition → item → indexes → change record, in one commit."""

from __future__ import annotations

from sekkei.engine import capacity, item_collections
from sekkei.engine.frame import Checked, Render, Response, check_condition
from sekkei.engine.transaction import Transaction
from sekkei.engine.validation import against_table


def put_item(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = transaction.table(checked.table)
    item = checked.item
    assert item is not None
    against_table.check_item(table, item)
    key = table.key_bytes(item)
    old = transaction.stored(table, key)
    check_condition(checked, old)
    transaction.put(table, key, item, checked.size, old)

    request = checked.request
    response: Response = {}
    if old is not None and request.get("ReturnValues") == "ALL_OLD":
        response["Attributes"] = render(old.blob)
    how = request.get("ReturnConsumedCapacity")
    if capacity.wanted(how):
        consumed = capacity.Consumed()
        consumed.add_write(table, old.item if old else None, item)
        capacity.attach(response, consumed, how)
    item_collections.attach(response, transaction, table, item, request.get("ReturnItemCollectionMetrics"))
    return response
