"""DescribeExport."""

from __future__ import annotations

from sekkei.engine import documents
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.operations.export_table_to_point_in_time import described
from sekkei.engine.snapshot import Snapshot
from sekkei.errors import ExportNotFoundException


def describe_export(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    arn = checked.request["ExportArn"]
    export = documents.find(snapshot, "export", arn)
    if export is None:
        raise ExportNotFoundException(f"Export not found: {arn}")
    return {"ExportDescription": described(export)}
