"""ListGlobalTables."""

from __future__ import annotations

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot


def list_global_tables(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    return {"GlobalTables": []}
