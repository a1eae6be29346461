"""BatchGetItem."""

from __future__ import annotations

from typing import Any

from sekkei.engine import values
from sekkei.engine.validation import fields
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.item import check_distinct
from sekkei.engine.validation.parameters import Parameters, projection_of
from sekkei.engine.validation.shapes import List, Map, Structure
from sekkei.engine.validation.table_name import TABLE_NAME, named
from sekkei.errors import ValidationException

KEYS_MAX = 100

SHAPE = Structure(
    "BatchGetItemInput",
    "RequestItems",
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    RequestItems=Map(
        Structure(
            "KeysAndAttributes",
            "Keys",
            Keys=List(fields.ITEM),
            AttributesToGet=fields.ATTRIBUTES_TO_GET,
            ConsistentRead=fields.BOOLEAN,
            ProjectionExpression=fields.STRING,
            ExpressionAttributeNames=fields.NAMES,
        ),
        key=TABLE_NAME,
    ),
)
EXPRESSIONS = Parameters("ProjectionExpression", legacy="AttributesToGet")


def rules(request: dict[str, Any]) -> Checked:
    tables = request["RequestItems"]
    if not tables:
        raise ValidationException("The requestItems parameter is required for BatchGetItem")
    _check_counts(tables)
    _check_one_way_to_project(tables)
    checked = Checked(request)
    # A table that is named twice, by its name and by its ARN, is asked once.
    checked.parts = list({named(name): _part(name, wanted) for name, wanted in tables.items()}.values())
    return checked


def _check_counts(tables: dict[str, Any]) -> None:
    for name, wanted in tables.items():
        if not 1 <= len(wanted["Keys"]) <= KEYS_MAX:
            bound = "less than or equal to 100" if wanted["Keys"] else "greater than or equal to 1"
            raise ValidationException(
                f"1 validation error detected: Value at 'RequestItems.{name}.member.Keys' "
                f"failed to satisfy constraint: Member must have length {bound}"
            )
    if sum(len(wanted["Keys"]) for wanted in tables.values()) > KEYS_MAX:
        raise ValidationException("Too many items requested for the BatchGetItem call")


def _check_one_way_to_project(tables: dict[str, Any]) -> None:
    """One table's expression forbids another table's AttributesToGet."""
    members = {member for wanted in tables.values() for member in wanted}
    EXPRESSIONS.check(dict.fromkeys(members & {"ProjectionExpression", "AttributesToGet"}))


def _part(name: str, wanted: dict[str, Any]) -> Checked:
    EXPRESSIONS.check(wanted)
    part = Checked(wanted, named(name), action="Get", reference=name, projection=projection_of(wanted))
    part.keys = [values.normalised_item(key) for key in wanted["Keys"]]
    check_distinct(part.keys)
    return part
