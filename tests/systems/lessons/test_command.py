from __future__ import annotations

from pathlib import Path

import pytest

from sekkei.cli import main
from tests.systems.lessons.rules.test_timetable import CSV


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, store = tmp_path / "a.csv", str(tmp_path / "store.db")
    file.write_text(CSV.replace("2025", "2199"), encoding="utf-8")
    command = ["lessons", "import", str(file), "--store", store]
    assert main([*command, "--dry-run"]) == 0
    assert not Path(store).exists()
    assert "would be added" in capsys.readouterr().out
    assert main(command) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["added", "2"]
    assert main(command) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["added", "0"]
    file.write_text(CSV, encoding="utf-8")
    assert main(command) == 1, "lessons of the past"
    assert main(["lessons", "import", str(tmp_path / "none.csv"), "--store", store]) == 2


def test_the_studio_is_described_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["lessons", "studio", "--help"])
    assert "--lag" in capsys.readouterr().out
