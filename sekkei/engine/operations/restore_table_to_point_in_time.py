"""RestoreTableToPointInTime."""

from __future__ import annotations

from typing import Any

from sekkei.engine.history import backups
from sekkei.engine.operation import Checked, Render, Response, Write
from sekkei.engine.operations.restore_table_from_backup import OVERRIDES
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields
from sekkei.engine.validation.shapes import Structure
from sekkei.errors import InvalidRestoreTimeException, ValidationException

_SHAPE = Structure(
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


def restore_table_to_point_in_time(transaction: Transaction, checked: Checked, render: Render) -> Response:
    request = checked.request
    table = backups.source_table(transaction, request.get("SourceTableArn") or request["SourceTableName"])
    earliest, latest = backups.window(transaction, table)
    moment, until_ms = transaction.now, None
    if not request.get("UseLatestRestorableTime"):
        moment = request["RestoreDateTime"]
        if not earliest <= moment <= latest:
            raise InvalidRestoreTimeException(
                "An invalid restore time was specified. RestoreDateTime must be between EarliestRestorableDateTime "
                "and LatestRestorableDateTime."
            )
        until_ms = int(moment * 1000)
    summary = {"SourceTableArn": table.arn, "RestoreDateTime": round(moment, 3)}
    return {"TableDescription": backups.restore(transaction, request, table, table.record, summary, until_ms)}


_UNANSWERED = "VectorIndexOverride"

OPERATIONS = (
    Write("RestoreTableToPointInTime", _SHAPE, rules, restore_table_to_point_in_time, unanswered=_UNANSWERED),
)
