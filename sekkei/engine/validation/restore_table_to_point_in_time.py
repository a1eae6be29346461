"""RestoreTableToPointInTime."""

from __future__ import annotations

from typing import Any

from sekkei.engine.validation import fields
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.restore_table_from_backup import OVERRIDES
from sekkei.engine.validation.shapes import Structure
from sekkei.errors import ValidationException

SHAPE = Structure(
    "RestoreTableToPointInTimeInput",
    "TargetTableName",
    SourceTableArn=fields.TABLE_ARN,
    SourceTableName=fields.PLAIN_TABLE_NAME,
    TargetTableName=fields.PLAIN_TABLE_NAME,
    UseLatestRestorableTime=fields.BOOLEAN,
    RestoreDateTime=fields.TIME,
    **OVERRIDES,
)


def rules(request: dict[str, Any]) -> Checked:
    if ("SourceTableArn" in request) == ("SourceTableName" in request):
        raise ValidationException(
            "One or more parameter values were invalid: "
            "Exactly one of SourceTableArn and SourceTableName must be specified"
        )
    if bool(request.get("UseLatestRestorableTime")) == ("RestoreDateTime" in request):
        raise ValidationException(
            "One or more parameter values were invalid: "
            "Exactly one of UseLatestRestorableTime and RestoreDateTime must be specified"
        )
    return Checked(request, request["TargetTableName"])
