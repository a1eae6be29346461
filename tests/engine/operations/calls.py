"""Short ways to make the calls that tests of several operations make."""

from __future__ import annotations

from typing import Any

from tests.engine.conftest import Tables, key


async def described(tables: Tables, name: str = "items") -> dict[str, object]:
    return (await tables("DescribeTable", TableName=name))["Table"]  # type: ignore[no-any-return]


def new_index(name: str, attribute: str, kind: str = "S") -> dict[str, object]:
    return {
        "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": kind}],
        "GlobalSecondaryIndexUpdates": [
            {
                "Create": {
                    "IndexName": name,
                    "KeySchema": key(attribute),
                    "Projection": {"ProjectionType": "ALL"},
                }
            }
        ],
    }


async def set_ttl(
    tables: Tables, enabled: bool = True, attribute: str = "expires", table: str = "plain"
) -> dict[str, Any]:
    specification = {"Enabled": enabled, "AttributeName": attribute}
    return await tables("UpdateTimeToLive", TableName=table, TimeToLiveSpecification=specification)


async def set_recovery(tables: Tables, enabled: bool = True, table: str = "plain", **more: Any) -> dict[str, Any]:
    specification = {"PointInTimeRecoveryEnabled": enabled, **more}
    answer = await tables("UpdateContinuousBackups", TableName=table, PointInTimeRecoverySpecification=specification)
    return dict(answer["ContinuousBackupsDescription"])


async def recovery_of(tables: Tables, table: str = "plain") -> dict[str, Any]:
    answer = await tables("DescribeContinuousBackups", TableName=table)
    assert answer["ContinuousBackupsDescription"]["ContinuousBackupsStatus"] == "ENABLED"
    return dict(answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"])


async def back_up(tables: Tables, table: str = "items", name: str = "backup") -> str:
    answer = await tables("CreateBackup", TableName=table, BackupName=name)
    return str(answer["BackupDetails"]["BackupArn"])


async def restore(tables: Tables, arn: str, name: str = "restored", **more: Any) -> dict[str, Any]:
    answer = await tables("RestoreTableFromBackup", TargetTableName=name, BackupArn=arn, **more)
    return dict(answer["TableDescription"])


async def describe(tables: Tables, name: str = "restored") -> dict[str, Any]:
    return dict((await tables("DescribeTable", TableName=name))["Table"])
