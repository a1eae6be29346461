"""RestoreTableToPointInTime."""

from __future__ import annotations

from sekkei.engine import point_in_time, restores
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.transaction import Transaction
from sekkei.errors import InvalidRestoreTimeException


def restore_table_to_point_in_time(transaction: Transaction, checked: Checked, render: Render) -> Response:
    request = checked.request
    table = point_in_time.source_table(transaction, request.get("SourceTableArn") or request["SourceTableName"])
    earliest, latest = point_in_time.window(transaction, table)
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
    return {"TableDescription": restores.restore(transaction, request, table, table.record, summary, until_ms)}
