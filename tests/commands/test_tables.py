"""`sekkei tables`: exit codes and what it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekkei.cli import main


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "sekkei.db")


def test_create_makes_what_is_missing(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "create", "lessons", "--store", store]) == 0
    out = capsys.readouterr().out
    assert "made user_lessons\n" in out
    assert main(["tables", "create", "sekkei_systems.lessons.design:design", "--store", store]) == 0
    assert "0 of" in capsys.readouterr().out


def test_diff_finds_and_apply_repairs(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "create", "sekkei.runtime", "--store", store]) == 0
    assert main(["tables", "diff", "sekkei_systems.q", "--store", store, "--env", "prod"]) == 1
    assert "prod-q-Users: is missing" in capsys.readouterr().out
    assert main(["tables", "apply", "q", "--store", store, "--env", "prod"]) == 0
    assert "done: prod-q-Users: is missing" in capsys.readouterr().out
    assert main(["tables", "diff", "q", "--store", store, "--env", "prod"]) == 0
    assert "tables are as the design says" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["nobody", "sekkei_systems.q.design:nobody", "sekkei.clock", ""])
def test_a_design_that_is_none(name: str, store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "diff", name, "--store", store]) == 2
    assert "SK148" in capsys.readouterr().err


def test_a_name_that_does_not_differ(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "apply", "lessons", "--store", store, "--replace", "typo"]) == 2
    assert "SK601" in capsys.readouterr().err
