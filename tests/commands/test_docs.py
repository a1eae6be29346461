"""`sekkei docs`: exit codes and what it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekkei.cli import main
from sekkei.design import Measurements, Units


def test_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", "lessons", "--lang", "en"]) == 0
    assert "## user_lessons" in capsys.readouterr().out


def test_to_a_file_and_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "deep" / "lessons.html"
    command = ["docs", "lessons", "--format", "html", "--out", str(path)]
    assert main([*command, "--check"]) == 1
    assert "stale" in capsys.readouterr().out
    assert main(command) == 0
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert main([*command, "--check"]) == 0
    path.write_text("old", encoding="utf-8")
    assert main([*command, "--check"]) == 1
    assert path.read_text(encoding="utf-8") == "old"


def test_measured_units_beside_the_file(tmp_path: Path) -> None:
    Measurements({"all_of_user": Units(2.5, 0.0, 4)}).save(tmp_path / "lessons.units.json")
    path = tmp_path / "lessons.en.md"
    assert main(["docs", "lessons", "--lang", "en", "--out", str(path)]) == 0
    assert "2.5 read units, 4 items" in path.read_text(encoding="utf-8")


def test_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", "lessons", "--check"]) == 2
    assert main(["docs", "nobody"]) == 2
    assert "SK148" in capsys.readouterr().err
