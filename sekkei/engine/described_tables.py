"""The table of an operation that looks after tables, and the words for one that is not there."""

from __future__ import annotations

from sekkei.engine.catalogue import Table
from sekkei.engine.snapshot import Snapshot
from sekkei.errors import ResourceNotFoundException


def described_table(snapshot: Snapshot, name: str) -> Table:
    # Another process may have changed the table.
    snapshot.catalogue.refresh(snapshot.connection)
    table = snapshot.find_table(name)
    if table is None:
        raise ResourceNotFoundException(f"Requested resource not found: Table: {name} not found")
    return table
