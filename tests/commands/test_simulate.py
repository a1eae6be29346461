"""`sekkei simulate`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from sekkei import cli
from sekkei.advice.workload import beside
from sekkei.commands.simulate import sparkline
from sekkei.design.loading import find


@pytest.fixture
def design(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delitem(sys.modules, "hot_shop", raising=False)
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
        (["--users", "0", "--rate", "finish=1/h"], "give 1 to 10G"),
        (["--users", "nan", "--rate", "finish=1/h"], "is no number"),
        (["--users", "1e999", "--rate", "finish=1/h"], "is no number"),
        (["--users", "-5", "--rate", "finish=1/h"], "is no number"),
        (["--users", "1M", "--rate", "finish=1/hour"], "is no rate"),
        (["--users", "1M", "--rate", "finish=9M/s"], "nobody does that"),
        (["--users", "1M", "--rate", "finish=1/h", "--hot", "finsh=one"], "--hot finsh: no --rate speaks of it"),
        (["--users", "1M", "--rate", "finish=1/h", "--shard", "thing=4"], "has no table or index thing"),
        (["--users", "1M", "--rate", "finish=1/h", "--shard", "things=0"], "give 1 to"),
        (["--users", "1M", "--rate", "finish=1/h", "--items", "thing=4"], "has no table thing"),
        (["--users", "1M", "--rate", "finish=1/h", "--quota", "0"], "--quota"),
        (["--users", "1M", "--rate", "finish=1/h", "--ramp", "-1"], "--ramp"),
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


def test_growing_slowly_and_what_is_stored(design: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    asked = ["simulate", design, "--users", "1M", "--rate", "finish=1/min", "--minutes", "60", "--format", "json"]
    at_once, slowly = ([], ["--ramp", "60", "--items", "things=1G"])
    found = []
    for options in (at_once, slowly):
        assert cli.main([*asked, *options]) == 1
        found.append(json.loads(capsys.readouterr().out))
    assert found[1]["places"]["things"]["refused"] < found[0]["places"]["things"]["refused"]
    assert found[1]["places"]["things"]["partitions_by_minute"][0] > 10
    assert found[1]["minutes"][0]["asked"] < found[1]["minutes"][-1]["asked"]


def test_the_quota_is_awss_until_it_is_raised(design: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    asked = ["simulate", design, "--users", "10M", "--rate", "finish=1/min", "--minutes", "5", "--items", "things=10G"]
    assert cli.main(asked) == 1
    assert "TableWriteAccountLimitExceeded" in capsys.readouterr().out
    assert cli.main([*asked, "--quota", "1M"]) == 1
    said = capsys.readouterr().out
    assert "AccountLimitExceeded" not in said
    assert "IndexWriteKeyRangeThroughputExceeded" in said


def test_what_is_declared_beside_the_design(design: str, capsys: pytest.CaptureFixture[str]) -> None:
    beside(find(design)[1]).write_text("peak = 2\n[patterns]\nfinish = 86400\n[items]\nthings = 10\n")
    capsys.readouterr()
    assert cli.main(["simulate", design, "--users", "1k", "--minutes", "2", "--format", "json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["minutes"][0]["asked"] == pytest.approx(2_000)  # one a second, in an hour twice as busy as others
    assert cli.main(["simulate", design, "--users", "1k", "--hot", "finish=one"]) == 2
    assert "go with --rate" in capsys.readouterr().err
