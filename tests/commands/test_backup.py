"""`sekkei backup`: exit codes, what it prints, and that nothing is overwritten."""

from __future__ import annotations

import re
from pathlib import Path

import apsw
import pytest

from sekkei.cli import main
from tests.engine.upkeep.test_whole_file import killed_and_damaged, make, note_of, spoil_schema


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    await make(folder / "sekkei.db", "original")
    return folder


async def test_a_copy_is_verified(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    backup = tmp_path / "backup.db"
    assert main(["backup", str(data), str(backup)]) == 0
    assert re.fullmatch(rf"{re.escape(str(backup))}: [\d,]+ bytes, verified\.\n", capsys.readouterr().out)
    assert await note_of(backup) == "original"


def test_a_folder_gets_a_file_with_the_time_in_its_name(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    assert main(["backup", str(data / "sekkei.db"), str(folder)]) == 0
    (made,) = folder.iterdir()
    assert main(["backup", str(data), f"{tmp_path}/new/"]) == 0
    assert [path.suffix for path in (tmp_path / "new").iterdir()] == [".db"], "a folder that was not there yet"
    assert re.fullmatch(r"sekkei-\d{8}T\d{6}Z\.db", made.name)


def test_nothing_is_overwritten(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    backup = tmp_path / "backup.db"
    backup.write_text("mine")
    assert main(["backup", str(data), str(backup)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert backup.read_text() == "mine"


def test_a_damaged_store_is_reported(data: Path, tmp_path: Path) -> None:
    damage(data / "sekkei.db")
    assert main(["backup", str(data), str(tmp_path / "backup.db")]) == 1


async def test_a_killed_and_damaged_store_is_reported_and_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = await killed_and_damaged(tmp_path / "killed")
    log = Path(f"{store}-wal").read_bytes()
    assert main(["backup", str(store), str(tmp_path / "backup.db")]) == 1
    said = capsys.readouterr().out
    assert "verified" not in said
    assert "missing from" in said
    assert f"`sekkei recover {store}" in said
    assert Path(f"{store}-wal").read_bytes() == log


def test_a_damaged_schema_is_reported_by_all_who_look(data: Path, tmp_path: Path) -> None:
    spoil_schema(data / "sekkei.db")
    assert main(["backup", str(data), str(tmp_path / "backup.db")]) == 1
    assert main(["verify", str(tmp_path / "backup.db")]) in (1, 2)
    assert main(["verify", str(data)]) in (1, 2)
    assert main(["restore", str(tmp_path / "backup.db"), str(tmp_path / "restored")]) in (1, 2)


def damage(file: Path) -> None:
    connection = apsw.Connection(str(file))
    connection.execute("UPDATE items_1 SET item = CAST(replace(item, 'original', 'changed') AS BLOB)")
    connection.close()


def test_a_store_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backup", str(tmp_path / "none"), str(tmp_path / "x.db")]) == 2
    assert "There is no file" in capsys.readouterr().err
