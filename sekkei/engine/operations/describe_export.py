"""DescribeExport."""

from __future__ import annotations

from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.operations.export_table_to_point_in_time import described
from sekkei.engine.storage import documents
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import Structure
from sekkei.errors import ExportNotFoundException

SHAPE = Structure("DescribeExportInput", "ExportArn", ExportArn=fields.ARN)


def describe_export(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    arn = checked.request["ExportArn"]
    export = documents.find(snapshot, "export", arn)
    if export is None:
        raise ExportNotFoundException(f"Export not found: {arn}")
    return {"ExportDescription": described(export)}


OPERATIONS = (Read("DescribeExport", SHAPE, plain, describe_export),)
