"""The whole check: order, acceptance, formats."""

from __future__ import annotations

import json

import pytest

from sekkei.advice.checking import check, is_clean
from sekkei.advice.findings import FORMATS, Checked
from sekkei.design import DesignError, Index
from tests.advice.conftest import thing_design


def test_what_is_accepted_carries_its_reason() -> None:
    design, _ = thing_design(pitr=False)
    assert not is_clean(check(design))
    design.accept("R47", "things", "made anew every night")
    found = check(design)
    assert is_clean(found)
    assert [each.accepted for each in found if each.rule.id == "R47"] == ["made anew every night"]


def test_an_acceptance_that_meets_nothing_is_a_finding() -> None:
    design, _ = thing_design()
    design.accept("R47", "things", "it was once")
    (found,) = check(design)
    assert found.severity == "warning"
    assert "take the line away" in found.text


def test_an_acceptance_needs_a_reason() -> None:
    design, _ = thing_design()
    with pytest.raises(DesignError, match="SK170"):
        design.accept("R47", "things", " ")


def test_the_gravest_come_first() -> None:
    design, _ = thing_design(Index("by_state", "state", "at"), stream="KEYS_ONLY", pitr=False)
    severities = [each.severity for each in check(design)]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)


@pytest.mark.parametrize("how", FORMATS)
def test_every_format_says_what_was_found(how: str) -> None:
    design, _ = thing_design(pitr=False)
    said = FORMATS[how]([Checked(design.name, check(design))])
    assert "R47" in said
    assert "things" in said


def test_sarif_says_what_is_suppressed() -> None:
    design, _ = thing_design(pitr=False)
    design.accept("R47", "things", "made anew every night")
    (run,) = json.loads(FORMATS["sarif"]([Checked(design.name, check(design))]))["runs"]
    (result,) = run["results"]
    assert result["suppressions"] == [{"kind": "inSource", "justification": "made anew every night"}]
    assert "R47" in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
