"""UpdateGlobalTableSettings."""

from __future__ import annotations

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.global_tables import no_settings
from sekkei.engine.snapshot import Snapshot


def update_global_table_settings(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    raise no_settings(checked.request["GlobalTableName"])
