"""DeleteItem: condition → item → indexes → change record, in one commit."""

from __future__ import annotations

from typing import Any

from sekkei.engine.items import capacity, values
from sekkei.engine.operation import Checked, Render, Response, Write, check_condition
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.storage.writer import WritePath
from sekkei.engine.validation import against_table, fields
from sekkei.engine.validation.against_table import check_return_values
from sekkei.engine.validation.fields import TABLE_NAME, ItemOperation, named
from sekkei.engine.validation.parameters import Parameters, condition_of

_SHAPE = ItemOperation(
    "DeleteItemInput",
    "Key",
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    TableName=TABLE_NAME,
    ReturnItemCollectionMetrics=fields.RETURN_ITEM_COLLECTION_METRICS,
    ReturnValues=fields.RETURN_VALUES,
    Key=fields.ITEM,
    ConditionalOperator=fields.CONDITIONAL_OPERATOR,
    Expected=fields.EXPECTED,
    ConditionExpression=fields.STRING,
    ExpressionAttributeValues=fields.ITEM,
    ExpressionAttributeNames=fields.NAMES,
    ReturnValuesOnConditionCheckFailure=fields.RETURN_VALUES_ON_FAILURE,
)
_EXPRESSIONS = Parameters("ConditionExpression", legacy="Expected ConditionalOperator")


def rules(request: dict[str, Any]) -> Checked:
    table = named(request["TableName"])
    conditional = _EXPRESSIONS.check(request)
    key = values.normalised_item(request["Key"])
    check_return_values(request)
    condition = condition_of(request) if conditional else None
    return Checked(request, table, key=key, condition=condition)


def delete_item(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = transaction.table(checked.table)
    assert checked.key is not None
    key = against_table.key_bytes(table, checked.key)
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
    capacity.attach_metrics(response, transaction, table, checked.key, request.get("ReturnItemCollectionMetrics"))
    return response


OPERATIONS = (Write("DeleteItem", _SHAPE, rules, delete_item, fastest=WritePath.AT_ONCE),)
