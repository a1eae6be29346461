"""GetItem."""

from __future__ import annotations

from typing import Any

from sekkei.engine import values
from sekkei.engine.validation import fields
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.parameters import Parameters, projection_of
from sekkei.engine.validation.table_name import TABLE_NAME, ItemOperation, named

SHAPE = ItemOperation(
    "GetItemInput",
    "Key",
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    AttributesToGet=fields.ATTRIBUTES_TO_GET,
    TableName=TABLE_NAME,
    Key=fields.ITEM,
    ConsistentRead=fields.BOOLEAN,
    ProjectionExpression=fields.STRING,
    ExpressionAttributeNames=fields.NAMES,
)
EXPRESSIONS = Parameters("ProjectionExpression", legacy="AttributesToGet")


def rules(request: dict[str, Any]) -> Checked:
    table = named(request["TableName"])
    projecting = EXPRESSIONS.check(request)
    key = values.normalised_item(request["Key"])
    projection = projection_of(request) if projecting else None
    return Checked(request, table, key=key, projection=projection)
