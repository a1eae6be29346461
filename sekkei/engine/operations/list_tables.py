"""ListTables."""

from __future__ import annotations

from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import Number, Structure

_LIMIT_DEFAULT = 100

_SHAPE = Structure(
    "ListTablesInput",
    Limit=Number(least=1, most=100),
    ExclusiveStartTableName=fields.PLAIN_TABLE_NAME,
)


def list_tables(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    snapshot.catalogue.refresh(snapshot.connection)
    start = request.get("ExclusiveStartTableName") or ""
    limit = request.get("Limit") or _LIMIT_DEFAULT
    names = sorted(name for name in snapshot.catalogue.tables if name > start)
    response: Response = {"TableNames": names[:limit]}
    if len(names) > limit:
        response["LastEvaluatedTableName"] = names[limit - 1]
    return response


OPERATIONS = (Read("ListTables", _SHAPE, plain, list_tables),)
