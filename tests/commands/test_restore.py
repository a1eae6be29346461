"""`sekkei restore`: exit codes, what it prints, and that nothing is overwritten unless told."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekkei.cli import main
from tests.commands.test_backup import damage
from tests.engine.upkeep.test_whole_file import make, note_of


@pytest.fixture
async def backup(tmp_path: Path) -> Path:
    await make(tmp_path / "old" / "sekkei.db", "original")
    assert main(["backup", str(tmp_path / "old"), str(tmp_path / "backup.db")]) == 0
    return tmp_path / "backup.db"


async def test_to_a_folder_or_a_file(backup: Path, tmp_path: Path) -> None:
    assert main(["restore", str(backup), str(tmp_path / "other")]) == 0
    assert await note_of(tmp_path / "other" / "sekkei.db") == "original"
    assert main(["restore", str(backup), str(tmp_path / "third.db")]) == 0
    assert await note_of(tmp_path / "third.db") == "original"


async def test_nothing_is_overwritten_unless_told(backup: Path, tmp_path: Path) -> None:
    await make(tmp_path / "new" / "sekkei.db", "newer")
    assert main(["restore", str(backup), str(tmp_path / "new")]) == 2
    assert await note_of(tmp_path / "new" / "sekkei.db") == "newer"
    assert main(["restore", str(backup), str(tmp_path / "new"), "--overwrite"]) == 0
    assert await note_of(tmp_path / "new" / "sekkei.db") == "original"


async def test_a_damaged_backup_is_not_restored(
    backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(backup)
    assert main(["restore", str(backup), str(tmp_path / "old"), "--overwrite"]) == 1
    assert "does not match its checksum" in capsys.readouterr().out
    assert await note_of(tmp_path / "old" / "sekkei.db") == "original"


def test_a_backup_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["restore", str(tmp_path / "none.db"), str(tmp_path / "data")]) == 2
    assert "There is no file" in capsys.readouterr().err
    assert not (tmp_path / "data" / "sekkei.db").exists()
