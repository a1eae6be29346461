"""DescribeTableReplicaAutoScaling."""

from __future__ import annotations

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.global_tables import no_replicas
from sekkei.engine.snapshot import Snapshot


def describe_table_replica_auto_scaling(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    raise no_replicas(checked.table)
