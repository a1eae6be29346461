"""DescribeContinuousBackups."""

from __future__ import annotations

from sekkei.engine.history import point_in_time
from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation.plain import about_table, only_a_table

SHAPE = only_a_table("DescribeContinuousBackupsInput")


def describe_continuous_backups(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    snapshot.catalogue.refresh(snapshot.connection)
    table = point_in_time.source_table(snapshot, checked.table)
    return {"ContinuousBackupsDescription": point_in_time.describe(snapshot, table)}


OPERATIONS = (Read("DescribeContinuousBackups", SHAPE, about_table, describe_continuous_backups),)
