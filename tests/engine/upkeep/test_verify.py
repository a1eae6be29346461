"""Every kind of damage that verify promises to find, planted and found."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from sekkei.clock import ManualClock
from sekkei.engine import Engine
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import NotOurFile
from tests.engine.conftest import Tables
from tests.engine.operations.waiting import jobs_done

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


@pytest.fixture
async def store(tmp_path: Path, clock: ManualClock) -> str:
    """A file with a bit of everything, closed."""
    path = tmp_path / "store.db"
    with Engine(path, clock=clock, housekeeping_seconds=None) as engine:
        tables = Tables(engine, clock)
        await tables.create(StreamSpecification=STREAM)
        await tables(
            "UpdateTimeToLive",
            TableName="items",
            TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"},
        )
        for number in range(10):
            await tables.put(pk="a", sk=number, g="g", l="l", expires=int(clock.now()) + number)
        await tables("CreateBackup", TableName="items", BackupName="backup")
        await jobs_done(engine)
    assert list(verify_file(str(path))) == []
    return str(path)


def plant(store: str, statement: str) -> list[str]:
    file = apsw.Connection(store)
    file.execute(statement)
    file.close()
    return list(verify_file(store))


def ids(store: str) -> dict[str, int]:
    """The file's own numbers of things."""
    file = apsw.Connection(store)
    table, record = file.execute("SELECT id, CAST(substr(record, 5) AS TEXT) FROM tables").get
    global_index = file.execute("SELECT ? ->> '$.GlobalSecondaryIndexes[0].id'", (record,)).get
    ttl = file.execute("SELECT ? ->> '$.TimeToLive.id'", (record,)).get
    backup = file.execute("SELECT id FROM backups").get
    file.close()
    return {"table": int(table), "index": int(global_index), "ttl": int(ttl), "backup": int(backup)}


Damage = Callable[[dict[str, int]], str]

DAMAGES: dict[str, tuple[Damage, str]] = {
    "an item's bytes": (
        lambda id: f"UPDATE items_{id['table']} SET item = CAST(replace(item, '\"g\"', '\"h\"') AS BLOB) WHERE row = 3",
        "does not match its checksum",
    ),
    "an item's type": (
        lambda id: f"UPDATE items_{id['table']} SET item = CAST(item AS TEXT) WHERE row = 3",
        "does not match its checksum",
    ),
    "an item's key": (
        lambda id: f"UPDATE items_{id['table']} SET key = x'0102' WHERE row = 3",
        "does not match its checksum",
    ),
    "an item's size": (
        lambda id: f"UPDATE items_{id['table']} SET size = size + 1 WHERE row = 3",
        "is of another size than recorded",
    ),
    "a lost item": (
        lambda id: f"DELETE FROM items_{id['table']} WHERE row = 3",
        "its count of items or bytes is wrong",
    ),
    "a lost entry": (
        lambda id: f"DELETE FROM index_{id['index']} WHERE row = 3",
        "index by_g lacks the entry",
    ),
    "a surplus entry": (
        lambda id: f"INSERT INTO index_{id['index']} VALUES (x'00', x'00', 99)",
        "index by_g has 11 entries where the items make 10",
    ),
    "an entry that points elsewhere": (
        lambda id: f"UPDATE index_{id['index']} SET row = 4 WHERE row = 3",
        "index by_g lacks the entry",
    ),
    "a lost expiry": (lambda id: f"DELETE FROM index_{id['ttl']} WHERE row = 3", "the order of expiry lacks"),
    "a surplus expiry": (
        lambda id: f"INSERT INTO index_{id['ttl']} VALUES (x'00', x'00', 99)",
        "the order of expiry has 11 entries",
    ),
    "a backup's item": (
        lambda id: f"UPDATE items_{id['backup']} SET item = x'00' WHERE row = 3",
        "Backup arn:.* does not match its checksum",
    ),
    "a backup's lost item": (
        lambda id: f"DELETE FROM items_{id['backup']} WHERE row = 3",
        "Backup arn:.* count of items or bytes is wrong",
    ),
    "a change's image": (lambda id: "UPDATE changes SET new = x'00' WHERE seq = 3", "Change 3 does not match"),
    "a change's event": (lambda id: "UPDATE changes SET event = 'REMOVE' WHERE seq = 3", "Change 3 does not match"),
    "a change from nowhere": (lambda id: "UPDATE changes SET seq = 99 WHERE seq = 3", "The newest change is 99"),
    "a change's time": (lambda id: "UPDATE changes SET time_ms = 1 WHERE seq = 3", "Change 3 does not match"),
    "a change's table": (lambda id: "UPDATE changes SET table_id = 99 WHERE seq = 3", "Change 3 does not match"),
    "forgotten changes": (lambda id: "UPDATE sqlite_sequence SET seq = 2", "The newest change is 10"),
    "a stream's range": (
        lambda id: "UPDATE streams SET first_seq = 3",
        "record of stream .* does not match its checksum",
    ),
    "a stream's table": (
        lambda id: "UPDATE streams SET table_id = 9",
        "record of stream .* does not match its checksum",
    ),
    "a lost stream": (lambda id: "DELETE FROM streams", "disagree on whether it has an open stream"),
    "a stream beyond the end": (
        lambda id: "DELETE FROM changes; UPDATE sqlite_sequence SET seq = -1",
        "reaches beyond the newest change",
    ),
    "a table's record": (
        lambda id: "UPDATE tables SET record = CAST(replace(record, 'KEYS_ONLY', 'KEYS_OMLY') AS BLOB)",
        "record of table items does not match its checksum",
    ),
    "a table's name": (
        lambda id: "UPDATE tables SET name = 'other'",
        "record of table other does not match its checksum",
    ),
    "a backup's record": (
        lambda id: "UPDATE backups SET record = CAST(replace(record, 'USER', 'USEF') AS BLOB)",
        "record of backup .* does not match its checksum",
    ),
    "a job nobody counted": (
        lambda id: f"INSERT INTO jobs VALUES (999, 'backup', {id['table']}, x'7b7d', 0)",
        "does not count the 1 copies",
    ),
    "a job's state": (
        lambda id: "INSERT INTO jobs VALUES (999, 'backup', NULL, x'7b7d', 0)",
        "record of backup 999 does not match its checksum",
    ),
    "a document": (
        lambda id: "INSERT INTO documents VALUES ('export', 'arn', x'7b7d')",
        "record of export arn does not match its checksum",
    ),
    "a token": (
        lambda id: "INSERT INTO tokens VALUES ('token', x'00', x'7b7d', 0)",
        "record of token token does not match its checksum",
    ),
    "a piece torn off": (lambda id: "CREATE TABLE items_999(row INTEGER)", "Nothing owns items_999"),
    "a record of another type": (lambda id: "UPDATE tables SET record = 5", "cannot be read to its end"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found(store: str, name: str) -> None:
    damage, finding = DAMAGES[name]
    found = plant(store, damage(ids(store)))
    assert any(re.search(finding, sentence) for sentence in found), found


def test_other_files_are_not_ours(tmp_path: Path) -> None:
    text = tmp_path / "text.db"
    text.write_text("hello" * 1_000)
    other = tmp_path / "other.db"
    connection = apsw.Connection(str(other))
    connection.execute("CREATE TABLE theirs(a)")
    connection.close()
    before = other.read_bytes()
    for path in (text, other):
        with pytest.raises(NotOurFile):
            list(verify_file(str(path)))
    assert other.read_bytes() == before
