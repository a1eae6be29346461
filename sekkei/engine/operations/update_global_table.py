"""UpdateGlobalTable."""

from __future__ import annotations

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.global_tables import INVALID, no_global_table, version_not_supported
from sekkei.engine.snapshot import Snapshot
from sekkei.errors import ValidationException


def update_global_table(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    updates = checked.request["ReplicaUpdates"]
    if not updates:
        raise ValidationException(INVALID)
    if any("Create" in update for update in updates):
        raise version_not_supported()
    raise no_global_table(checked.request["GlobalTableName"])
