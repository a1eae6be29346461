"""`sekkei backup` and `sekkei restore`: exit codes, what they print, and that nothing is overwritten."""

from __future__ import annotations

import re
from pathlib import Path

import apsw
import pytest

from sekkei.cli import main
from tests.engine.upkeep.test_whole_file import make, note_of


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    await make(folder / "sekkei.db", "original")
    return folder


async def test_there_and_back(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    backup = tmp_path / "backup.db"
    assert main(["backup", str(data), str(backup)]) == 0
    assert re.fullmatch(rf"{re.escape(str(backup))}: [\d,]+ bytes, verified\.\n", capsys.readouterr().out)
    assert main(["restore", str(backup), str(tmp_path / "other")]) == 0
    assert await note_of(tmp_path / "other" / "sekkei.db") == "original"
    assert main(["restore", str(backup), str(tmp_path / "third.db")]) == 0
    assert await note_of(tmp_path / "third.db") == "original"


def test_a_folder_gets_a_file_with_the_time_in_its_name(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    assert main(["backup", str(data / "sekkei.db"), str(folder)]) == 0
    (made,) = folder.iterdir()
    assert main(["backup", str(data), f"{tmp_path}/new/"]) == 0
    assert [path.suffix for path in (tmp_path / "new").iterdir()] == [".db"], "a folder that was not there yet"
    assert re.fullmatch(r"sekkei-\d{8}T\d{6}Z\.db", made.name)


async def test_nothing_is_overwritten_unless_told(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    backup = tmp_path / "backup.db"
    backup.write_text("mine")
    assert main(["backup", str(data), str(backup)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert backup.read_text() == "mine"
    backup.unlink()
    assert main(["backup", str(data), str(backup)]) == 0
    await make(tmp_path / "new" / "sekkei.db", "newer")
    assert main(["restore", str(backup), str(tmp_path / "new")]) == 2
    assert await note_of(tmp_path / "new" / "sekkei.db") == "newer"
    assert main(["restore", str(backup), str(tmp_path / "new"), "--overwrite"]) == 0
    assert await note_of(tmp_path / "new" / "sekkei.db") == "original"


async def test_a_damaged_backup_is_not_restored(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    backup = tmp_path / "backup.db"
    assert main(["backup", str(data), str(backup)]) == 0
    connection = apsw.Connection(str(backup))
    connection.execute("UPDATE items_1 SET item = CAST(replace(item, 'original', 'changed') AS BLOB)")
    connection.close()
    assert main(["restore", str(backup), str(data), "--overwrite"]) == 1
    assert "does not match its checksum" in capsys.readouterr().out
    assert await note_of(data / "sekkei.db") == "original"
    assert main(["backup", str(backup), str(tmp_path / "again.db")]) == 1


def test_what_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backup", str(tmp_path / "none"), str(tmp_path / "x.db")]) == 2
    assert main(["restore", str(tmp_path / "none.db"), str(tmp_path / "data")]) == 2
    assert capsys.readouterr().err.count("There is no file") == 2
    assert not (tmp_path / "data" / "sekkei.db").exists()
