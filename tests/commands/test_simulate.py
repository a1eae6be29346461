"""`sekkei simulate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekkei import cli
from sekkei.commands.simulate import sparkline


@pytest.fixture
def design(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "hot_shop.py").write_text("from tests.advice.test_costing import shop\ndesign = shop()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert cli.main(["measure", "hot_shop"]) == 0
    return "hot_shop"


def test_where_it_breaks(design: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    arguments = ["simulate", design, "--users", "1M", "--rate", "finish=1/h", "--minutes", "5"]
    assert cli.main(arguments) == 0
    assert "refused calls" in capsys.readouterr().out
    assert cli.main([*arguments[:-2], "--minutes", "5", "--rate", "finish=1/min", "--format", "json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["places"]["things.by_state"]["refused"] > 0.5
    assert said["patterns"]["finish"] > 0.5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--users", "1M"], "Say what one user does"),
        (["--users", "many", "--rate", "finish=1/h"], "is no number"),
        (["--users", "1M", "--rate", "nothing=1/h"], "has no pattern nothing"),
        (["--users", "1M", "--rate", "finish=1/h", "--hot", "finish=very"], "is no popularity"),
        (["--users", "1M", "--rate", "finish=1/h", "--minutes", "0"], "--minutes"),
    ],
)
def test_mistakes(design: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["simulate", design, *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_line_of_bars() -> None:
    assert sparkline([0.0, 0.01, 1.0]) == "·▁█"


def test_as_a_drawing(design: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["simulate", design, "--users", "1M", "--rate", "finish=1/min", "--minutes", "5"]
    assert cli.main([*asked, "--svg", str(tmp_path / "heat.svg")]) == 1
    assert "things.by_state" in (tmp_path / "heat.svg").read_text("utf-8")
    assert cli.main([*asked, "--svg", str(tmp_path / "nowhere" / "heat.svg")]) == 2
    assert "cannot be written" in capsys.readouterr().err
