"""`sekkei verify`: exit codes and what it prints."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from sekkei.cli import main
from sekkei.engine import Engine


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
