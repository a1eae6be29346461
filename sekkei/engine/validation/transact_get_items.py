"""TransactGetItems."""

from __future__ import annotations

from typing import Any

from sekkei.engine import values
from sekkei.engine.validation import fields
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.parameters import projection_of
from sekkei.engine.validation.shapes import List, Structure
from sekkei.engine.validation.table_name import TABLE_NAME, named

SHAPE = Structure(
    "TransactGetItemsInput",
    "TransactItems",
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    TransactItems=List(
        Structure(
            "TransactGetItem",
            "Get",
            Get=Structure(
                "Get",
                "Key TableName",
                Key=fields.ITEM,
                TableName=TABLE_NAME,
                ProjectionExpression=fields.STRING,
                ExpressionAttributeNames=fields.NAMES,
            ),
        ),
        shortest=1,
        longest=100,
    ),
)


def rules(request: dict[str, Any]) -> Checked:
    checked = Checked(request)
    checked.parts = [_part(action["Get"]) for action in request["TransactItems"]]
    return checked


def _part(get: dict[str, Any]) -> Checked:
    """Unlike elsewhere, names without an expression that uses them are let pass."""
    part = Checked(get, named(get["TableName"]), action="Get", key=values.normalised_item(get["Key"]))
    if "ProjectionExpression" in get:
        part.projection = projection_of(get)
    return part
