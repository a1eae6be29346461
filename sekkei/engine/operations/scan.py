"""Scan: a page of all items of a table or an index, or of one segment of them."""

from __future__ import annotations

from typing import Any

from sekkei.engine.items.page import Page, filled, whole_segment
from sekkei.engine.operation import Checked, Read, Render, Response, Slices, begun
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import against_table, fields, parameters
from sekkei.engine.validation.against_table import check_select, start_key
from sekkei.engine.validation.fields import TABLE_NAME, ItemOperation, named
from sekkei.engine.validation.parameters import Parameters, Placeholders
from sekkei.engine.validation.shapes import Number
from sekkei.errors import ValidationException

_SEGMENTS_MAX = 1_000_000

_SHAPE = ItemOperation(
    "ScanInput",
    Select=fields.SELECT,
    IndexName=fields.INDEX_NAME,
    TotalSegments=Number(least=1, most=_SEGMENTS_MAX),
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    TableName=TABLE_NAME,
    ConditionalOperator=fields.CONDITIONAL_OPERATOR,
    ScanFilter=fields.CONDITIONS,
    Segment=Number(least=0, most=_SEGMENTS_MAX - 1),
    Limit=fields.LIMIT,
    AttributesToGet=fields.ATTRIBUTES_TO_GET,
    ExclusiveStartKey=fields.ITEM,
    ConsistentRead=fields.BOOLEAN,
    FilterExpression=fields.STRING,
    ProjectionExpression=fields.STRING,
    ExpressionAttributeValues=fields.ITEM,
    ExpressionAttributeNames=fields.NAMES,
)
_EXPRESSIONS = Parameters(
    "ProjectionExpression FilterExpression", legacy="AttributesToGet ScanFilter ConditionalOperator"
)


def rules(request: dict[str, Any]) -> Checked:
    checked = Checked(request, named(request["TableName"]))
    _EXPRESSIONS.check(request)
    if "AttributesToGet" in request:
        checked.projection = parameters.legacy_projection(request["AttributesToGet"])
    if "ScanFilter" in request or "ConditionalOperator" in request:
        checked.filter = parameters.filtered(request.get("ScanFilter", {}), request)
    if "ExclusiveStartKey" in request:
        checked.start_key = start_key(request["ExclusiveStartKey"])
    _check_segments(request)
    _bind(checked)
    if "Select" in request:
        check_select(request)
    return checked


def _check_segments(request: dict[str, Any]) -> None:
    segment, total = request.get("Segment"), request.get("TotalSegments")
    if segment is not None and total is None:
        raise ValidationException(
            "The TotalSegments parameter is required but was not present in the request "
            "when Segment parameter is present"
        )
    if total is not None and segment is None:
        raise ValidationException(
            "The Segment parameter is required but was not present in the request "
            "when parameter TotalSegments is present"
        )
    if segment is not None and segment >= total:
        raise ValidationException(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {segment} is not less than TotalSegments: {total}"
        )


def _bind(checked: Checked) -> None:
    request = checked.request
    placeholders = Placeholders(request)
    if "FilterExpression" in request:
        checked.filter = placeholders.condition(request["FilterExpression"], "FilterExpression")
    if "ProjectionExpression" in request:
        checked.projection = placeholders.projection(request["ProjectionExpression"])
    placeholders.check_used()


def scan(snapshot: Snapshot, checked: Checked, render: Render) -> Response | Slices:
    return begun(_scan(snapshot, checked, render))


def _scan(snapshot: Snapshot, checked: Checked, render: Render) -> Slices:
    request = checked.request
    table = snapshot.table(checked.table)
    index = against_table.check_scan(table, checked)
    within = whole_segment(request.get("Segment"), request.get("TotalSegments"))
    page = Page(table, index, checked, render)
    yield from filled(snapshot, page, within, checked.start_key, forward=True)
    return page.answer()


OPERATIONS = (Read("Scan", _SHAPE, rules, scan),)
