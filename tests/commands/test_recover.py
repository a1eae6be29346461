"""`sekkei recover`: exit codes and what it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekkei.cli import main
from sekkei.engine.upkeep.verify import verify_file
from tests.engine.upkeep.test_recover import items_table, make, pages_of, spoil


async def test_a_sound_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await make(tmp_path / "sekkei.db")
    assert main(["recover", str(tmp_path), "--out", str(tmp_path / "new.db")]) == 0
    assert "400 items saved" in capsys.readouterr().out
    assert list(verify_file(str(tmp_path / "new.db"))) == []


async def test_a_damaged_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sekkei.db"
    await make(path)
    spoil(path, pages_of(path, items_table(path))[5])
    assert main(["recover", str(path), "--out", str(tmp_path / "new.db")]) == 1
    said = capsys.readouterr().out
    assert "Table items: " in said
    assert "missing" in said


async def test_a_file_that_is_there_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "new.db").write_text("mine")
    assert main(["recover", str(tmp_path), "--out", str(tmp_path / "new.db")]) == 2
    assert "is there already" in capsys.readouterr().err
    assert (tmp_path / "new.db").read_text() == "mine"
