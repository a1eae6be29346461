"""TransactWriteItems."""

from __future__ import annotations

from typing import Any

from sekkei.engine import values
from sekkei.engine.validation import fields, update_item
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.item import check_item_size
from sekkei.engine.validation.shapes import List, Shape, Structure
from sekkei.engine.validation.table_name import TABLE_NAME, named
from sekkei.errors import ValidationException

BYTES_MAX = 4 * 1024 * 1024


def _action(name: str, required: str, **members: Shape) -> Structure:
    return Structure(
        name,
        f"TableName {required}",
        **members,
        TableName=TABLE_NAME,
        ConditionExpression=fields.STRING,
        ExpressionAttributeNames=fields.NAMES,
        ExpressionAttributeValues=fields.ITEM,
        ReturnValuesOnConditionCheckFailure=fields.RETURN_VALUES_ON_FAILURE,
    )


SHAPE = Structure(
    "TransactWriteItemsInput",
    "TransactItems",
    ClientRequestToken=fields.CLIENT_REQUEST_TOKEN,
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    ReturnItemCollectionMetrics=fields.RETURN_ITEM_COLLECTION_METRICS,
    TransactItems=List(
        Structure(
            "TransactWriteItem",
            ConditionCheck=_action("ConditionCheck", "Key ConditionExpression", Key=fields.ITEM),
            Put=_action("Put", "Item", Item=fields.ITEM),
            Delete=_action("Delete", "Key", Key=fields.ITEM),
            Update=_action("Update", "Key UpdateExpression", Key=fields.ITEM, UpdateExpression=fields.STRING),
        ),
        shortest=1,
        longest=100,
    ),
)


def rules(request: dict[str, Any]) -> Checked:
    actions = request["TransactItems"]
    for action in actions:
        if not action:
            raise ValidationException(
                "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
            )
        if len(action) > 1:
            raise ValidationException("TransactItems can only contain one of Check, Put, Update or Delete")
    checked = Checked(request)
    checked.parts = [_part(name, body) for action in actions for name, body in action.items()]
    _check_size(checked)
    return checked


def _part(name: str, body: dict[str, Any]) -> Checked:
    """Unlike elsewhere, names and values without an expression that uses them are let pass."""
    part = Checked(body, named(body["TableName"]), action=name)
    if name == "Put":
        part.item, part.size = values.measured_item(body["Item"])
        check_item_size(part.size)
    else:
        part.key, part.size = values.measured_item(body["Key"])
    if "ConditionExpression" in body or "UpdateExpression" in body:
        update_item.bind(part)
    return part


def _check_size(checked: Checked) -> None:
    if sum(part.size for part in checked.parts) > BYTES_MAX:
        raise ValidationException("Transaction size cannot exceed 4 MB: the aggregate size of the items is too large")
