"""CreateGlobalTable."""

from __future__ import annotations

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.global_tables import INVALID, version_not_supported
from sekkei.engine.snapshot import Snapshot
from sekkei.errors import ValidationException


def create_global_table(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    if not checked.request["ReplicationGroup"]:
        raise ValidationException(f"{INVALID}: Global table must have atleast one replica")
    raise version_not_supported()
