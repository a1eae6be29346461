"""BatchWriteItem."""

from __future__ import annotations

from typing import Any

from sekkei.engine import values
from sekkei.engine.validation import fields
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.item import check_item_size
from sekkei.engine.validation.shapes import List, Map, Structure
from sekkei.engine.validation.table_name import TABLE_NAME, named
from sekkei.errors import ValidationException

REQUESTS_MAX = 25

SHAPE = Structure(
    "BatchWriteItemInput",
    "RequestItems",
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    ReturnItemCollectionMetrics=fields.RETURN_ITEM_COLLECTION_METRICS,
    RequestItems=Map(
        List(
            Structure(
                "WriteRequest",
                DeleteRequest=Structure("DeleteRequest", "Key", Key=fields.ITEM),
                PutRequest=Structure("PutRequest", "Item", Item=fields.ITEM),
            ),
            shortest=1,
            longest=REQUESTS_MAX,
        ),
        key=TABLE_NAME,
    ),
)


def rules(request: dict[str, Any]) -> Checked:
    tables = request["RequestItems"]
    if not tables:
        raise ValidationException("The requestItems parameter is required for BatchWriteItem")
    if sum(map(len, tables.values())) > REQUESTS_MAX:
        raise ValidationException("Too many items requested for the BatchWriteItem call")
    checked = Checked(request)
    checked.parts = [part for name, writes in tables.items() for part in _parts(name, writes)]
    return checked


def _parts(name: str, writes: list[dict[str, Any]]) -> list[Checked]:
    if any(len(write) != 1 for write in writes):
        raise ValidationException(
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes"
        )
    return [_part(name, write) for write in writes]


def _part(name: str, write: dict[str, Any]) -> Checked:
    if "PutRequest" in write:
        item, size = values.measured_item(write["PutRequest"]["Item"])
        check_item_size(size)
        return Checked(write, named(name), action="Put", reference=name, item=item, size=size)
    key = values.normalised_item(write["DeleteRequest"]["Key"])
    return Checked(write, named(name), action="Delete", reference=name, key=key)
