"""PutItem."""

from __future__ import annotations

from typing import Any

from sekkei.engine import values
from sekkei.engine.validation import fields
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.item import check_item_size, check_return_values
from sekkei.engine.validation.parameters import Parameters, condition_of
from sekkei.engine.validation.table_name import TABLE_NAME, ItemOperation, named

SHAPE = ItemOperation(
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
EXPRESSIONS = Parameters("ConditionExpression", legacy="Expected ConditionalOperator")


def rules(request: dict[str, Any]) -> Checked:
    table = named(request["TableName"])
    conditional = EXPRESSIONS.check(request)
    item, size = values.measured_item(request["Item"])
    check_return_values(request)
    check_item_size(size)
    condition = condition_of(request) if conditional else None
    return Checked(request, table, item=item, size=size, condition=condition)
