"""DescribeGlobalTable."""

from __future__ import annotations

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.global_tables import no_global_table
from sekkei.engine.snapshot import Snapshot


def describe_global_table(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    raise no_global_table(checked.request["GlobalTableName"])
