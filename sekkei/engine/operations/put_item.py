"""PutItem: condition → item → indexes → change record, in one commit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekkei.engine.items import capacity, values
from sekkei.engine.operation import Checked, Render, Response, Write, check_condition
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.storage.writer import WritePath
from sekkei.engine.validation import against_table, fields
from sekkei.engine.validation.against_table import check_item_size, check_return_values, measured_if_plain
from sekkei.engine.validation.fields import TABLE_NAME, ItemOperation, named, table_name
from sekkei.engine.validation.parameters import Parameters, condition_of

_SHAPE = ItemOperation(
    "PutItemInput",
    "Item",
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    TableName=TABLE_NAME,
    Item=fields.ITEM,
    ConditionalOperator=fields.CONDITIONAL_OPERATOR,
    Expected=fields.EXPECTED,
    ReturnValues=fields.RETURN_VALUES,
    ReturnItemCollectionMetrics=fields.RETURN_ITEM_COLLECTION_METRICS,
    ConditionExpression=fields.STRING,
    ExpressionAttributeValues=fields.ITEM,
    ExpressionAttributeNames=fields.NAMES,
    ReturnValuesOnConditionCheckFailure=fields.RETURN_VALUES_ON_FAILURE,
)
_EXPRESSIONS = Parameters("ConditionExpression", legacy="Expected ConditionalOperator")


def rules(request: dict[str, Any]) -> Checked:
    table = named(request["TableName"])
    conditional = _EXPRESSIONS.check(request)
    item, size = values.measured_item(request["Item"])
    check_return_values(request)
    check_item_size(size)
    condition = condition_of(request) if conditional else None
    return Checked(request, table, item=item, size=size, condition=condition)


def fast_check(request: Mapping[str, Any]) -> Checked | None:
    """Most requests name a table and an item of plain values, and wish for nothing: one look at them is enough."""
    if type(request) is not dict or len(request) != len(_SHAPE.required):
        return None
    text = request.get("TableName")
    table = table_name(text) if type(text) is str else None
    measured = measured_if_plain(request.get("Item"))
    if table is None or measured is None:
        return None
    item, size = measured
    return Checked(request, table, item=item, size=size)


def put_item(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = transaction.table(checked.table)
    item = checked.item
    assert item is not None
    key = against_table.item_key_bytes(table, item)
    old = transaction.stored(table, key)
    check_condition(checked, old)
    transaction.put(table, key, item, checked.size, old)

    request = checked.request
    response: Response = {}
    if len(request) == len(_SHAPE.required):  # nothing is asked for
        return response
    if old is not None and request.get("ReturnValues") == "ALL_OLD":
        response["Attributes"] = render(old.blob)
    how = request.get("ReturnConsumedCapacity")
    if capacity.wanted(how):
        consumed = capacity.Consumed()
        consumed.add_write(table, old.item if old else None, item)
        capacity.attach(response, consumed, how)
    capacity.attach_metrics(response, transaction, table, item, request.get("ReturnItemCollectionMetrics"))
    return response


OPERATIONS = (Write("PutItem", _SHAPE, rules, put_item, fastest=WritePath.AT_ONCE, fast_check=fast_check),)
