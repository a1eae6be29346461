"""`sekkei show`."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from examples.online_shop import Invoice, Order, design, invoices, orders
from sekkei import cli
from sekkei.design import tables
from sekkei.store import Embedded

SHOP = str(Path(__file__).parents[2] / "examples" / "online_shop.py")


@pytest.fixture
def store(tmp_path: Path) -> str:
    path = tmp_path / "shop.db"

    async def fill() -> None:
        store = Embedded(path)
        await tables.create(store, design, "dev")
        at = datetime(2026, 11, 15, tzinfo=UTC)
        order = orders.encode(Order(order_id="1", customer_id="mei", at=at))
        invoice = invoices.encode(Invoice(order_id="1", invoice_id="2", amount=5))
        odd = {"PK": {"S": "x"}, "SK": {"S": "y"}, "odd": {"S": "a\x1b[31mb\x07\u202ec"}}
        for item in (order, {**invoice, "odd": {"S": "x"}}, odd):
            await store.call("PutItem", {"TableName": "OnlineShop", "Item": item})
        await store.close()

    asyncio.run(fill())
    return str(path)


def test_a_stored_text_does_nothing_to_the_terminal(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "OnlineShop", "x", "y", "--store", store]) == 0
    assert "a\\x1b[31mb\\x07\\u202ec" in capsys.readouterr().out


def test_by_entity_and_by_key(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "orders", "order_id=1", "--design", SHOP, "--store", store]) == 0
    told = capsys.readouterr().out
    assert "orders of OnlineShop" in told
    assert "customer_id  mei" in told
    assert "in the indexes: GSI1" in told
    assert cli.main(["show", "OnlineShop", "o#1", "i#2", "--design", SHOP, "--store", store, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["entity"], found["attributes"]["amount"]) == ("invoices", "5")
    assert found["not_in_indexes"] == {"GSI1": ["GSI1PK", "GSI1SK"]}


def test_without_a_design_and_strangers(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "OnlineShop", "o#1", "i#2", "--store", store]) == 0
    assert "amount  5" in capsys.readouterr().out
    assert cli.main(["show", "OnlineShop", "x", "y", "--store", store, "--design", SHOP]) == 0
    assert "cannot be read as an entity: SK504" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["OnlineShop", "o#1"], "has these parts: PK SK"),
        (["OnlineShop", "o#1", "none"], "has no item o#1 none"),
        (["orders", "id=1", "--design", SHOP], "order_id=…"),
        (["nothing", "1"], "lacks a table"),
        (["orders", "order_id=1", "--design", "nothing.py"], "names no design"),
    ],
)
def test_mistakes(store: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", *arguments, "--store", store]) == 2
    assert said in capsys.readouterr().err
