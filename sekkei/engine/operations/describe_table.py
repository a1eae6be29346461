"""DescribeTable."""

from __future__ import annotations

from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage import table_record
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation.fields import about_table, only_a_table
from sekkei.errors import ResourceNotFoundException

_SHAPE = only_a_table("DescribeTableInput")


def describe_table(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    # Another process may have changed the table.
    snapshot.catalogue.refresh(snapshot.connection)
    name = checked.table
    table = snapshot.find_table(name)
    if table is None:
        raise ResourceNotFoundException(f"Requested resource not found: Table: {name} not found")
    return {"Table": table_record.describe(snapshot, table)}


OPERATIONS = (Read("DescribeTable", _SHAPE, about_table, describe_table),)
