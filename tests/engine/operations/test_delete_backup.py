"""DeleteBackup."""

from __future__ import annotations

import pytest

from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import (
    BackupNotFoundException,
)
from tests.engine.conftest import Tables
from tests.engine.operations.calls import back_up, restore


async def test_a_deleted_backup_is_gone(filled: Tables) -> None:
    arn = await back_up(filled)
    answer = await filled("DeleteBackup", BackupArn=arn)
    assert answer["BackupDescription"]["BackupDetails"]["BackupStatus"] == "DELETED"
    for operation in ("DescribeBackup", "DeleteBackup"):
        with pytest.raises(BackupNotFoundException, match="Backup not found: arn:"):
            await filled(operation, BackupArn=arn)
    with pytest.raises(BackupNotFoundException):
        await restore(filled, arn)
    assert list(verify_file(filled.engine.path)) == []
