"""`sekkei snapshot`: a store goes back to a named moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekkei.cli import main
from sekkei.store import Embedded
from tests.design.example import Team, design, teams


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with design.open_sync(Embedded(tmp_path / "sekkei.db")) as db:
        db.create_tables()
        db.write(teams.create(Team(team_id="t", name="x")))
    return tmp_path


def run(data: Path, *arguments: str) -> int:
    return main(["snapshot", *arguments, "--data", str(data)])


def test_take_change_and_go_back(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "take", "first") == 0
    with design.open_sync(Embedded(data / "sekkei.db")) as db:
        db.write(teams.delete("t"))
    assert run(data, "restore", "first") == 0
    with design.open_sync(Embedded(data / "sekkei.db")) as db:
        assert db.get(teams("t")) is not None
    assert run(data, "list") == 0
    assert "first" in capsys.readouterr().out.splitlines()
    assert run(data, "drop", "first") == 0
    assert run(data, "list") == 0
    assert "There are no snapshots." in capsys.readouterr().out


def test_a_store_in_use_can_be_taken_but_not_replaced(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with design.open_sync(Embedded(data / "sekkei.db")) as db:
        db.write(teams.delete("t"))
        assert run(data, "take", "gone") == 0
    with design.open_sync(Embedded(data / "sekkei.db")) as db:
        assert db.get(teams("t")) is None


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["restore", "nobody"], "There is no snapshot 'nobody'. There are: none."),
        (["drop", "nobody"], "There is no snapshot"),
        (["take"], "needs a name"),
        (["take", "../x"], "no name for a snapshot"),
    ],
)
def test_what_cannot_be_done(data: Path, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, *arguments) == 2
    assert told in capsys.readouterr().err


def test_a_store_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "nowhere", "take", "x") == 2
    assert "There is no file" in capsys.readouterr().err
