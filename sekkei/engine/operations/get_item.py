"""GetItem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from sekkei.engine.items import values
from sekkei.engine.items.capacity import Consumed, attach, wanted
from sekkei.engine.items.values import item_size
from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import against_table, fields
from sekkei.engine.validation.fields import TABLE_NAME, ItemOperation, named
from sekkei.engine.validation.parameters import Parameters, projection_of

_SHAPE = ItemOperation(
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
_EXPRESSIONS = Parameters("ProjectionExpression", legacy="AttributesToGet")


def rules(request: dict[str, Any]) -> Checked:
    table = named(request["TableName"])
    projecting = _EXPRESSIONS.check(request)
    key = values.normalised_item(request["Key"])
    projection = projection_of(request) if projecting else None
    return Checked(request, table, key=key, projection=projection)


def get_item(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    table = snapshot.table(checked.table)
    key = checked.key
    assert key is not None
    place = against_table.key_bytes(table, key)
    if checked.projection is not None:
        against_table.check_scalar_keys(table, checked.projection)
    blob = snapshot.get(table, place)
    response: Response = {}
    if blob is not None:
        if checked.projection is None:
            response["Item"] = render(blob)
        else:
            response["Item"] = checked.projection.project(orjson.loads(blob))
    how = checked.request.get("ReturnConsumedCapacity")
    if wanted(how):
        consumed = Consumed()
        size = item_size(orjson.loads(blob)) if blob is not None else 0
        consumed.add_read(table, size, bool(checked.request.get("ConsistentRead")))
        attach(response, consumed, how)
    return response


def fast_answer(snapshot: Snapshot, request: Mapping[str, Any], render: Render) -> Response | None:
    """Nearly every GetItem names a table and a key of short texts and wishes for nothing: one look at it is enough."""
    if type(request) is not dict:
        return None
    wishes = len(request) - len(_SHAPE.required)
    if wishes and (wishes > 1 or type(request.get("ConsistentRead")) is not bool):
        return None
    name, key = request.get("TableName"), request.get("Key")
    table = snapshot.catalogue.tables.get(name) if type(name) is str else None
    if table is None or not table.is_active or type(key) is not dict:
        return None
    place = table.key.text_bytes(key)
    if place is None or len(key) != len(table.key.names):
        return None
    blob = snapshot.get(table, place)
    return {} if blob is None else {"Item": render(blob)}


OPERATIONS = (Read("GetItem", _SHAPE, rules, get_item, fast_answer),)
