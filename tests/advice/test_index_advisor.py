"""Which index answers a question, and what is proposed when none does."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import Enum

import pytest

from examples.github import issues
from examples.online_shop import invoices, orders
from sekkei.advice.index_advisor import NotAnAttribute, propose
from sekkei.design import Attr, Design, Index, Key, attr, model, part, template

moods = Design("moods")


class Mood(Enum):
    GOOD = "good"
    BAD = "bad"


@model
class Setting:
    id: Attr[str] = part()
    day: Attr[date | None] = attr(default=None)
    mood: Attr[Mood] = attr(default=Mood.GOOD)
    price: Attr[Decimal] = attr(default=Decimal(0))


@moods.table("settings", "PK").entity(Setting)
def settings(id: str) -> Key:
    return Key(id)


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


def test_numbers_have_a_width_and_few_values_are_warned_of() -> None:
    assert "{number:08d}" in propose(issues, ["status"], "number").code
    assert "{amount:012d}" in propose(invoices, ["amount"]).code
    assert any("a sparse index" in note for note in propose(settings, ["day"]).notes)
    assert any("few values" in note for note in propose(settings, ["mood"]).notes)
    with pytest.raises(NotAnAttribute, match="cannot stand inside a key"):
        propose(settings, ["price"])


def test_mistakes_name_what_there_is() -> None:
    with pytest.raises(NotAnAttribute, match=r"has no attribute colour\. It has: owner"):
        propose(issues, ["colour"])
    with pytest.raises(NotAnAttribute, match="at least one"):
        propose(issues, [])
