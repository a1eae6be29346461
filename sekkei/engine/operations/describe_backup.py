"""DescribeBackup."""

from __future__ import annotations

from sekkei.engine import backups
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot


def describe_backup(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    backup = backups.find(snapshot, checked.request["BackupArn"])
    return {"BackupDescription": backups.describe(snapshot, backup)}
