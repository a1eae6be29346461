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
