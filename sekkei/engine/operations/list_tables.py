"""ListTables."""

from __future__ import annotations

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot

LIMIT_DEFAULT = 100


def list_tables(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    snapshot.catalogue.refresh(snapshot.connection)
    start = request.get("ExclusiveStartTableName") or ""
    limit = request.get("Limit") or LIMIT_DEFAULT
    names = sorted(name for name in snapshot.catalogue.tables if name > start)
    response: Response = {"TableNames": names[:limit]}
    if len(names) > limit:
        response["LastEvaluatedTableName"] = names[limit - 1]
    return response
