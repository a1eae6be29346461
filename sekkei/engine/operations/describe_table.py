"""DescribeTable."""

from __future__ import annotations

from sekkei.engine import table_description
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot
from sekkei.errors import ResourceNotFoundException


def describe_table(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    # Another process may have changed the table.
    snapshot.catalogue.refresh(snapshot.connection)
    name = checked.table
    table = snapshot.find_table(name)
    if table is None:
        raise ResourceNotFoundException(f"Requested resource not found: Table: {name} not found")
    return {"Table": table_description.describe(snapshot, table)}
