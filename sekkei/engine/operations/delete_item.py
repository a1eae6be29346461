"""DeleteItem: condition → item → indexes → change record, in one commit."""

from __future__ import annotations

from sekkei.engine import capacity, item_collections
from sekkei.engine.frame import Checked, Render, Response, check_condition
from sekkei.engine.transaction import Transaction
from sekkei.engine.validation import against_table


def delete_item(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = transaction.table(checked.table)
    assert checked.key is not None
    against_table.check_key(table, checked.key)
    key = table.key_bytes(checked.key)
    old = transaction.stored(table, key)
    check_condition(checked, old)
    if old is not None:
        transaction.delete(table, key, old)

    request = checked.request
    response: Response = {}
    if old is not None and request.get("ReturnValues") == "ALL_OLD":
        response["Attributes"] = render(old.blob)
    how = request.get("ReturnConsumedCapacity")
    if capacity.wanted(how):
        consumed = capacity.Consumed()
        consumed.add_write(table, old.item if old else None, None)
        capacity.attach(response, consumed, how)
    item_collections.attach(response, transaction, table, checked.key, request.get("ReturnItemCollectionMetrics"))
    return response
