"""Who may do what: no more than patterns and the work of a system ask."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.design import Design
from sekkei.design.loading import find, load
from sekkei.design.patterns import Plan
from sekkei.publish.aws import calls, permissions
from tests.advice.conftest import thing_design

SYSTEMS = ("chiipochi", "eventbot", "lessons", "q", "tasks")
ASKED_BY_NOBODY = {
    "lessons": {"of_kind_between"},
    "q": {"contact", "reaction_of", "user_by_app_id", "user_by_email", "user_by_username"},
}
"""Patterns and indexes of the designs as they were handed down, which the systems have better ways for."""
NEVER = ("CreateTable", "DeleteTable", "UpdateTable", "*", "PartiQL", "RestoreTable", "ExportTable")


@pytest.mark.parametrize("system", SYSTEMS)
def test_nothing_that_changes_tables_and_no_stars(system: str) -> None:
    for statement in permissions.statements(load(system), function="work"):
        assert not any(word in action for action in statement["Action"] for word in NEVER)
        assert "*" not in str(statement["Resource"])


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_index_that_a_pattern_reads_and_no_other(system: str) -> None:
    design = load(system)
    read = {(plan.table, plan.index) for p in design.patterns.values() for plan in p.plans if plan.index}
    allowed = str(permissions.statements(design))
    for table in design.tables.values():
        for index in table.indexes:
            assert (f"/index/{index}'" in allowed) or (table.name, index) not in read
    assert allowed.count("/index/") == len(read)


def test_a_scan_only_where_a_pattern_says_why() -> None:
    assert not any("dynamodb:Scan" in each["Action"] for each in permissions.statements(load("tasks"), function="work"))
    assert any("dynamodb:Scan" in each["Action"] for each in permissions.statements(load("q"), function="work"))
    assert not any("dynamodb:Scan" in each["Action"] for each in permissions.statements(load("q")))


def test_one_pattern_bound_to_one_user() -> None:
    design = load("tasks")
    (statement,) = permissions.of_pattern(design.patterns["one_user"], design, "USER#${aws:PrincipalTag/user}")
    assert statement["Action"] == ["dynamodb:GetItem"]
    assert statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"] == [
        "USER#${aws:PrincipalTag/user}"
    ]


def test_leading_keys_never_stand_beside_a_scan() -> None:
    design = load("q")
    scanning = next(p for p in design.patterns.values() if any(plan.operation == "Scan" for plan in p.plans))
    for statement in permissions.of_pattern(scanning, design, "USER#x"):
        assert "Condition" not in statement or "dynamodb:Scan" not in statement["Action"]


def noted(system: str) -> dict[str, set[str]]:
    """Whatever any function of a system was seen to ask, by table or index."""
    _, home = find(system)
    found: dict[str, set[str]] = {}
    for resources in (calls.load(calls.beside(home)) or {}).values():
        for resource, actions in resources.items():
            found.setdefault(resource, set()).update(actions)
    return found


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_pattern_is_permitted_to_some_function(system: str) -> None:
    design, allowed = load(system), noted(system)
    refused = set()
    for pattern in design.patterns.values():
        for statement in permissions.of_pattern(pattern, design):
            (action,) = (each.removeprefix("dynamodb:") for each in statement["Action"])
            plan = next(each for each in pattern.plans if _arn(design, each) == statement["Resource"])
            resource = plan.table if plan.index is None else f"{plan.table}/index/{plan.index}"
            refused |= set() if action in allowed.get(resource, set()) else {pattern.name}
    assert refused == ASKED_BY_NOBODY.get(system, set()), "run the pattern in a test, then `make renew WHAT=calls`"


def _arn(design: Design, plan: Plan) -> list[Any]:
    table = design.tables[plan.table]
    return [permissions.arn_of(table) if plan.index is None else permissions.index_arn(table, plan.index)]


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_index_is_permitted_that_no_pattern_reads(system: str) -> None:
    design = load(system)
    read = {f"{plan.table}/index/{plan.index}" for each in design.patterns.values() for plan in each.plans}
    assert {resource for resource in noted(system) if "/index/" in resource} <= read


def test_each_function_may_do_what_it_does() -> None:
    design, _ = thing_design()
    seen = {"small": {"http": {"things": ["GetItem"]}, "stream": {"things": ["UpdateItem"]}, "process": {}}}
    for function, actions in {"http": ["dynamodb:GetItem"], "stream": ["dynamodb:UpdateItem"]}.items():
        (statement,) = permissions.statements(design, function=function, noted=seen)
        assert statement["Action"] == actions
    assert permissions.statements(design, function="work", noted=seen) == []


@pytest.mark.parametrize("system", SYSTEMS)
def test_pages_scan_only_what_a_pattern_gives_a_reason_for(system: str) -> None:
    """Q. reads its list of forbidden words, which is a scan, wherever somebody writes."""
    design, home = find(system)
    noted_calls = {design.name: calls.load(calls.beside(home)) or {}}
    scanned = set()
    for function in ("http", "stream"):
        found = permissions.statements(design, function=function, noted=noted_calls)
        scanned |= {str(arn) for each in found if "dynamodb:Scan" in each["Action"] for arn in each["Resource"]}
    assert system != "q" or str(permissions.arn_of(design.tables["NGWords"])) in scanned
    reasons = {plan.table for each in design.patterns.values() for plan in each.plans if plan.operation == "Scan"}
    assert scanned <= {str(permissions.arn_of(design.tables[name])) for name in reasons}
