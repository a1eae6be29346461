"""A kill in the middle of work that takes many commits: a migration, a backfill, a backup, a restore, an import.

Whatever the moment, the file is sound, a migration is done or not begun, and the work is finished by whoever opens the
file next. Seen to fail with a migration in two commits and with a backfill that is not resumed (`…_is_noticed`).
"""

from __future__ import annotations

import asyncio
import importlib
import random
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import apsw
import orjson
import pytest

from sekkei.clock import SYSTEM
from sekkei.engine import Engine
from sekkei.engine.history import jobs
from sekkei.engine.storage import file, sql
from sekkei.engine.upkeep.verify import verify_file
from tests.engine.conftest import Tables, item, key
from tests.engine.operations.waiting import jobs_done
from tests.torture import amounts
from tests.torture.children import Child
from tests.torture.plants import NOTICED

ITEMS = 400
BUCKET = "bucket"


def tables_of(engine: Engine) -> Tables:
    return Tables(engine, SYSTEM)  # type: ignore[arg-type]


async def fill(path: Path) -> None:
    with Engine(path, housekeeping_seconds=None) as engine:
        tables = tables_of(engine)
        await tables.create_plain()
        recovery = {"PointInTimeRecoveryEnabled": True}
        await tables("UpdateContinuousBackups", TableName="plain", PointInTimeRecoverySpecification=recovery)
        for start in range(0, ITEMS, 25):
            puts = [
                {"PutRequest": {"Item": item(pk=str(n), colour="red", expires=int(SYSTEM.now()) + 10_000)}}
                for n in range(start, start + 25)
            ]
            await tables("BatchWriteItem", RequestItems={"plain": puts})
    folder = path.parent / "s3" / BUCKET
    folder.mkdir(parents=True)
    lines = [orjson.dumps({"Item": item(pk=str(n))}) for n in range(ITEMS)]
    (folder / "data.json").write_bytes(b"\n".join(lines))


Begin = Callable[[Tables], Any]


async def begin_index(tables: Tables) -> None:
    create = {"IndexName": "by_colour", "KeySchema": key("colour"), "Projection": {"ProjectionType": "ALL"}}
    await tables(
        "UpdateTable",
        TableName="plain",
        AttributeDefinitions=[{"AttributeName": "colour", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[{"Create": create}],
    )


async def begin_ttl(tables: Tables) -> None:
    specification = {"Enabled": True, "AttributeName": "expires"}
    await tables("UpdateTimeToLive", TableName="plain", TimeToLiveSpecification=specification)


async def begin_backup(tables: Tables) -> None:
    await tables("CreateBackup", TableName="plain", BackupName="backup")


async def begin_restore(tables: Tables) -> None:
    await tables(
        "RestoreTableToPointInTime", SourceTableName="plain", TargetTableName="made", UseLatestRestorableTime=True
    )


async def begin_import(tables: Tables) -> None:
    await tables(
        "ImportTable",
        S3BucketSource={"S3Bucket": BUCKET},
        InputFormat="DYNAMODB_JSON",
        TableCreationParameters={
            "TableName": "made",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": key("pk"),
            "BillingMode": "PAY_PER_REQUEST",
        },
    )


BEGINNINGS: dict[str, Begin] = {
    "index": begin_index,
    "ttl": begin_ttl,
    "backup": begin_backup,
    "restore": begin_restore,
    "import": begin_import,
}


def _small_parts() -> None:
    """So that there are many moments to be killed at."""
    for name, constant in (
        ("history.backups", "ITEMS_PER_COMMIT"),
        ("history.backups", "RESTORED_ITEMS_PER_COMMIT"),
        ("history.imports", "LINES_PER_COMMIT"),
        ("history.housekeeping", "BACKFILL_ITEMS"),
        ("history.jobs", "BACKFILL_ITEMS"),
    ):
        module = importlib.import_module(f"sekkei.engine.{name}")
        assert hasattr(module, constant)
        setattr(module, constant, 20)


def begin_in_child(pipe: Connection, path: str, name: str) -> None:
    _small_parts()

    async def work() -> None:
        with Engine(path, housekeeping_seconds=None) as engine:
            await BEGINNINGS[name](tables_of(engine))
            pipe.send("begun")
            while True:
                await engine.sweep()

    asyncio.run(work())


async def kill_in_the_middle(folder: Path, name: str, times: int, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(times):
        path = folder / f"{name}-{number}" / "store.db"
        path.parent.mkdir()
        await fill(path)
        child = Child(begin_in_child, str(path), name)
        assert next(child.listen()) == "begun"
        time.sleep(chance.random() * 0.02)  # noqa: ASYNC251 - the moment of a kill is a matter of real time
        child.kill()
        assert list(verify_file(str(path))) == []
        await _check_finished(path, name)


async def _check_finished(path: Path, name: str) -> None:
    with Engine(path, housekeeping_seconds=None) as engine:
        tables = tables_of(engine)
        await jobs_done(engine)
        for _ in range(200):
            await engine.sweep()
        if name == "index":
            (index,) = (await tables("DescribeTable", TableName="plain"))["Table"]["GlobalSecondaryIndexes"]
            assert (index["IndexStatus"], index["ItemCount"]) == ("ACTIVE", ITEMS)
        elif name == "ttl":
            described = await tables("DescribeTimeToLive", TableName="plain")
            assert described["TimeToLiveDescription"]["TimeToLiveStatus"] == "ENABLED"
        elif name == "backup":
            (backup,) = (await tables("ListBackups"))["BackupSummaries"]
            assert backup["BackupStatus"] == "AVAILABLE"
            described = await tables("DescribeBackup", BackupArn=backup["BackupArn"])
            assert described["BackupDescription"]["SourceTableDetails"]["ItemCount"] == ITEMS
        else:
            assert len(await tables.all("made")) == ITEMS
    assert list(verify_file(str(path))) == []


@pytest.mark.parametrize("name", BEGINNINGS)
async def test_a_few_kills(tmp_path: Path, name: str) -> None:
    await kill_in_the_middle(tmp_path, name, times=2, seed=1)


async def test_a_backfill_that_is_not_resumed_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "resume_backfills", lambda *arguments: None)
    with pytest.raises(NOTICED):
        await kill_in_the_middle(tmp_path, "index", times=20, seed=2)


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", BEGINNINGS)
async def test_many_kills(tmp_path: Path, name: str) -> None:
    await kill_in_the_middle(tmp_path, name, amounts.MIGRATION_KILLS, seed=amounts.seed(3))


# Migrations.

NEXT_FORMAT = """
    CREATE TABLE later(a, b);
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
    INSERT INTO later SELECT n, n FROM numbers;
    CREATE INDEX later_by_a ON later(a);
    UPDATE later SET b = a + 1;
    DROP TABLE documents;
"""
"""A migration of the future, large enough to be killed in the middle of."""
TORN = """COMMIT; BEGIN;
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 3000000)
    SELECT count(*) FROM numbers;
    CREATE INDEX"""
"""In two parts, and long enough between them to be killed there on any machine."""


def migrate_in_child(pipe: Connection, path: str, torn: bool) -> None:
    step = NEXT_FORMAT.replace("CREATE INDEX", TORN) if torn else NEXT_FORMAT
    sql.MIGRATIONS = (*sql.MIGRATIONS, step)
    sql.FORMAT += 1
    pipe.send("ready")
    file.connect(path).close()
    pipe.send("done")


async def kill_migrations(folder: Path, times: int, seed: int, torn: bool = False) -> set[int]:
    """Gives the formats that the killed files were left in."""
    chance = random.Random(seed)
    left: set[int] = set()
    for number in range(times):
        path = folder / f"migration-{number}.db"
        file.connect(str(path)).close()
        child = Child(migrate_in_child, str(path), torn)
        assert next(child.listen()) == "ready"
        time.sleep(chance.random() * (0.3 if torn else 0.03))  # noqa: ASYNC251
        child.kill()
        left.add(_check_format(path))
        path.unlink()
    return left


def _check_format(path: Path) -> int:
    connection = apsw.Connection(str(path))
    try:
        found = int(connection.pragma("user_version"))
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema").fetchall()}
        old = sql.FORMAT
        is_new = {"later", "later_by_a"} <= names and "documents" not in names
        is_old = not {"later", "later_by_a"} & names and "documents" in names
        assert (is_old, is_new) == ((True, False) if found == old else (False, True)), (
            f"format {found}: {sorted(names)}"
        )
        return found
    finally:
        connection.close()


async def test_a_migration_is_done_or_not_begun(tmp_path: Path) -> None:
    await kill_migrations(tmp_path, 10, seed=1)


async def test_a_torn_migration_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="format"):
        await kill_migrations(tmp_path, 60, seed=2, torn=True)


@pytest.mark.torture
@pytest.mark.timeout(0)
async def test_many_killed_migrations(tmp_path: Path) -> None:
    assert await kill_migrations(tmp_path, amounts.MIGRATION_KILLS, seed=amounts.seed(3)) <= {
        sql.FORMAT,
        sql.FORMAT + 1,
    }
