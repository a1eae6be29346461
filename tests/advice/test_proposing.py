"""Which index answers a question, and what is proposed when none does."""

from __future__ import annotations

import pytest

from examples.github import Issue, design, issues
from examples.online_shop import orders
from sekkei.advice.proposing import NotAnAttribute, propose
from sekkei.design import Attr, Design, Index, Key, attr, model, part, template


def test_what_is_served_already() -> None:
    assert propose(issues, ["owner", "name"], "number").served_by == f"table {issues.table.name}"
    assert propose(issues, ["owner", "name", "status"], "number").served_by == "index GSI4"
    found = propose(orders, ["customer_id"], "at")
    assert (found.served_by, found.how) == ("index GSI1", "customer_id = … AND at by order or range")


def test_what_is_not_served_is_proposed_and_then_is() -> None:
    found = propose(issues, ["status"], "title")
    assert not found.served_by
    assert 'Index("GSI1", "GSI1PK", "GSI1SK")' in found.code
    assert any("write units again" in note for note in found.notes)
    made = Design("again")
    table = made.table("again", "PK", "SK", indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])

    @model
    class Again:
        owner: Attr[str] = part()
        name: Attr[str] = part()
        number: Attr[int] = part()
        title: Attr[str] = attr()
        status: Attr[str] = attr()
        gsi1pk: Attr[str] = template(_between(found.code, "gsi1pk"), "GSI1PK")
        gsi1sk: Attr[str] = template(_between(found.code, "gsi1sk"), "GSI1SK")

    @table.entity(Again)
    def again(owner: str, name: str, number: int) -> Key:
        return Key(f"REPO#{owner}#{name}", f"ISSUE#{number:08d}")

    made.check()
    assert propose(again, ["status"], "title").served_by == "index GSI1"


def _between(code: str, name: str) -> str:
    return next(line.split('"')[1] for line in code.splitlines() if line.startswith(name))


def test_notes_warn_of_few_values_and_of_numbers() -> None:
    notes = " ".join(propose(issues, ["status"], "number").notes)
    assert "{number:012d}" in notes
    assert design.name == "github"
    assert Issue.__name__ in propose(issues, ["status"]).code


def test_mistakes_name_what_there_is() -> None:
    with pytest.raises(NotAnAttribute, match=r"has no attribute colour\. It has: owner"):
        propose(issues, ["colour"])
    with pytest.raises(NotAnAttribute, match="at least one"):
        propose(issues, [])
