"""A command that reads makes nothing: no store, no folder, no secret. It says what is not there, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekkei.cli import main

READING = (
    "adopt orders --store typo.db --out shop.py",
    "import-design --table orders --store typo.db --out shop.py",
    "import-design --table orders --data typo --out shop.py",
    "tables diff tasks --store typo.db",
    "publish tasks --check --store typo.db",
    "run tasks one_team team_id=1 --data typo",
    "show tasks TEAM#1 --store typo.db",
    "tail tasks --store typo.db",
    "look tasks --store typo.db",
    "dead-letters list --data typo",
    "verify typo.db",
    "q reconcile --store typo.db",
    "q reconcile --data typo",
)


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("SEKKEI_STORE", "SEKKEI_DATA", "SEKKEI_SECRET"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize("command", READING)
def test_what_only_reads_makes_no_store(command: str, empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 2
    assert "There is no " in capsys.readouterr().err
    assert list(empty.iterdir()) == []


@pytest.mark.parametrize("command", ["dead-letters list", "run tasks one_team team_id=1", "adopt orders --out shop.py"])
def test_nor_one_that_the_environment_names(
    command: str, empty: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEKKEI_STORE", "typo.db")
    assert main(command.split()) == 2
    assert "There is no store typo.db" in capsys.readouterr().err
    assert list(empty.iterdir()) == []


@pytest.mark.parametrize("store", ["", "typo.db", ":memory:"])
def test_the_doctor_says_that_it_will_be_made(
    store: str, empty: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEKKEI_STORE", store)
    assert main(["doctor", "tasks", "--offline"]) == 0
    assert "not there yet; it will be made" in capsys.readouterr().out
    assert list(empty.iterdir()) == []
