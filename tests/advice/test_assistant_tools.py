"""What a program may ask of a design."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from examples.online_shop import design, invoices
from sekkei.advice import assistant_tools
from sekkei.advice.assistant_tools import Answers, Unanswerable
from sekkei.advice.pii import COVER
from sekkei.advice.sample_data import example_of, furnished
from sekkei.design import Attr, Design, Key, Measurements, Query, Units, attr, model, part


@pytest_asyncio.fixture
async def answers() -> AsyncIterator[Answers]:
    store = await furnished(design, "dev")
    measured = Measurements({"inventory": Units(0.5, 0.0, 4)})
    yield Answers(design, store, env="dev", measured=measured, secret=b"s" * 32)
    await store.close()


async def test_meaning(answers: Answers) -> None:
    assert answers.overview()["tables"][0]["key"] == ["PK", "SK"]
    assert "orders 1:n invoices" in answers.overview()["relations"]
    order = answers.entity("orders")
    assert order["key"] == {"PK": "o#{order_id}", "SK": "o#{order_id}"}
    assert order["indexes"]["GSI1"]["GSI1PK"] == "c#{customer_id}"
    assert {"whole_order", "orders_of", "place"} <= set(order["patterns"])
    assert [one["pattern"] for one in answers.patterns("product where")] == ["inventory"]
    explained = answers.pattern("inventory")
    assert explained["parameters"] == [{"name": "product_id", "kind": "text", "required": True, "choices": []}]
    assert explained["plan"][0][0] == "Query OnlineShop.GSI1"
    assert explained["measured"]["read"] == 0.5
    assert isinstance(answers.findings(), list)


async def test_running_pages_and_limits(answers: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = example_of(design, "whole_order")
    first = await answers.run("whole_order", arguments, 10)
    assert (len(first["items"]), first["cut"]) == (10, False)
    rest = await answers.run("whole_order", arguments, 10, first["after"])
    assert len(rest["items"]) == 3
    assert len((await answers.run("whole_order", arguments, 10_000))["items"]) == 13
    monkeypatch.setattr(assistant_tools, "BYTES_MAX", 300)
    cut = await answers.run("whole_order", arguments)
    assert cut["cut"]
    assert 0 < len(cut["items"]) < 13
    with pytest.raises(ValueError, match="only patterns that read"):
        await answers.run("place", {})


async def test_prices(answers: Answers) -> None:
    found = answers.price("inventory", 10)
    assert found["read_units_per_second"] == 5
    assert found["dollars_per_month_on_demand"] > 0
    with pytest.raises(Unanswerable, match="not been measured"):
        answers.price("orders_of", 1)


async def test_items(answers: Answers) -> None:
    sample = await answers.sample("invoices", 2)
    assert [set(item) for item in sample["items"]] == [{"order_id", "invoice_id", "amount"}] * 2
    stored = invoices.encode(invoices.decode({"PK": {"S": "o#1"}, "SK": {"S": "i#2"}, "amount": {"N": "5"}}))
    decoded = answers.decode({**stored, "odd": {"S": "x"}})
    assert decoded["entity"] == "invoices"
    assert decoded["attributes"] == {"order_id": "1", "invoice_id": "2", "amount": "5"}
    assert (decoded["not_in_indexes"], decoded["unknown_attributes"]) == (["GSI1"], ["odd"])
    with pytest.raises(Unanswerable):
        answers.decode({"PK": {"S": "x"}})


async def test_unknown_names_are_answered_with_what_there_is(answers: Answers) -> None:
    with pytest.raises(Unanswerable, match="It has: orders, order_items"):
        answers.entity("colours")
    with pytest.raises(Unanswerable, match="It has: whole_order"):
        answers.pattern("nothing")


async def test_personal_attributes_stay_covered() -> None:
    club = Design("club")
    table = club.table("club", "PK")

    @model
    class Person:
        id: Attr[str] = part()
        email: Attr[str] = attr()

    @table.entity(Person)
    def people(id: str) -> Key:
        return Key(id)

    @club.pattern
    def person(id: str) -> Query[Person]:
        """One person."""
        return people.where(Person.id == id)

    people.example(Person(id="1", email="mei@demo.example"))
    store = await furnished(club, "dev")
    try:
        answers = Answers(club, store, env="dev", measured=Measurements(), secret=b"s" * 32)
        told = [
            await answers.sample("people"),
            await answers.run("person", {"id": (await answers.sample("people"))["items"][0]["id"]}),
            answers.entity("people"),
            answers.decode({"PK": {"S": "1"}, "email": {"S": "mei@demo.example"}}),
        ]
        assert "mei@demo.example" not in str(told)
        assert str(told).count(COVER) >= 4
    finally:
        await store.close()
