"""`sekkei cost`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekkei import cli
from sekkei.advice.quantities import count_of, rate_of


@pytest.fixture
def design(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A design of somebody's own, measured."""
    (tmp_path / "own_shop.py").write_text("from tests.advice.test_costing import shop\ndesign = shop()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert cli.main(["measure", "own_shop"]) == 0
    return "own_shop"


def test_a_month(design: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert cli.main(["cost", design, "--rate", "finish=50/s", "--items", "things=10M"]) == 0
    said = capsys.readouterr().out
    assert "A month in us-east-1, at prices of" in said
    assert "things.by_state" in said
    assert cli.main(["cost", design, "--rate", "finish=50/s", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["on_demand"] > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rate", "nothing=1/s"], "has no pattern nothing"),
        (["--rate", "finish=1"], "is no rate"),
        (["--rate", "finish=-1/s"], "is no number of anything"),
        (["--rate", "finish"], "write NAME=VALUE, such as default_board=50/s"),
        (["--items", "nothing=1"], "has no table nothing"),
        (["--items", "things=1M", "--region", "mars-1"], "No prices for mars-1"),
        (["--items", "things=1M", "--peak", "0"], "--peak 0"),
        ([], "Say how busy it is"),
    ],
)
def test_mistakes(design: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["cost", design, *arguments]) == 2
    assert said in capsys.readouterr().err


def test_rates_and_counts() -> None:
    assert (rate_of("50/s"), rate_of("30/min"), rate_of("1M/day")) == (50.0, 0.5, pytest.approx(1e6 / 86_400))
    assert (rate_of("0.5/s"), rate_of("1.5/min")) == (0.5, 0.025), "a rate need not be whole"
    assert (count_of("2000"), count_of("1.5k"), count_of("10M"), count_of("2G")) == (2000, 1500, 10**7, 2 * 10**9)


def declared(folder: Path, text: str = "[patterns]\nfinish = 20\n") -> list[str]:
    path = folder / "shop.traffic.toml"
    path.write_text(text, "utf-8")
    return ["--traffic", str(path)]


def test_so_many_users(design: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shop = ["cost", design, *declared(tmp_path)]
    capsys.readouterr()
    assert cli.main([*shop, "--users", "1k,10M"]) == 0
    said = capsys.readouterr().out
    assert "10,000,000" in said
    assert "Where it breaks, nearest first" in said
    assert cli.main([*shop, "--users", "1k,10M", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)[design]
    assert found["users"]["10000000"]["on_demand"] > found["users"]["1000"]["on_demand"]
    assert found["walls"]
    assert cli.main([*shop, "--users", "1k", "--region", "ap-northeast-1"]) == 0
    assert "without what is unknown" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "text", "said"),
    [
        (["--users", "many"], "", "is no number"),
        (["--users", "0"], "", "give 1 to 10G"),
        (["--users", "-5"], "", "is no number of anything"),
        (["--users", "1k", "--rate", "finish=1/s"], "", "leave --rate and --items out"),
        (["--users", "1k", "--region", "moon-1"], "", "No prices for moon-1"),
        (["--users", "1k"], "[patterns]\nflies = 1", "has no pattern flies"),
        (["--users", "1k"], "[journeys]\nflies = 1", "has no journey flies"),
        (["--users", "1k"], "[patterns]\nfinish = -1", "is no number of times"),
        (["--users", "1k", "--traffic", "nowhere.toml"], "", "is not there"),
        (["--format", "md", "--rate", "finish=1/s"], "", "go with --users"),
    ],
)
def test_users_that_make_no_sense(
    design: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], text: str, said: str
) -> None:
    assert cli.main(["cost", design, *declared(tmp_path, text), *arguments]) == 2
    assert said in capsys.readouterr().err


def test_learned_from_cloudwatch(design: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    times = ["2026-11-15T09:00:00Z", "2026-11-15T09:01:00Z"]
    result = {"Label": "things ConsumedReadCapacityUnits", "Timestamps": times, "Values": [120.0, 0.0]}
    metrics = tmp_path / "metrics.json"
    metrics.write_text(json.dumps({"MetricDataResults": [result]}), "utf-8")
    capsys.readouterr()
    assert cli.main(["cost", design, "--learn", str(metrics), "--items", "things=1k"]) == 0
    said = capsys.readouterr().out
    assert "From CloudWatch of 0.0 hours; the busiest minute has 2.0 times the average" in said
    assert cli.main(["cost", design, "--learn", str(metrics), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["on_demand"] == pytest.approx(1.0 * 730 * 3600 / 1e6 * 0.125)


@pytest.mark.parametrize(
    ("content", "more", "said"),
    [
        (b"\xff\xfe", [], "it is no text"),
        (b"[1]", [], "it is JSON, but no noted run"),
        (None, [], "No such file"),
        (b"{}", ["--rate", "finish=1/s"], "without --rate"),
    ],
)
def test_what_cannot_be_learned(
    design: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, more: list[str], said: str
) -> None:
    path = tmp_path / "file"
    if content is not None:
        path.write_bytes(content)
    assert cli.main(["cost", design, "--learn", str(path), *more]) == 2
    assert said in capsys.readouterr().err
