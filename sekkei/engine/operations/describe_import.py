"""DescribeImport."""

from __future__ import annotations

from sekkei.engine import documents
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.operations.import_table import described
from sekkei.engine.snapshot import Snapshot
from sekkei.errors import ImportNotFoundException


def describe_import(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    arn = checked.request["ImportArn"]
    description = documents.find(snapshot, "import", arn)
    if description is None:
        raise ImportNotFoundException(f"Import not found: {arn}")
    return {"ImportTableDescription": described(description)}
