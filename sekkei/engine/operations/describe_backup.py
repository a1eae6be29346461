"""DescribeBackup."""

from __future__ import annotations

from sekkei.engine.history import backups
from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import Structure

SHAPE = Structure("DescribeBackupInput", "BackupArn", BackupArn=fields.ARN)


def describe_backup(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    backup = backups.find(snapshot, checked.request["BackupArn"])
    return {"BackupDescription": backups.describe(snapshot, backup)}


OPERATIONS = (Read("DescribeBackup", SHAPE, plain, describe_backup),)
