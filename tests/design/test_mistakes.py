"""Fourteen mistakes that people make in designs: every one is caught by mypy and pyright, or when the design loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.design.test_typing import errors_of_mypy, errors_of_pyright

BASE = '''\
from __future__ import annotations

from datetime import datetime

from sekkei.design import Attr, Design, Index, Key, Query, Update, attr, epoch, model, part, template


@model
class Order:
    customer: Attr[str] = part()
    number: Attr[int] = part()
    status: Attr[str] = attr(default="new")
    gsi1pk: Attr[str] = template("STATUS#{status}", "GSI1PK")
    expires: Attr[datetime | None] = attr(default=None, stored_as=epoch())


@model
class Payment:
    customer: Attr[str] = part()
    paid_id: Attr[str] = part()
    amount: Attr[int] = attr()
    gsi1pk: Attr[str] = template("PAID#{paid_id}", "GSI1PK")


design = Design("shop")
table = design.table(
    "shop", "PK", "SK", discriminator="type", ttl="expires", indexes=[Index("GSI1", "GSI1PK", "SK")]
)


@table.entity(Order, type="order")
def orders(customer: str, number: int) -> Key:
    return Key(f"C#{customer}", f"O#{number:06d}")


@table.entity(Payment, type="payment")
def payments(customer: str, paid_id: str) -> Key:
    return Key(f"C#{customer}", f"P#{paid_id}")


by_status = orders.index("GSI1")


@design.pattern
def orders_of(customer: str) -> Query[Order]:
    """A customer's orders."""
    return orders.where(Order.customer == customer)


@design.pattern
def pay(customer: str, number: int) -> Update[Order]:
    """An order is paid."""
    return orders.update(customer, number).set(Order.status, "paid")


design.check()
'''

AT_LOAD = {
    "a number without a width": ('f"O#{number:06d}"', 'f"O#{number}"', "SK103"),
    "a part that is no attribute": ("STATUS#{status}", "STATUS#{state}", "SK101"),
    "nothing between two parts": ('"STATUS#{status}"', '"STATUS#{status}{customer}"', "SK104"),
    "a parameter that is not in the key": ('f"P#{paid_id}"', '"P"', "SK114"),
    "a time to live that nobody has": ('ttl="expires"', 'ttl="expiresAt"', "SK161"),
    "an index of what nobody has": ('Index("GSI1", "GSI1PK", "SK")', 'Index("GSI1", "GSI2PK", "SK")', "SK128"),
    "a query of a whole table": ("orders.where(Order.customer == customer)", "orders.where()", "SK131"),
    "a condition said twice": (
        "orders.where(Order.customer == customer)",
        'orders.where(Order.customer == customer, Order.customer == "x")',
        "SK154",
    ),
    "a key that depends": ('f"P#{paid_id}"', 'f"P#{paid_id}" if paid_id else "P"', "SK113"),
    "entities that cannot be told apart": ('f"P#{paid_id}"', 'f"O#{paid_id}"', None),
}
BY_TYPES = {
    "a key with a part too few": ("orders.update(customer, number)", "orders.update(customer)"),
    "a value of another type": ('.set(Order.status, "paid")', ".set(Order.status, 3)"),
    "an attribute of another model": ("where(Order.customer == customer)", "where(Payment.customer == customer)"),
    "another result than it says": ("-> Query[Order]", "-> Query[Payment]"),
}


def written(folder: Path, name: str, old: str, new: str) -> Path:
    assert BASE.count(old) == 1, old
    path = folder / f"{name.replace(' ', '_')}.py"
    path.write_text(BASE.replace(old, new))
    return path


def test_there_are_fourteen() -> None:
    assert len(AT_LOAD) + len(BY_TYPES) == 14


def test_the_design_itself_is_right(tmp_path: Path) -> None:
    exec(compile(BASE, "base", "exec"), {"__name__": "builtins"})
    right = tmp_path / "right.py"
    right.write_text(BASE)
    assert errors_of_mypy(right)["right.py"] == set()


@pytest.mark.parametrize("name", AT_LOAD)
def test_it_does_not_load(name: str, tmp_path: Path) -> None:
    old, new, number = AT_LOAD[name]
    if number is None:  # needs a projection without the type as well
        old, new = 'Index("GSI1", "GSI1PK", "SK")', 'Index("GSI1", "PK", "SK", projection="KEYS_ONLY")'
        path = written(tmp_path, name, old, new)
        path.write_text(path.read_text().replace('f"P#{paid_id}"', 'f"O#{paid_id}"').replace("by_status =", "x ="))
        path.write_text(path.read_text().replace('x = orders.index("GSI1")', SHAPED))
        number = "SK151"
    else:
        path = written(tmp_path, name, old, new)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=60)
    assert f"DesignError: {number}: " in done.stderr, done.stderr[-500:]


SHAPED = """
@model
class Brief:
    customer: Attr[str] = part()
    number: Attr[int] = part()


by_status = orders.index("GSI1", Brief)
"""


@pytest.mark.timeout(200)
@pytest.mark.parametrize("errors_of", [errors_of_mypy, errors_of_pyright], ids=["mypy", "pyright"])
def test_checkers_refuse_it(errors_of: object, tmp_path: Path) -> None:
    assert callable(errors_of)
    paths = [written(tmp_path, name, old, new) for name, (old, new) in BY_TYPES.items()]
    found = errors_of(*paths)
    for path, (_, new) in zip(paths, BY_TYPES.values(), strict=True):
        lines = path.read_text().splitlines()
        assert found[path.name], path.name
        wrong = next(at for at, line in enumerate(lines, 1) if new in line)
        assert any(wrong <= at <= wrong + 2 for at in found[path.name]), (path.name, found[path.name])
