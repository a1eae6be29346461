"""`sekkei measure`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekkei import cli


def test_figures_are_shown_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "units.json"
    assert cli.main(["measure", "eventbot", "--items", "60", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "events_of_guild" in said
    assert json.loads(out.read_text())["events_of_guild"]["read"] > 0


def test_dearer_than_before_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "units.json"
    cli.main(["measure", "eventbot", "--out", str(out)])
    assert cli.main(["measure", "eventbot", "--out", str(out), "--check"]) == 0
    kept = json.loads(out.read_text())
    kept["events_of_guild"]["read"] = 0.1
    out.write_text(json.dumps(kept))
    assert cli.main(["measure", "eventbot", "--out", str(out), "--check"]) == 1
    assert "Dearer than before:\n  events_of_guild" in capsys.readouterr().out


def test_what_is_no_design(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["measure", "nothing"]) == 2
    assert "names no design" in capsys.readouterr().err


def test_journeys_of_a_system(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "journeys.json"
    assert cli.main(["measure", "tasks", "--journeys", "--out", str(out)]) == 0
    assert "opens_the_board" in capsys.readouterr().out
    assert cli.main(["measure", "tasks", "--journeys", "--out", str(out), "--check"]) == 0
    assert "No journey has become dearer" in capsys.readouterr().out
    cheaper = out.read_text("utf-8").replace('"task-table-v3",\n', '"gone",\n').replace("0.5,", "0.0,")
    out.write_text(cheaper.replace("1.0,", "0.0,"), "utf-8")
    assert cli.main(["measure", "tasks", "--journeys", "--out", str(out), "--check"]) == 1


def test_only_systems_have_journeys(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["measure", "examples.github", "--journeys"]) == 2
    assert "has no journeys" in capsys.readouterr().err
