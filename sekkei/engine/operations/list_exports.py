"""ListExports."""

from __future__ import annotations

from sekkei.engine import documents
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot

RESULTS_MAX = 25


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
