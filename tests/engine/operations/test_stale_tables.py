"""Nobody goes on reading what has been deleted, whatever tables a reader knows: in one engine, and in two on a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sekkei.engine import Engine
from sekkei.engine.history import jobs
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import ResourceNotFoundException, ValidationException
from tests.engine.conftest import Tables, item, key
from tests.engine.operations.calls import restore
from tests.engine.operations.waiting import index_active, jobs_done

RECOVERY = {"PointInTimeRecoveryEnabled": True}
READS: dict[str, dict[str, Any]] = {
    "GetItem": {"TableName": "items", "Key": item(pk="a", sk=1)},
    "Scan": {"TableName": "items"},
    "Query": {
        "TableName": "items",
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": item(**{":pk": "a"}),
    },
    "BatchGetItem": {"RequestItems": {"items": {"Keys": [item(pk="a", sk=1)]}}},
    "TransactGetItems": {"TransactItems": [{"Get": {"TableName": "items", "Key": item(pk="a", sk=1)}}]},
    "ExecuteStatement": {"Statement": "SELECT * FROM \"items\" WHERE pk = 'a'"},
}
BY_G = {
    "TableName": "items",
    "IndexName": "by_g",
    "KeyConditionExpression": "g = :g",
    "ExpressionAttributeValues": item(**{":g": "g"}),
}


class Drops:
    """What is dropped in parts stays until a test lets it go. Nothing is tried meanwhile, so that nobody waits."""

    def __init__(self) -> None:
        self._advance = jobs.advance
        self._held = True

    def advance(self, transaction: Transaction, id: int, memory: jobs.Memory | None = None) -> None:
        kinds = [kind for (kind,) in transaction.rows("SELECT kind FROM jobs WHERE id = ?", (id,))]
        if not (self._held and "drop" in kinds):
            self._advance(transaction, id, memory)

    async def finish(self, path: str) -> None:
        self._held = False
        with Engine(path, housekeeping_seconds=None) as engine:
            await jobs_done(engine)


@pytest.fixture(autouse=True)
def parts(monkeypatch: pytest.MonkeyPatch) -> Drops:
    """What has more than three rows goes in parts."""
    held = Drops()
    monkeypatch.setattr(jobs, "AT_ONCE_ITEMS", 3)
    monkeypatch.setattr(jobs, "advance", held.advance)
    return held


@pytest.fixture(params=["one engine", "two engines"])
def both(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Tables, Tables]]:
    """One that reads and one that changes what tables there are."""
    path = tmp_path / "store.db"
    with Engine(path, housekeeping_seconds=None) as engine, Engine(path, housekeeping_seconds=None) as second:
        other = engine if request.param == "one engine" else second
        yield Tables(engine, None), Tables(other, None)  # type: ignore[arg-type]


async def fill(tables: Tables, text: str, g: str = "g") -> None:
    for number in range(1, 6):
        await tables.put(pk="a", sk=number, text=text, g=g)


async def seen(tables: Tables, operation: str) -> str:
    try:
        return str(await tables(operation, **READS[operation]))
    except ResourceNotFoundException:
        return "no table"


@pytest.mark.parametrize("recovery", [True, False], ids=["a system backup", "dropped in parts"])
@pytest.mark.parametrize("operation", READS)
async def test_a_deleted_table_is_read_no_more(both: tuple[Tables, Tables], operation: str, recovery: bool) -> None:
    tables, other = both
    await tables.create()
    if recovery:
        await tables("UpdateContinuousBackups", TableName="items", PointInTimeRecoverySpecification=RECOVERY)
    await fill(tables, "old")
    assert "old" in await seen(tables, operation)
    await other("DeleteTable", TableName="items")
    assert await seen(tables, operation) == "no table"
    await other.create()
    assert "old" not in await seen(tables, operation)
    await fill(tables, "new")
    assert "new" in await seen(tables, operation)
    assert list(verify_file(tables.engine.path)) == []


@pytest.mark.parametrize("operation", READS)
async def test_a_table_made_anew_is_read_by_who_knew_the_old_one(
    both: tuple[Tables, Tables], operation: str, parts: Drops
) -> None:
    tables, other = both
    await tables.create()
    await fill(tables, "old")
    assert "old" in await seen(tables, operation)
    await other("DeleteTable", TableName="items")
    await other.create()
    await fill(other, "new")
    shown = await seen(tables, operation)
    assert "new" in shown
    assert "old" not in shown
    await parts.finish(tables.engine.path)
    assert await seen(tables, operation) == shown
    assert list(verify_file(tables.engine.path)) == []


async def test_an_index_made_anew_with_another_key_is_read_by_who_knew_the_old_one(
    both: tuple[Tables, Tables], parts: Drops
) -> None:
    tables, other = both
    await tables.create()
    await fill(tables, "old")
    assert (await tables("Query", **BY_G))["Count"] == 5
    await other("UpdateTable", TableName="items", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by_g"}}])
    with pytest.raises(ValidationException, match="does not have the specified index"):
        await tables("Query", **BY_G)
    again = {"IndexName": "by_g", "KeySchema": key("text"), "Projection": {"ProjectionType": "KEYS_ONLY"}}
    await other(
        "UpdateTable",
        TableName="items",
        AttributeDefinitions=[{"AttributeName": "text", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[{"Create": again}],
    )
    await index_active(other, "items", "by_g")
    with pytest.raises(ValidationException, match="missed key schema element: text"):
        await tables("Query", **BY_G)
    await parts.finish(tables.engine.path)
    assert len(await tables.all(index="by_g")) == 5
    assert list(verify_file(tables.engine.path)) == []


async def test_what_a_deleted_table_leaves_can_be_restored_and_deleted(
    both: tuple[Tables, Tables], parts: Drops
) -> None:
    tables, other = both
    await tables.create()
    await tables("UpdateContinuousBackups", TableName="items", PointInTimeRecoverySpecification=RECOVERY)
    await fill(tables, "old")
    await other("DeleteTable", TableName="items")
    await other.create()
    (backup,) = (await tables("ListBackups", BackupType="SYSTEM"))["BackupSummaries"]
    described = (await tables("DescribeBackup", BackupArn=backup["BackupArn"]))["BackupDescription"]
    assert described["SourceTableDetails"]["ItemCount"] == 5
    await restore(tables, backup["BackupArn"])
    assert len(await tables.all("restored")) == 5
    await tables("DeleteBackup", BackupArn=backup["BackupArn"])
    await parts.finish(tables.engine.path)
    assert list(verify_file(tables.engine.path)) == []


async def test_the_past_of_a_deleted_table_is_not_that_of_a_new_one(both: tuple[Tables, Tables]) -> None:
    tables, other = both
    await tables.create()
    await tables("UpdateContinuousBackups", TableName="items", PointInTimeRecoverySpecification=RECOVERY)
    await fill(tables, "old")
    assert len(tables.engine.past("items", item(pk="a", sk=1))[0]) == 1
    await other("DeleteTable", TableName="items")
    await other.create()
    assert tables.engine.past("items", item(pk="a", sk=1))[0] == []


async def test_what_an_earlier_version_left_under_its_old_id_goes_on(
    tmp_path: Path, parts: Drops, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    with monkeypatch.context() as earlier, Engine(path, housekeeping_seconds=None) as engine:
        earlier.setattr(Transaction, "hide", lambda transaction, kind, id: id)
        tables = Tables(engine, None)  # type: ignore[arg-type]
        for recovery in (True, False):
            await tables.create()
            await fill(tables, "old")
            if recovery:
                await tables("UpdateContinuousBackups", TableName="items", PointInTimeRecoverySpecification=RECOVERY)
            await tables("DeleteTable", TableName="items")
    with Engine(path, housekeeping_seconds=None) as engine:
        tables = Tables(engine, None)  # type: ignore[arg-type]
        (backup,) = (await tables("ListBackups", BackupType="SYSTEM"))["BackupSummaries"]
        await restore(tables, backup["BackupArn"])
        assert len(await tables.all("restored")) == 5
    await parts.finish(str(path))
    assert list(verify_file(str(path))) == []
