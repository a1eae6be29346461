"""DeleteTable."""

from __future__ import annotations

import pytest

from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import (
    ResourceNotFoundException,
    ValidationException,
)
from tests.engine.conftest import DAY, Tables
from tests.engine.operations.calls import restore


async def test_a_deleted_table_with_recovery_leaves_a_backup_for_35_days(filled: Tables) -> None:
    before = await filled.all()
    recovery = {"PointInTimeRecoveryEnabled": True}
    await filled("UpdateContinuousBackups", TableName="items", PointInTimeRecoverySpecification=recovery)
    await filled("DeleteTable", TableName="items")
    (backup,) = (await filled("ListBackups", BackupType="SYSTEM"))["BackupSummaries"]
    assert backup["BackupName"] == "items$DeletedTableBackup"
    await restore(filled, backup["BackupArn"])
    assert await filled.all("restored") == before
    assert list(verify_file(filled.engine.path)) == []
    filled.clock.advance(35 * DAY + 1)
    await filled.engine.sweep()
    assert (await filled("ListBackups", BackupType="ALL"))["BackupSummaries"] == []
    assert list(verify_file(filled.engine.path)) == []


async def test_a_deleted_table_is_gone_with_its_items(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1)
    assert (await tables("DeleteTable", TableName="items"))["TableDescription"]["TableStatus"] == "DELETING"
    with pytest.raises(ResourceNotFoundException):
        await tables.get(pk="a", sk=1)
    await tables.create()
    assert await tables.all() == []


async def test_a_protected_table_stays(tables: Tables) -> None:
    await tables.create(DeletionProtectionEnabled=True)
    with pytest.raises(ValidationException, match="protected against deletion"):
        await tables("DeleteTable", TableName="items")
    await tables("UpdateTable", TableName="items", DeletionProtectionEnabled=False)
    await tables("DeleteTable", TableName="items")
