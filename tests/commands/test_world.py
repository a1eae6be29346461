"""`sekkei world`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sekkei import cli
from sekkei.commands.world import EXAMPLES

CARELESS = "from tests.worlds.bank import CarelessBank, script\nWORLD = script(CarelessBank)\n"


@pytest.fixture
def careless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "careless_world.py").write_text(CARELESS)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "careless_world"


def test_what_breaks_is_told_saved_and_run_again(
    careless: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "failed.json"
    assert cli.main(["world", careless, "--count", "6", "--save", str(saved)]) == 1
    said = capsys.readouterr().out
    assert "6 seeds" in said
    assert saved.exists()
    assert cli.main(["world", careless, "--replay", str(saved)]) == 1
    said = capsys.readouterr().out
    assert "customer-1" in said
    assert "digest" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "has no world"),
        (["careless_world", "--count", "0"], "--count"),
        (["careless_world", "--focus", "sleeps"], "Nobody does sleeps"),
        (["careless_world", "--replay", "no-such-file"], "is no file of failed seeds"),
    ],
)
def test_mistakes(careless: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["world", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_the_operations_of_the_examples_are_there() -> None:
    from sekkei_systems.tasks.world import WORLD

    (named,) = re.findall(r"sekkei world tasks --focus (\S+)", EXAMPLES)
    assert set(named.split(",")) <= {each.name for each in WORLD.operations}
