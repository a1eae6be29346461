"""ExportTableToPointInTime, DescribeExport, ListExports."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

from sekkei.engine.history import backups, exports
from sekkei.engine.history.buckets import Bucket, joined
from sekkei.engine.operation import Checked, Read, Render, Response, Write
from sekkei.engine.storage import documents
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import Number, String, Structure
from sekkei.errors import (
    ExportConflictException,
    ExportNotFoundException,
    InvalidExportTimeException,
    ValidationException,
)

_Record = dict[str, Any]

TOKEN_SECONDS = 8 * 3600
_INCREMENT_SECONDS_MIN = 15 * 60
_INCREMENT_SECONDS_MAX = 24 * 3600

_REPEATED = ("ClientToken", "S3Bucket", "S3BucketOwner", "S3Prefix", "S3SseAlgorithm", "S3SseKmsKeyId")

_EXPORT = Structure(
    "ExportTableToPointInTimeInput",
    "TableArn S3Bucket",
    TableArn=fields.TABLE_ARN,
    ExportTime=fields.TIME,
    ClientToken=fields.CLIENT_TOKEN,
    S3Bucket=fields.S3_BUCKET,
    S3BucketOwner=fields.S3_BUCKET_OWNER,
    S3Prefix=fields.S3_PREFIX,
    S3SseAlgorithm=String(one_of="AES256 KMS"),
    S3SseKmsKeyId=String(shortest=1, longest=2048),
    ExportFormat=String(one_of="DYNAMODB_JSON ION"),
    ExportType=String(one_of="FULL_EXPORT INCREMENTAL_EXPORT"),
    IncrementalExportSpecification=Structure(
        "IncrementalExportSpecification",
        ExportFromTime=fields.TIME,
        ExportToTime=fields.TIME,
        ExportViewType=String(one_of="NEW_IMAGE NEW_AND_OLD_IMAGES"),
    ),
)


def export_table_to_point_in_time(transaction: Transaction, checked: Checked, render: Render) -> Response:
    request = checked.request
    table = backups.source_table(transaction, request["TableArn"])
    _check_can_be_written(transaction, request)
    earlier = _earlier(transaction, request)
    if earlier is not None:
        return {"ExportDescription": _described(earlier)}
    if request.get("ExportType") == "INCREMENTAL_EXPORT":
        period = _period(transaction, table, request.get("IncrementalExportSpecification") or {})
        export = _description(transaction, table, request)
        export["IncrementalExportSpecification"] = period
        until, since = period["ExportToTime"], period["ExportFromTime"]
        exports.start(transaction, table, export, int(until * 1000), int(since * 1000), period["ExportViewType"])
    else:
        moment = request.get("ExportTime")
        _check_time(transaction, table, moment)
        export = {**_description(transaction, table, request), "ExportTime": moment or round(transaction.now, 3)}
        exports.start(transaction, table, export, None if moment is None else int(moment * 1000))
    return {"ExportDescription": _described(export)}


def _described(export: _Record) -> _Record:
    return {name: value for name, value in export.items() if name != "digest"}


def _check_can_be_written(transaction: Transaction, request: Mapping[str, Any]) -> None:
    if request.get("ExportFormat") == "ION":
        raise ValidationException(
            "One or more parameter values were invalid: ExportFormat ION is not supported by this store; "
            "use DYNAMODB_JSON"
        )
    Bucket(transaction.settings, request["S3Bucket"]).path(joined(request.get("S3Prefix"), "AWSDynamoDB"))


def _earlier(transaction: Transaction, request: Mapping[str, Any]) -> _Record | None:
    """The export that the same token has started already."""
    token = request.get("ClientToken")
    if token is None:
        return None
    for _, export in documents.all_of(transaction, "export"):
        if export.get("ClientToken") == token and export["StartTime"] > transaction.now - TOKEN_SECONDS:
            if export["digest"] != _digest(request):
                raise ExportConflictException("There was a conflict when writing to the specified S3 bucket.")
            return export
    return None


def _digest(request: Mapping[str, Any]) -> str:
    return hashlib.sha256(orjson.dumps(request, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _check_time(transaction: Transaction, table: Table, moment: float | None) -> None:
    earliest, latest = backups.window(transaction, table)
    # The present is always within.
    if moment is not None and not earliest <= moment <= latest:
        raise InvalidExportTimeException("The specified ExportTime is outside of the point in time recovery window.")


def _period(transaction: Transaction, table: Table, wanted: Mapping[str, Any]) -> _Record:
    earliest, latest = backups.window(transaction, table)
    until = wanted.get("ExportToTime", latest)
    since = wanted.get("ExportFromTime")
    if since is None:
        raise ValidationException("One or more parameter values were invalid: ExportFromTime must be specified")
    if not earliest <= since < until <= latest:
        raise InvalidExportTimeException("The specified ExportTime is outside of the point in time recovery window.")
    if not _INCREMENT_SECONDS_MIN <= until - since <= _INCREMENT_SECONDS_MAX:
        raise InvalidExportTimeException(
            "The export period must be at least 15 minutes and at most 24 hours long: "
            f"ExportFromTime: {since}, ExportToTime: {until}"
        )
    view = wanted.get("ExportViewType") or "NEW_AND_OLD_IMAGES"
    return {"ExportFromTime": since, "ExportToTime": until, "ExportViewType": view}


def _description(transaction: Transaction, table: Table, request: Mapping[str, Any]) -> _Record:
    export_id = f"{int(transaction.now * 1000):014d}-{transaction.uuid()[:8]}"
    export = {
        "ExportArn": f"{table.arn}/export/{export_id}",
        "ExportStatus": "IN_PROGRESS",
        "StartTime": round(transaction.now, 3),
        "TableArn": table.arn,
        "TableId": table.record["TableId"],
        "ExportFormat": "DYNAMODB_JSON",
        "ExportType": request.get("ExportType") or "FULL_EXPORT",
        "digest": _digest(request),
    }
    return {**export, **{member: request[member] for member in _REPEATED if member in request}}


_UNANSWERED = "FilterSpecification"


_DESCRIBE = Structure("DescribeExportInput", "ExportArn", ExportArn=fields.ARN)


def describe_export(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    arn = checked.request["ExportArn"]
    export = documents.find(snapshot, "export", arn)
    if export is None:
        raise ExportNotFoundException(f"Export not found: {arn}")
    return {"ExportDescription": _described(export)}


_RESULTS_MAX = 25

_LIST = Structure(
    "ListExportsInput",
    TableArn=fields.TABLE_ARN,
    MaxResults=Number(least=1, most=25),
    NextToken=fields.STRING,
)


def list_exports(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    limit = request.get("MaxResults") or _RESULTS_MAX
    start = request.get("NextToken") or ""
    found = [
        (arn, export)
        for arn, export in documents.all_of(snapshot, "export")
        if arn > start and request.get("TableArn", export["TableArn"]) == export["TableArn"]
    ]
    members = ("ExportArn", "ExportStatus", "ExportType")
    response: Response = {
        "ExportSummaries": [{member: export[member] for member in members} for _, export in found[:limit]]
    }
    if len(found) > limit:
        response["NextToken"] = found[limit - 1][0]
    return response


OPERATIONS = (
    Write("ExportTableToPointInTime", _EXPORT, plain, export_table_to_point_in_time, unanswered=_UNANSWERED),
    Read("DescribeExport", _DESCRIBE, plain, describe_export),
    Read("ListExports", _LIST, plain, list_exports),
)
