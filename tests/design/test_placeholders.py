"""Plans show arguments by name, also when a pattern reckons with them; no made-up value shows."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

import pytest

from sekkei.design import Attr, Design, Key, Query, Update, attr, model, part


@model
class Doc:
    name: Attr[str] = part()
    rev: Attr[int] = part()
    latest: Attr[int] = attr(default=0)
    price: Attr[Decimal] = attr(default=Decimal(0))
    day: Attr[date | None] = attr(default=None)
    at: Attr[datetime | None] = attr(default=None)
    kind: Attr[Literal["draft", "final"]] = attr(default="draft")


design = Design("docs")
table = design.table("docs", "PK", "SK")


@table.entity(Doc)
def docs(name: str, rev: int) -> Key:
    return Key(f"DOC#{name}", f"REV#{rev:06d}")


def condition(function: Any) -> str:
    made = Design("docs").pattern(function)
    return str(made.plans[0].filter.partition(" AND attribute_exists")[0])


def minus(name: str, rev: int) -> Update[Doc]:
    """x"""
    return docs.update(name, rev).set(Doc.kind, "final").when(Doc.latest == rev - 1)


def twice(name: str, rev: int) -> Update[Doc]:
    """x"""
    return docs.update(name, rev).set(Doc.kind, "final").when(Doc.latest == 100 - rev * 2)


def priced(name: str, rev: int, price: Decimal) -> Update[Doc]:
    """x"""
    return docs.update(name, rev).set(Doc.kind, "final").when(Doc.price <= price + 1)


def week(name: str, rev: int, day: date) -> Update[Doc]:
    """x"""
    return docs.update(name, rev).set(Doc.kind, "final").when(Doc.day > day - timedelta(days=7))


def later(name: str, rev: int, at: datetime) -> Update[Doc]:
    """x"""
    return docs.update(name, rev).set(Doc.kind, "final").when(Doc.at > at + timedelta(minutes=5))


def kinds(name: str, rev: int, kind: Literal["draft", "final"]) -> Update[Doc]:
    """x"""
    return docs.update(name, rev).set(Doc.kind, "final").when(Doc.kind == kind)


@pytest.mark.parametrize(
    ("function", "shown"),
    [
        (minus, "latest = {rev - 1}"),
        (twice, "latest = {100 - rev * 2}"),
        (priced, "price <= {price + 1}"),
        (week, 'day > "{day - 7 days}"'),
        (later, 'at > "{at + 0:05:00}"'),
        (kinds, 'kind = "{kind}"'),
    ],
)
def test_reckoning_shows(function: Any, shown: str) -> None:
    assert condition(function) == shown


def test_keys_of_reckoned_numbers_show_too() -> None:
    def before(name: str, rev: int) -> Query[Doc]:
        """x"""
        return docs.where(Doc.name == name, Doc.rev <= rev - 1)

    plan = Design("docs").pattern(before).plans[0]
    assert plan.key == 'PK = "DOC#{name}" AND SK <= "REV#{rev - 1}"'
