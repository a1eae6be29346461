"""ListExports."""

from __future__ import annotations

from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage import documents
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import Number, Structure

RESULTS_MAX = 25

SHAPE = Structure(
    "ListExportsInput",
    TableArn=fields.TABLE_ARN,
    MaxResults=Number(least=1, most=25),
    NextToken=fields.STRING,
)


def list_exports(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    limit = request.get("MaxResults") or RESULTS_MAX
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


OPERATIONS = (Read("ListExports", SHAPE, plain, list_exports),)
