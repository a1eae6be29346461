"""`sekkei verify`: exit codes and what it prints."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from sekkei.cli import main
from sekkei.engine import Engine
from sekkei.engine.storage import sql


@pytest.fixture
async def store(tmp_path: Path) -> Path:
    path = tmp_path / "sekkei.db"
    with Engine(path) as engine:
        await engine.call(
            "CreateTable",
            {
                "TableName": "things",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        await engine.call("PutItem", {"TableName": "things", "Item": {"pk": {"S": "a"}, "note": {"S": "unspoiled"}}})
    return path


def test_a_sound_file(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(store)]) == 0
    assert capsys.readouterr().out == f"{store} is sound.\n"
    assert main(["verify", str(store.parent)]) == 0


def test_a_spoiled_item(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    connection = apsw.Connection(str(store))
    (table,) = next(iter(connection.execute("SELECT name FROM sqlite_schema WHERE name GLOB 'items_[0-9]*'")))
    connection.execute(f"UPDATE {table} SET item = CAST(replace(item, 'unspoiled', 'un-spoiled') AS BLOB)")
    connection.close()
    assert main(["verify", str(store)]) == 1
    assert "does not match its checksum" in capsys.readouterr().out


def test_what_cannot_be_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path / "none.db")]) == 2
    assert not (tmp_path / "none.db").exists()
    assert main(["verify", str(tmp_path)]) == 2
    (tmp_path / "diary.db").write_text("dear diary " * 1000)
    assert main(["verify", str(tmp_path / "diary.db")]) == 2
    assert capsys.readouterr().err.startswith("sekkei: There is no file")


def seen(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_that_nobody_finished_making(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "sekkei.db"
    apsw.Connection(str(empty)).execute("PRAGMA journal_mode = wal")
    assert main(["verify", str(empty)]) == 2
    assert f"{empty} is empty: " in capsys.readouterr().err


async def test_nothing_is_changed_by_looking(store: Path) -> None:
    before = seen(store.parent)
    assert main(["verify", str(store)]) == 0
    assert seen(store.parent) == before, "no byte, and no log beside it"
    with Engine(store) as engine:  # in use
        await engine.call("PutItem", {"TableName": "things", "Item": {"pk": {"S": "b"}}})
        before = {name: content for name, content in seen(store.parent).items() if not name.endswith("-shm")}
        assert main(["verify", str(store)]) == 0
        after = {name: content for name, content in seen(store.parent).items() if not name.endswith("-shm")}
        assert after == before


def test_an_older_file_is_left_in_its_format(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    connection = apsw.Connection(str(store))
    connection.pragma("user_version", sql.FORMAT - 1)
    connection.close()
    before = store.read_bytes()
    assert main(["verify", str(store)]) == 2
    assert f"`sekkei backup {store} COPY` makes a verified copy in the new format." in capsys.readouterr().err
    assert store.read_bytes() == before


def damage(store: Path) -> None:
    """One bit of the record that says what the table is."""
    connection = apsw.Connection(str(store))
    connection.execute("UPDATE tables SET record = CAST(replace(record, 'things', 'thingz') AS BLOB)")
    connection.close()


@pytest.mark.parametrize(
    "command",
    [
        ["engine", "--port", "0", "--data", "{data}"],
        ["up", "--port", "0", "--dynamodb-port", "0", "--data", "{data}"],
        ["dead-letters", "list", "--data", "{data}"],
        ["tables", "diff", "tests.web.example.design", "--store", "{data}/sekkei.db"],
    ],
    ids=lambda command: command[0],
)
def test_a_damaged_table_is_said_in_words(
    store: Path, command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SEKKEI_STORE", "SEKKEI_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sekkei.runtime.discovery.load_all", lambda: ([], {}))
    damage(store)
    assert main([part.replace("{data}", str(store.parent)) for part in command]) == 2
    said = capsys.readouterr().err
    assert f"sekkei: {store} is damaged: " in said
    assert f"`sekkei verify {store}`" in said
    assert f"`sekkei recover {store} --out NEW`" in said
    assert f"`sekkei restore BACKUP {store} --overwrite`" in said
    assert "Traceback" not in said
    assert main(["verify", str(store)]) == 1
    printed = capsys.readouterr().out
    assert f"`sekkei recover {store} --out NEW`" in printed
    assert "--overwrite` puts a backup" in printed
