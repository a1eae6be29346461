"""DescribeImport."""

from __future__ import annotations

from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.operations.import_table import described
from sekkei.engine.storage import documents
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import Structure
from sekkei.errors import ImportNotFoundException

SHAPE = Structure("DescribeImportInput", "ImportArn", ImportArn=fields.ARN)


def describe_import(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    arn = checked.request["ImportArn"]
    description = documents.find(snapshot, "import", arn)
    if description is None:
        raise ImportNotFoundException(f"Import not found: {arn}")
    return {"ImportTableDescription": described(description)}


OPERATIONS = (Read("DescribeImport", SHAPE, plain, describe_import),)
