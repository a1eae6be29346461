"""BatchGetItem: up to 100 items and 16 MB; what does not fit comes back as UnprocessedKeys."""

from __future__ import annotations

from typing import Any

import orjson

from sekkei.engine.items import capacity, values
from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import against_table, fields
from sekkei.engine.validation.against_table import check_distinct
from sekkei.engine.validation.fields import TABLE_NAME, named
from sekkei.engine.validation.parameters import Parameters, projection_of
from sekkei.engine.validation.shapes import List, Map, Structure
from sekkei.errors import ValidationException

_RESPONSE_BYTES_MAX = 16 * 1024 * 1024

_KEYS_MAX = 100

_SHAPE = Structure(
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
_EXPRESSIONS = Parameters("ProjectionExpression", legacy="AttributesToGet")


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
        if not 1 <= len(wanted["Keys"]) <= _KEYS_MAX:
            bound = "less than or equal to 100" if wanted["Keys"] else "greater than or equal to 1"
            raise ValidationException(
                f"1 validation error detected: Value at 'RequestItems.{name}.member.Keys' "
                f"failed to satisfy constraint: Member must have length {bound}"
            )
    if sum(len(wanted["Keys"]) for wanted in tables.values()) > _KEYS_MAX:
        raise ValidationException("Too many items requested for the BatchGetItem call")


def _check_one_way_to_project(tables: dict[str, Any]) -> None:
    """One table's expression forbids another table's AttributesToGet."""
    members = {member for wanted in tables.values() for member in wanted}
    _EXPRESSIONS.check(dict.fromkeys(members & {"ProjectionExpression", "AttributesToGet"}))


def _part(name: str, wanted: dict[str, Any]) -> Checked:
    _EXPRESSIONS.check(wanted)
    part = Checked(wanted, named(name), action="Get", reference=name, projection=projection_of(wanted))
    part.keys = [values.normalised_item(key) for key in wanted["Keys"]]
    check_distinct(part.keys)
    return part


def batch_get_item(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    how = checked.request.get("ReturnConsumedCapacity")
    consumed = capacity.Consumed() if capacity.wanted(how) else None
    tables = [snapshot.table(part.table) for part in checked.parts]
    for part, table in zip(checked.parts, tables, strict=True):
        against_table.check_keys(table, part.keys)

    responses: dict[str, list[Any]] = {}
    unprocessed: dict[str, Any] = {}
    room = _RESPONSE_BYTES_MAX
    for part, table in zip(checked.parts, tables, strict=True):
        consistent = bool(part.request.get("ConsistentRead"))
        found = responses.setdefault(part.reference, [])
        keys = [table.key_bytes(key) for key in part.keys]
        for position, stored in enumerate(snapshot.stored_each(table, keys)):
            size = stored.size if stored is not None else 0
            if size > room:
                unprocessed[part.reference] = {**part.request, "Keys": list(part.keys[position:])}
                room = -1
                break
            room -= size
            if consumed is not None:
                consumed.add_read(table, size, consistent)
            if stored is not None:
                blob = stored.blob
                found.append(render(blob) if part.projection is None else part.projection.project(orjson.loads(blob)))
    response: Response = {"Responses": responses, "UnprocessedKeys": unprocessed}
    capacity.attach_all(response, consumed, how)
    return response


OPERATIONS = (Read("BatchGetItem", _SHAPE, rules, batch_get_item),)
