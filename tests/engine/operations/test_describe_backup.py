"""DescribeBackup."""

from __future__ import annotations

from tests.engine.conftest import Tables
from tests.engine.operations.calls import describe


async def test_a_backup_is_described(filled: Tables) -> None:
    answer = await filled("CreateBackup", TableName="items", BackupName="backup")
    details = answer["BackupDetails"]
    table = await describe(filled, "items")
    assert details["BackupStatus"] == "CREATING"
    assert details["BackupSizeBytes"] == table["TableSizeBytes"]
    described = (await filled("DescribeBackup", BackupArn=details["BackupArn"]))["BackupDescription"]
    assert described["BackupDetails"] == {**details, "BackupStatus": "AVAILABLE"}
    source = described["SourceTableDetails"]
    assert (source["TableName"], source["TableId"]) == ("items", table["TableId"])
    assert (source["ItemCount"], source["TableSizeBytes"]) == (20, table["TableSizeBytes"])
    assert source["BillingMode"] == "PAY_PER_REQUEST"
    features = described["SourceTableFeatureDetails"]
    assert [index["IndexName"] for index in features["GlobalSecondaryIndexes"]] == ["by_g"]
    assert features["TimeToLiveDescription"] == {"TimeToLiveStatus": "DISABLED"}
