"""DescribeContinuousBackups."""

from __future__ import annotations

from sekkei.engine import point_in_time
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot


def describe_continuous_backups(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    snapshot.catalogue.refresh(snapshot.connection)
    table = point_in_time.source_table(snapshot, checked.table)
    return {"ContinuousBackupsDescription": point_in_time.describe(snapshot, table)}
