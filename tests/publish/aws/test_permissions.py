"""Who may do what: no more than patterns and the work of a system ask."""

from __future__ import annotations

import pytest

from sekkei.design.loading import load
from sekkei.publish.aws import permissions

SYSTEMS = ("chiipochi", "eventbot", "lessons", "q", "tasks")
NEVER = ("CreateTable", "DeleteTable", "UpdateTable", "*", "PartiQL", "RestoreTable", "ExportTable")


@pytest.mark.parametrize("system", SYSTEMS)
def test_nothing_that_changes_tables_and_no_stars(system: str) -> None:
    for statement in permissions.statements(load(system), scan=True):
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
    assert not any("dynamodb:Scan" in each["Action"] for each in permissions.statements(load("tasks"), scan=True))
    assert any("dynamodb:Scan" in each["Action"] for each in permissions.statements(load("q"), scan=True))
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
