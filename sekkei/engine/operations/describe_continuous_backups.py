"""DescribeContinuousBackups."""

from __future__ import annotations

from sekkei.engine.history import backups
from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation.fields import about_table, only_a_table

SHAPE = only_a_table("DescribeContinuousBackupsInput")


def describe_continuous_backups(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    snapshot.catalogue.refresh(snapshot.connection)
    table = backups.source_table(snapshot, checked.table)
    return {"ContinuousBackupsDescription": backups.describe_continuous(snapshot, table)}


OPERATIONS = (Read("DescribeContinuousBackups", SHAPE, about_table, describe_continuous_backups),)
