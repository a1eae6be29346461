"""`sekkei check`."""

from __future__ import annotations

import json

import pytest

from sekkei import cli


def test_findings_in_words_and_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["check", "sekkei.runtime", "--format", "json"])
    said = json.loads(capsys.readouterr().out)
    assert {"rule", "severity", "place", "finding", "figure", "fact", "remedy", "accepted"} == set(said["findings"][0])


def test_a_rule_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "--explain", "r24"]) == 0
    assert "R24 Writes that pay more" in capsys.readouterr().out
    assert cli.main(["check", "--explain", "all"]) == 0
    assert "kept by the library" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Name a design to check"),
        (["nothing"], "names no design"),
        (["--explain", "R99"], "There is no rule R99"),
    ],
)
def test_mistakes(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", *arguments]) == 2
    assert said in capsys.readouterr().err
