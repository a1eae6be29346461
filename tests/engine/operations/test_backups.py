"""CreateBackup, DeleteBackup, DescribeBackup, ListBackups: on-demand backups."""

from __future__ import annotations

from typing import Any

import apsw
import pytest

from sekkei.engine import operations
from sekkei.engine.history import backups
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import BackupInUseException, BackupNotFoundException, InternalServerError, ResourceInUseException
from tests.engine.conftest import Tables, item
from tests.engine.operations.calls import back_up, describe, restore
from tests.engine.operations.waiting import HeldJobs, jobs_done
from tests.engine.refusals import PATTERN, faults, refusal


async def test_a_backup_is_what_the_table_was(filled: Tables) -> None:
    before = await filled.all()
    by_index = await filled.all(index="by_g")
    arn = await back_up(filled)
    await filled.put(pk="p0", sk=0, changed=True)
    await filled("DeleteItem", TableName="items", Key=item(pk="p1", sk=1))
    await filled.put(pk="new", sk=1)

    await restore(filled, arn)
    assert await filled.all("restored") == before
    assert await filled.all("restored", "by_g") == by_index
    assert list(verify_file(filled.engine.path)) == []


async def test_a_backup_outlives_its_table(filled: Tables) -> None:
    before = await filled.all()
    arn = await back_up(filled)
    await filled("DeleteTable", TableName="items")
    await restore(filled, arn, "items")
    assert await filled.all() == before


async def fill(tables: Tables, count: int, table: str = "plain") -> None:
    for start in range(0, count, 25):
        puts = [{"PutRequest": {"Item": item(pk=f"{number:05d}", n=0)}} for number in range(start, start + 25)]
        await tables("BatchWriteItem", RequestItems={table: puts})


async def test_a_large_backup_is_one_moment_though_writes_go_on(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its parts are in different commits; every write in between must be undone in it."""
    monkeypatch.setattr(backups, "ITEMS_PER_COMMIT", 100)
    held = HeldJobs(monkeypatch, "backup")
    await tables.create_plain()
    await fill(tables, 1_000)
    before = await everything(tables, "plain")
    arn = await back_up(tables, "plain")
    for number in range(0, 1_000, 125):
        await tables.put("plain", pk=f"{number:05d}", n=1)
        await tables.put("plain", pk=f"{number:05d}", n=2)
        await tables("DeleteItem", TableName="plain", Key=item(pk=f"{number + 1:05d}"))
        await tables.put("plain", pk=f"{number:05d}-new")
        await held.do_parts(tables.engine, 1)
    described = (await tables("DescribeBackup", BackupArn=arn))["BackupDescription"]
    assert described["BackupDetails"]["BackupStatus"] == "CREATING"
    with pytest.raises(BackupInUseException):
        await restore(tables, arn)
    with pytest.raises(BackupInUseException):
        await tables("DeleteBackup", BackupArn=arn)
    with pytest.raises(ResourceInUseException):
        await tables("DeleteTable", TableName="plain")
    assert list(verify_file(tables.engine.path)) == []
    held.let_go()
    await jobs_done(tables.engine)
    await restore(tables, arn)
    await jobs_done(tables.engine)
    assert await everything(tables, "restored") == before
    assert list(verify_file(tables.engine.path)) == []
    await tables("DeleteTable", TableName="plain")


async def everything(tables: Tables, table: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    start: dict[str, Any] = {}
    while True:
        page = await tables("Scan", TableName=table, **start)
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


async def test_changes_are_not_kept_longer_than_the_copy_needs_them(tables: Tables) -> None:
    await tables.create_plain()
    await fill(tables, 1_500)
    await back_up(tables, "plain")
    await tables.put("plain", pk="00001", n=5)
    await jobs_done(tables.engine)
    await tables.engine.sweep()
    await tables.put("plain", pk="00002", n=5)
    file = apsw.Connection(tables.engine.path)
    assert file.execute("SELECT count(*) FROM changes").get == 0
    file.close()


@pytest.mark.parametrize("damage", ["replace(item, 'g0', 'gX')", "replace(item, '}', '{')", "item || '!'"])
async def test_damage_comes_along_and_stays_visible(filled: Tables, damage: str) -> None:
    """A copy must not make a damaged item look sound, nor stop at one."""
    file = apsw.Connection(filled.engine.path)
    file.execute(f"UPDATE items_1 SET item = CAST({damage} AS BLOB) WHERE row = 3")
    file.close()
    arn = await back_up(filled)
    await restore(filled, arn)
    assert (await describe(filled))["TableStatus"] == "ACTIVE"
    with pytest.raises(InternalServerError, match="table restored does not match its checksum"):
        await filled.all("restored")
    findings = list(verify_file(filled.engine.path))
    assert any(finding.startswith("Backup ") for finding in findings)


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"TableName": "abc", "BackupName": "a b"}, faults(("a b", "backupName", PATTERN))),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("CreateBackup", request_) == text


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


async def test_backups_are_listed_by_table_time_and_kind_in_pages(tables: Tables) -> None:
    await tables.create_plain("aaa")
    await tables.create_plain("bbb")
    start = tables.clock.now()
    for number in range(3):
        await back_up(tables, "aaa", f"backup-{number}")
        tables.clock.advance(10)
    await back_up(tables, "bbb", "other")

    async def names(**request: Any) -> list[str]:
        found = (await tables("ListBackups", **request))["BackupSummaries"]
        return [backup["BackupName"] for backup in found]

    assert await names() == ["backup-0", "backup-1", "backup-2", "other"]
    assert await names(TableName="bbb") == ["other"]
    within = {"TimeRangeLowerBound": start + 10, "TimeRangeUpperBound": start + 20}
    assert await names(**within) == ["backup-1"]
    assert await names(BackupType="SYSTEM") == []
    assert await names(BackupType="ALL") == await names()
    page = await tables("ListBackups", Limit=3)
    rest = await names(ExclusiveStartBackupArn=page["LastEvaluatedBackupArn"])
    assert rest == ["other"]


@pytest.mark.parametrize(
    "request_",
    [
        {"TimeRangeLowerBound": 1700000000.5},
    ],
)
def test_requests_that_can_be(request_: dict[str, Any]) -> None:
    assert operations.check("ListBackups", request_).request == request_
