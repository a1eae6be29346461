"""DescribeBackup."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import Structure

__all__ = ["SHAPE", "rules"]

SHAPE = Structure("DescribeBackupInput", "BackupArn", BackupArn=fields.ARN)
