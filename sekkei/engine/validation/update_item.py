"""UpdateItem."""

from __future__ import annotations

from typing import Any

from sekkei.engine import values
from sekkei.engine.validation import fields, legacy
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.parameters import Parameters, Placeholders
from sekkei.engine.validation.table_name import TABLE_NAME, ItemOperation, named

SHAPE = ItemOperation(
    "UpdateItemInput",
    "Key",
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    TableName=TABLE_NAME,
    ReturnItemCollectionMetrics=fields.RETURN_ITEM_COLLECTION_METRICS,
    ReturnValues=fields.RETURN_VALUES,
    Key=fields.ITEM,
    ConditionalOperator=fields.CONDITIONAL_OPERATOR,
    Expected=fields.EXPECTED,
    AttributeUpdates=fields.ATTRIBUTE_UPDATES,
    ConditionExpression=fields.STRING,
    UpdateExpression=fields.STRING,
    ExpressionAttributeValues=fields.ITEM,
    ExpressionAttributeNames=fields.NAMES,
    ReturnValuesOnConditionCheckFailure=fields.RETURN_VALUES_ON_FAILURE,
)
EXPRESSIONS = Parameters("UpdateExpression ConditionExpression", legacy="AttributeUpdates Expected ConditionalOperator")


def rules(request: dict[str, Any]) -> Checked:
    checked = Checked(request, named(request["TableName"]))
    EXPRESSIONS.check(request)
    checked.key = values.normalised_item(request["Key"])
    if "UpdateExpression" not in request:
        checked.update = legacy.updates(request.get("AttributeUpdates", {}))
        checked.condition = legacy.expected(request)
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
