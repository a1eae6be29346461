"""RestoreTableFromBackup."""

from __future__ import annotations

import pytest

from sekkei.errors import (
    BackupInUseException,
    BackupNotFoundException,
    ResourceInUseException,
    ResourceNotFoundException,
    TableAlreadyExistsException,
    TableNotFoundException,
    ValidationException,
)
from tests.engine.conftest import Tables, item, key
from tests.engine.operations.calls import back_up, describe, restore
from tests.engine.operations.waiting import HeldJobs, jobs_done


async def test_a_restore_never_overwrites_a_table(filled: Tables) -> None:
    arn = await back_up(filled)
    before = await filled.all()
    with pytest.raises(TableAlreadyExistsException, match="Table already exists: items"):
        await restore(filled, arn, "items")
    assert await filled.all() == before


async def test_what_is_not_restored(tables: Tables) -> None:
    await tables.create_plain(
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        Tags=[{"Key": "team", "Value": "a"}],
        DeletionProtectionEnabled=True,
    )
    specification = {"Enabled": True, "AttributeName": "expires"}
    await tables("UpdateTimeToLive", TableName="plain", TimeToLiveSpecification=specification)
    recovery = {"PointInTimeRecoveryEnabled": True}
    await tables("UpdateContinuousBackups", TableName="plain", PointInTimeRecoverySpecification=recovery)
    arn = await back_up(tables, "plain")
    await restore(tables, arn)
    described = await describe(tables)
    assert described["TableStatus"] == "ACTIVE"
    assert "LatestStreamArn" not in described
    assert described["DeletionProtectionEnabled"] is False
    assert described["RestoreSummary"]["SourceBackupArn"] == arn
    assert described["RestoreSummary"]["RestoreInProgress"] is False
    assert (await tables("ListTagsOfResource", ResourceArn=described["TableArn"]))["Tags"] == []
    ttl = await tables("DescribeTimeToLive", TableName="restored")
    assert ttl["TimeToLiveDescription"] == {"TimeToLiveStatus": "DISABLED"}
    recovery = (await tables("DescribeContinuousBackups", TableName="restored"))["ContinuousBackupsDescription"]
    assert recovery["PointInTimeRecoveryDescription"] == {"PointInTimeRecoveryStatus": "DISABLED"}


async def test_indexes_and_billing_can_be_overridden(filled: Tables) -> None:
    arn = await back_up(filled)
    units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}
    await restore(
        filled,
        arn,
        BillingModeOverride="PROVISIONED",
        ProvisionedThroughputOverride=units,
        GlobalSecondaryIndexOverride=[],
    )
    described = await describe(filled)
    assert "GlobalSecondaryIndexes" not in described
    assert [index["IndexName"] for index in described["LocalSecondaryIndexes"]] == ["by_l"]
    assert described["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **units}
    assert {definition["AttributeName"] for definition in described["AttributeDefinitions"]} == {"pk", "sk", "l"}
    assert len(await filled.all("restored")) == 20


async def test_an_override_cannot_bring_a_new_index(filled: Tables) -> None:
    arn = await back_up(filled)
    projection = {"ProjectionType": "ALL"}
    for index in (
        {"IndexName": "new", "KeySchema": key("g", "sk"), "Projection": projection},
        {"IndexName": "by_g", "KeySchema": key("g"), "Projection": projection},
    ):
        with pytest.raises(ValidationException, match="does not match an index of the source table"):
            await restore(filled, arn, GlobalSecondaryIndexOverride=[index])
    with pytest.raises(ValidationException, match="ProvisionedThroughputOverride must be specified"):
        await restore(filled, arn, BillingModeOverride="PROVISIONED")
    with pytest.raises(ResourceNotFoundException):
        await describe(filled)


async def test_unknown_names(tables: Tables) -> None:
    with pytest.raises(TableNotFoundException, match="Table not found: none"):
        await back_up(tables, "none")
    arn = "arn:aws:dynamodb:us-east-1:123456789012:table/none/backup/01700000000000-00000000"
    with pytest.raises(BackupNotFoundException):
        await restore(tables, arn)


async def test_a_table_that_is_being_restored_can_be_described_but_not_used(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = HeldJobs(monkeypatch, "restore")
    await tables.create_plain()
    await tables.put("plain", pk="a")
    arn = await back_up(tables, "plain")
    assert (await restore(tables, arn))["TableStatus"] == "CREATING"
    assert (await describe(tables))["TableStatus"] == "CREATING"
    assert (await describe(tables))["RestoreSummary"]["RestoreInProgress"] is True
    with pytest.raises(ResourceNotFoundException):
        await tables.all("restored")
    with pytest.raises(ResourceNotFoundException):
        await tables.put("restored", pk="b")
    with pytest.raises(ResourceInUseException):
        await tables("DeleteTable", TableName="restored")
    with pytest.raises(ResourceInUseException):
        await tables("UpdateTable", TableName="restored", DeletionProtectionEnabled=True)
    with pytest.raises(BackupInUseException):
        await tables("DeleteBackup", BackupArn=arn)
    with pytest.raises(TableAlreadyExistsException):
        await restore(tables, arn)
    held.let_go()
    await jobs_done(tables.engine)
    assert (await describe(tables))["TableStatus"] == "ACTIVE"
    assert await tables.all("restored") == [item(pk="a")]
