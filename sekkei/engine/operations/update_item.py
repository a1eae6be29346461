"""UpdateItem: condition → update → item → indexes → change record, in one commit."""

from __future__ import annotations

from typing import Any

from sekkei.engine.expressions import Updated
from sekkei.engine.expressions.paths import PathTree
from sekkei.engine.items import capacity, values
from sekkei.engine.items.values import item_size
from sekkei.engine.operation import Checked, Render, Response, Write, check_condition
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Stored
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.storage.writer import WritePath
from sekkei.engine.validation import against_table, fields, parameters
from sekkei.engine.validation.fields import TABLE_NAME, ItemOperation, named
from sekkei.engine.validation.parameters import Parameters, Placeholders

_SHAPE = ItemOperation(
    "UpdateItemInput",
    "Key",
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    TableName=TABLE_NAME,
    ReturnItemCollectionMetrics=fields.RETURN_ITEM_COLLECTION_METRICS,
    ReturnValues=fields.RETURN_VALUES,
    ConditionalOperator=fields.CONDITIONAL_OPERATOR,
    Key=fields.ITEM,
    Expected=fields.EXPECTED,
    AttributeUpdates=fields.ATTRIBUTE_UPDATES,
    ConditionExpression=fields.STRING,
    UpdateExpression=fields.STRING,
    ExpressionAttributeValues=fields.ITEM,
    ExpressionAttributeNames=fields.NAMES,
    ReturnValuesOnConditionCheckFailure=fields.RETURN_VALUES_ON_FAILURE,
)
_EXPRESSIONS = Parameters(
    "UpdateExpression ConditionExpression", legacy="AttributeUpdates Expected ConditionalOperator"
)


def rules(request: dict[str, Any]) -> Checked:
    checked = Checked(request, named(request["TableName"]))
    _EXPRESSIONS.check(request)
    checked.key = values.normalised_item(request["Key"])
    if "UpdateExpression" not in request:
        checked.update = parameters.updates(request.get("AttributeUpdates", {}))
        checked.condition = parameters.expected(request)
    bind(checked)
    return checked


def bind(checked: Checked) -> None:
    """Parse and bind UpdateExpression and ConditionExpression, as a transaction's Update does too."""
    request = checked.request
    placeholders = Placeholders(request)
    if "UpdateExpression" in request:
        checked.update = placeholders.update(request["UpdateExpression"])
    if "ConditionExpression" in request:
        checked.condition = placeholders.condition(request["ConditionExpression"])
    placeholders.check_used()


def update_item(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = transaction.table(checked.table)
    assert checked.key is not None
    key = against_table.key_bytes(table, checked.key)
    against_table.check_update(table, checked.update)
    old = transaction.stored(table, key)
    check_condition(checked, old)
    change, size = updated(table, checked, old)
    if change.item is not None:
        transaction.put(table, key, change.item, size, old)

    request = checked.request
    response: Response = {}
    attributes = _returned(request.get("ReturnValues"), change, old, render)
    if attributes:
        response["Attributes"] = attributes
    how = request.get("ReturnConsumedCapacity")
    if capacity.wanted(how):
        consumed = capacity.Consumed()
        consumed.add_write(table, old.item if old else None, change.item)
        capacity.attach(response, consumed, how)
    capacity.attach_metrics(response, transaction, table, checked.key, request.get("ReturnItemCollectionMetrics"))
    return response


def updated(table: Table, checked: Checked, old: Stored | None) -> tuple[Updated, int]:
    """The item after the update, and its size. An update of nothing creates an item, unless it only removes."""
    assert checked.key is not None
    before = old.item if old is not None else checked.key
    if checked.update is None:
        return Updated(before, before, PathTree()), old.size if old is not None else item_size(before)
    change: Updated = checked.update.apply(before, exists=old is not None)
    return change, against_table.check_updated_item(table, before, change.item) if change.item is not None else 0


def _returned(how: str | None, change: Updated, old: Stored | None, render: Render) -> Any:
    if how == "ALL_OLD":
        return render(old.blob) if old is not None else None
    if how == "ALL_NEW":
        return change.item
    if how == "UPDATED_OLD":
        return change.updated_old()
    if how == "UPDATED_NEW":
        return change.updated_new()
    return None


OPERATIONS = (Write("UpdateItem", _SHAPE, rules, update_item, fastest=WritePath.AT_ONCE),)
