"""TransactGetItems: up to 100 items as of one moment."""

from __future__ import annotations

from typing import Any

import orjson

from sekkei.engine.items import values
from sekkei.engine.items.capacity import Consumed, attach_all, wanted
from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import against_table, fields
from sekkei.engine.validation.fields import TABLE_NAME, named
from sekkei.engine.validation.parameters import projection_of
from sekkei.engine.validation.shapes import List, Structure
from sekkei.errors import TransactionCanceledException, ValidationException

_TOTAL_BYTES_MAX = 4 * 1024 * 1024

_SHAPE = Structure(
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


def transact_get_items(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    how = checked.request.get("ReturnConsumedCapacity")
    # A transactional read costs two consistent ones.
    consumed = Consumed(factor=2.0) if wanted(how) else None
    with snapshot.at_one_moment():
        _check_keys(snapshot, checked)
        responses = []
        total = 0
        for part in checked.parts:
            table = snapshot.table(part.table)
            stored = snapshot.stored(table, table.key_bytes(part.key or {}))
            total += stored.size if stored is not None else 0
            if consumed is not None:
                consumed.add_read(table, stored.size if stored is not None else 0, consistent=True)
            responses.append({} if stored is None else {"Item": _item(part, stored.blob, render)})
    if total > _TOTAL_BYTES_MAX:
        raise TransactionCanceledException.of(
            [{"Code": "ValidationError", "Message": "Transaction size exceeded: 4 MB"} for _ in checked.parts]
        )
    response: Response = {"Responses": responses}
    attach_all(response, consumed, how, "ReadCapacityUnits")
    return response


def _check_keys(snapshot: Snapshot, checked: Checked) -> None:
    reasons: list[dict[str, Any]] = []
    seen: set[tuple[int, bytes]] = set()
    for part in checked.parts:
        table, key = snapshot.table(part.table), part.key or {}
        try:
            seen.add((table.id, against_table.key_bytes(table, key)))
            reasons.append({"Code": "None"})
        except ValidationException as error:
            reasons.append({"Code": "ValidationError", "Message": error.message})
    if any(reason["Code"] != "None" for reason in reasons):
        raise TransactionCanceledException.of(reasons)
    if len(seen) < len(checked.parts):
        raise ValidationException("Transaction request cannot include multiple operations on one item")


def _item(part: Checked, blob: bytes, render: Render) -> Any:
    return render(blob) if part.projection is None else part.projection.project(orjson.loads(blob))


OPERATIONS = (Read("TransactGetItems", _SHAPE, rules, transact_get_items),)
