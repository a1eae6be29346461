"""UpdateItem: condition → update → item → indexes → change record, in one commit."""

from __future__ import annotations

from sekkei.engine import capacity, item_collections
from sekkei.engine.frame import Checked, Render, Response, check_condition
from sekkei.engine.transaction import Transaction
from sekkei.engine.validation import against_table


def update_item(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = transaction.table(checked.table)
    assert checked.key is not None
    against_table.check_key(table, checked.key)
    against_table.check_update(table, checked.update)
    key = table.key_bytes(checked.key)
    old = transaction.stored(table, key)
    check_condition(checked, old)
    change = updated(table, checked, old)
    if change is not None:
        transaction.put(table, key, change.item, old)

    request = checked.request
    new = change.item if change is not None else None
    response: Response = {}
    attributes = _returned(request.get("ReturnValues"), change, old, render)
    if attributes:
        response["Attributes"] = attributes
    how = request.get("ReturnConsumedCapacity")
    if capacity.wanted(how):
        consumed = capacity.Consumed()
        consumed.add_write(table, old.item if old else None, new)
        capacity.attach(response, consumed, how)
    item_collections.attach(response, transaction, table, checked.key, request.get("ReturnItemCollectionMetrics"))
    return response
