"""`sekkei check`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from sekkei import cli


def test_findings_in_words_and_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["check", "sekkei.runtime", "--format", "json"])
    said = json.loads(capsys.readouterr().out)
    assert {"rule", "severity", "place", "finding", "figure", "fact", "remedy", "accepted"} == set(said["findings"][0])


def test_sarif_has_what_the_schema_requires(capsys: pytest.CaptureFixture[str]) -> None:
    """SARIF 2.1.0 (OASIS): version and runs; a run has a tool, a driver a name, a rule an id, a result a message with
    a text, a suppression a kind; levels, lines and URIs are of the allowed kinds."""
    cli.main(["check", "q", "tasks", "--format", "sarif"])
    said = json.loads(capsys.readouterr().out)  # one document, also of several designs
    assert said["version"] == "2.1.0"
    assert [run["automationDetails"]["id"] for run in said["runs"]] == ["sekkei/q/", "sekkei/tasks/"]
    for run in said["runs"]:
        assert run["tool"]["driver"]["name"]
        known = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        assert len(known) == len(set(known))
        for result in run["results"]:
            assert result["message"]["text"].strip()
            assert result["ruleId"] in known
            assert result["level"] in ("error", "warning", "note", "none")
            (location,) = result["locations"]
            assert location["logicalLocations"][0]["fullyQualifiedName"]
            assert location["physicalLocation"]["region"]["startLine"] >= 1
            assert re.fullmatch(r"[\w./:%~-]+", location["physicalLocation"]["artifactLocation"]["uri"])
            assert all(each["kind"] in ("inSource", "external") for each in result.get("suppressions", []))


def test_a_finding_about_a_pattern_names_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["check", "eventbot", "--format", "sarif"])
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    at = {one["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]: one["locations"][0] for one in results}
    physical = at["eventbot/join"]["physicalLocation"]
    uri, line = physical["artifactLocation"]["uri"], physical["region"]["startLine"]
    path = Path(unquote(urlsplit(uri).path)) if uri.startswith("file:") else Path(unquote(uri))
    lines = path.read_text("utf-8").splitlines()[line - 1 : line + 3]
    assert any(text.startswith("def join(") for text in lines)


def test_several_designs_are_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["check", "q", "tasks", "--format", "json"])
    assert [each["design"] for each in json.loads(capsys.readouterr().out)] == ["q", "tasks"]
    assert cli.main(["check", "q", "nothing", "--format", "json"]) == 2
    assert capsys.readouterr().out == ""  # all or none


def test_every_rule_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(1, 49):
        assert cli.main(["check", "--explain", f"R{number}"]) == 0
        title, *rest = capsys.readouterr().out.splitlines()
        assert title.startswith(f"R{number} ")
        assert rest


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
        (["q", "--users", ""], "is no number"),
        (["q", "--users", "nan"], "is no number"),
    ],
)
def test_mistakes(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", *arguments]) == 2
    assert said in capsys.readouterr().err
