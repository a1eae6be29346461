"""ListBackups."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from tests.engine.conftest import Tables
from tests.engine.operations.calls import back_up


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
