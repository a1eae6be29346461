"""Query: a page of one partition of a table or an index, in the order of its sort key."""

from __future__ import annotations

from typing import Any

from sekkei.engine.items.page import Page, filled
from sekkei.engine.operation import Checked, Read, Render, Response, Slices, begun
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import against_table, fields, parameters
from sekkei.engine.validation.against_table import check_select, start_key
from sekkei.engine.validation.fields import TABLE_NAME, ItemOperation, named
from sekkei.engine.validation.parameters import Parameters, Placeholders
from sekkei.engine.validation.shapes import Number
from sekkei.errors import ValidationException

_SHAPE = ItemOperation(
    "QueryInput",
    Select=fields.SELECT,
    IndexName=fields.INDEX_NAME,
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    QueryFilter=fields.CONDITIONS,
    TableName=TABLE_NAME,
    ConditionalOperator=fields.CONDITIONAL_OPERATOR,
    AttributesToGet=fields.ATTRIBUTES_TO_GET,
    Limit=Number(),
    KeyConditions=fields.CONDITIONS,
    ExclusiveStartKey=fields.ITEM,
    ConsistentRead=fields.BOOLEAN,
    ScanIndexForward=fields.BOOLEAN,
    KeyConditionExpression=fields.STRING,
    FilterExpression=fields.STRING,
    ProjectionExpression=fields.STRING,
    ExpressionAttributeValues=fields.ITEM,
    ExpressionAttributeNames=fields.NAMES,
)
_EXPRESSIONS = Parameters(
    "ProjectionExpression FilterExpression KeyConditionExpression",
    legacy="AttributesToGet QueryFilter ConditionalOperator KeyConditions",
)


def rules(request: dict[str, Any]) -> Checked:
    checked = Checked(request, named(request["TableName"]))
    _check_limit(request)
    _EXPRESSIONS.check(request)
    if "QueryFilter" in request or "ConditionalOperator" in request:
        checked.filter = parameters.filtered(request.get("QueryFilter", {}), request)
    if "AttributesToGet" in request:
        checked.projection = parameters.legacy_projection(request["AttributesToGet"])
    if "ExclusiveStartKey" in request:
        checked.start_key = start_key(request["ExclusiveStartKey"])
    _check_key_condition_is_there(request)
    _bind(checked)
    if "Select" in request:
        check_select(request, "1 validation error detected: ")
    if "KeyConditions" in request:
        checked.key_condition = parameters.key_conditions(request["KeyConditions"])
    return checked


def _check_limit(request: dict[str, Any]) -> None:
    """Query words this fault in its own way; Scan's is that of all other shapes."""
    if request.get("Limit", 1) < 1:
        raise ValidationException(
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1"
        )


def _check_key_condition_is_there(request: dict[str, Any]) -> None:
    if "KeyConditions" not in request and "KeyConditionExpression" not in request:
        raise ValidationException(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
        )


def _bind(checked: Checked) -> None:
    request = checked.request
    placeholders = Placeholders(request)
    condition = None
    if "KeyConditionExpression" in request:
        condition = placeholders.key_condition(request["KeyConditionExpression"])
    if "FilterExpression" in request:
        checked.filter = placeholders.condition(request["FilterExpression"], "FilterExpression")
    if "ProjectionExpression" in request:
        checked.projection = placeholders.projection(request["ProjectionExpression"])
    placeholders.check_used()
    # What the other expressions say wrong is said before what this one cannot say about a key.
    if condition is not None:
        checked.key_condition = condition.tests()


def query(snapshot: Snapshot, checked: Checked, render: Render) -> Response | Slices:
    return begun(_query(snapshot, checked, render))


def _query(snapshot: Snapshot, checked: Checked, render: Render) -> Slices:
    table = snapshot.table(checked.table)
    index, within = against_table.check_query(table, checked)
    forward = checked.request.get("ScanIndexForward", True)
    page = Page(table, index, checked, render)
    yield from filled(snapshot, page, within, checked.start_key, forward)
    return page.answer()


OPERATIONS = (Read("Query", _SHAPE, rules, query),)
