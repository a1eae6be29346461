"""ListImports."""

from __future__ import annotations

from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage import documents
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import Number, Structure
from sekkei.errors import ValidationException

PAGE_MAX = 25
TOKEN_BYTES_MIN = 56
TOKEN_BLOCK = 8

_MEMBERS = ("ImportArn", "ImportStatus", "TableArn", "S3BucketSource", "InputFormat", "StartTime", "EndTime")

SHAPE = Structure(
    "ListImportsInput",
    TableArn=fields.TABLE_ARN,
    PageSize=Number(least=1, most=25),
    NextToken=fields.STRING,
)


def list_imports(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    limit = request.get("PageSize") or PAGE_MAX
    start = _read_token(request["NextToken"]) if "NextToken" in request else ""
    found = [
        (arn, description)
        for arn, description in documents.all_of(snapshot, "import")
        if arn > start and request.get("TableArn", description["TableArn"]) == description["TableArn"]
    ]
    response: Response = {
        "ImportSummaryList": [
            {member: description[member] for member in _MEMBERS if member in description}
            for _, description in found[:limit]
        ]
    }
    if len(found) > limit:
        response["NextToken"] = _token(found[limit - 1][0])
    return response


def _token(arn: str) -> str:
    """The ARN in DynamoDB's form of this token: blocks of sixteen hexadecimal digits."""
    length = max(TOKEN_BYTES_MIN, -(-len(arn) // TOKEN_BLOCK) * TOKEN_BLOCK)
    return arn.ljust(length).encode().hex()


def _read_token(token: str) -> str:
    try:
        return bytes.fromhex(token).decode().rstrip()
    except ValueError:
        raise ValidationException("Invalid NextToken") from None


OPERATIONS = (Read("ListImports", SHAPE, plain, list_imports),)
