"""Items are told apart for sure: by their type, or by keys of different forms. What cannot be does not load."""

from __future__ import annotations

from datetime import date, datetime
from enum import Enum
from typing import Literal

import pytest

from sekkei.design import (
    Attr,
    ConditionFailed,
    Design,
    DesignError,
    Index,
    Key,
    Reactions,
    TransactionFailed,
    attr,
    collection,
    epoch,
    model,
    part,
    template,
)
from sekkei.design.ambiguity import overlap
from sekkei.design.templates import Template
from sekkei.testing import store


class Kind(Enum):
    RED = "red"
    BLUE = "blue"


@model
class Sorts:
    """One attribute of every sort that a key can hold."""

    text: Attr[str]
    other: Attr[str]
    number: Attr[int]
    day: Attr[date]
    kind: Attr[Kind]
    word: Attr[Literal["red", "green"]]
    formed: Attr[str] = attr(form="EVT#{}")


def made(text: str) -> Template:
    from sekkei.design.model import described

    return Template(text, described(Sorts).fields, "#", "a test")


@pytest.mark.parametrize(
    ("first", "second", "meet"),
    [
        ("USER#{text}", "USER#{other}", True),
        ("USER#{text}", "TEAM#{text}", False),
        ("USER#{text}", "USER#{text}#{other}", False),
        ("USER#{text}", "USER#{day}", True),
        ("C#{day}", "C#ALL", False),
        ("C#{day}", "C#{number:06d}", False),
        ("C#{number:06d}", "C#{number:04d}", False),
        ("C#{number:06d}", "C#123456", True),
        ("C#{kind}", "C#{word}", True),
        ("C#{kind}", "C#green", False),
        ("{text}", "USER#{text}#{other}", True),
        ("{formed}", "USER#{text}", False),
        ("{formed}", "EVT#{text}", True),
        ("{formed}#{text}", "EVT#{text}", False),
        ("A#{text}#", "A#{text}", False),
        ("{kind}", "{word}", True),
        ("{kind}", "green", False),
        ("{day}", "PROFILE", False),
    ],
)
def test_two_templates_meet_when_one_text_fits_both(first: str, second: str, meet: bool) -> None:
    assert overlap(made(first), made(second)) is meet
    assert overlap(made(second), made(first)) is meet


def shop(projection: object = "KEYS_ONLY") -> tuple[Design, dict[str, object]]:
    """Orders and returns under keys that look alike; only the discriminator tells them apart."""

    @model
    class Order:
        customer: Attr[str] = part()
        number: Attr[str] = part()
        day: Attr[date] = attr()

    @model
    class Return:
        customer: Attr[str] = part()
        slip: Attr[str] = part()
        day: Attr[date] = attr()

    @model
    class Brief:
        customer: Attr[str] = part()
        slip: Attr[str] = part()

    design = Design("shop")
    table = design.table(
        "shop", "PK", "SK", discriminator="type", indexes=[Index("days", "day", "SK", projection=projection)]
    )

    @table.entity(Order, type="order")
    def orders(customer: str, number: str) -> Key:
        return Key(f"C#{customer}", f"X#{number}")

    @table.entity(Return, type="return")
    def returns(customer: str, slip: str) -> Key:
        return Key(f"C#{customer}", f"X#{slip}")

    return design, {"orders": orders, "returns": returns, "Order": Order, "Return": Return, "Brief": Brief}


async def test_a_query_of_a_projection_with_the_discriminator_finds_its_own() -> None:
    design, names = shop(("type",))
    returns, Return, Brief = names["returns"], names["Return"], names["Brief"]
    days = returns.index("days", Brief)
    async with store(design) as db:
        await db.write(returns.create(Return(customer="c", slip="s", day=date(2025, 1, 2))))
        found = days.where(Return.day == date(2025, 1, 2))
        assert [one.slip for one in await db.all(found)] == ["s"]
        assert await db.count(found) == 1


def test_a_projection_that_cannot_tell_entities_apart_does_not_load() -> None:
    design, names = shop()
    names["returns"].index("days", names["Brief"])
    with pytest.raises(DesignError, match=r"SK151.*days.*type.*orders.*returns"):
        design.check()


async def test_a_view_may_say_that_only_its_entity_is_there() -> None:
    design, names = shop()
    returns, Return = names["returns"], names["Return"]
    days = returns.index("days", names["Brief"], alone="orders have no day")
    async with store(design) as db:
        await db.write(returns.create(Return(customer="c", slip="s", day=date(2025, 1, 2))))
        assert [one.slip for one in await db.all(days.where(Return.day == date(2025, 1, 2)))] == ["s"]


async def test_the_keys_of_an_index_tell_apart_too() -> None:
    @model
    class Order:
        customer: Attr[str] = part()
        number: Attr[str] = part()
        place: Attr[str] = template("ORDER#{number}", "GSI1PK")

    @model
    class Return:
        customer: Attr[str] = part()
        slip: Attr[str] = part()
        place: Attr[str] = template("RETURN#{slip}", "GSI1PK")

    design = Design("shop")
    table = design.table(
        "shop", "PK", "SK", discriminator="type", indexes=[Index("GSI1", "GSI1PK", "SK", projection="KEYS_ONLY")]
    )

    @table.entity(Order, type="order")
    def orders(customer: str, number: str) -> Key:
        return Key(f"C#{customer}", f"X#{number}")

    @table.entity(Return, type="return")
    def returns(customer: str, slip: str) -> Key:
        return Key(f"C#{customer}", f"X#{slip}")

    by_slip = returns.index("GSI1")
    async with store(design) as db:
        await db.write(orders.create(Order(customer="c", number="1")))
        await db.write(returns.create(Return(customer="d", slip="1")))
        query = by_slip.where(Return.slip == "1")
        assert [type(one) for one in await db.all(query)] == [Return]
        assert await db.count(query) == 1
        page = await db.page(query, size=1)
        assert [one.slip for one in page] == ["1"]


def test_entities_of_one_type_need_keys_of_different_forms() -> None:
    @model
    class One:
        a: Attr[str] = part()

    @model
    class Two:
        b: Attr[str] = part()

    design = Design("two")
    table = design.table("two", "id")

    @table.entity(One)
    def ones(a: str) -> Key:
        return Key(a)

    @table.entity(Two)
    def twos(b: str) -> Key:
        return Key(f"TWO#{b}")

    with pytest.raises(DesignError, match=r"SK150.*ones.*twos.*two"):
        design.check()


def test_a_stream_of_keys_cannot_tell_apart_what_only_the_type_does() -> None:
    design, names = shop()
    design.tables["shop"].stream = "KEYS_ONLY"
    with pytest.raises(DesignError, match=r"SK151.*stream.*orders.*returns"):
        Reactions(design).on(names["returns"])


async def test_only_asks_an_index_for_nothing_that_it_does_not_project() -> None:
    design, names = shop(("type", "day"))
    returns, Return = names["returns"], names["Return"]
    days = returns.index("days")
    async with store(design) as db:
        await db.write(returns.create(Return(customer="c", slip="s", day=date(2025, 1, 2))))
        found = await db.all(days.where(Return.day == date(2025, 1, 2)).only(names["Brief"]))
        assert [one.slip for one in found] == ["s"]


def expiring() -> tuple[Design, dict[str, object]]:
    @model
    class Code:
        code: Attr[str]
        owner: Attr[str]
        state: Attr[str] = attr(default="new")
        until: Attr[datetime | None] = attr(stored_as=epoch(), default=None)

    design = Design("codes")
    table = design.table("codes", "code", ttl="until", indexes=[Index("owners", "owner", projection="KEYS_ONLY")])

    @model
    class Held:
        code: Attr[str]
        owner: Attr[str]

    @table.entity(Code)
    def codes(code: str) -> Key:
        return Key(code)

    return design, {"codes": codes, "Code": Code, "Held": Held}


def test_a_filter_on_what_the_index_does_not_hold_is_refused() -> None:
    _, names = expiring()
    codes, Code = names["codes"], names["Code"]
    owners = codes.index("owners", names["Held"])
    query = owners.where(Code.owner == "me").with_expired()
    with pytest.raises(DesignError, match=r"SK152.*owners.*state"):
        query.filter(Code.state == "new")


def test_an_index_without_the_time_to_live_cannot_leave_out_what_has_expired() -> None:
    design, names = expiring()
    codes, Code = names["codes"], names["Code"]
    owners = codes.index("owners", names["Held"])
    with pytest.raises(DesignError, match=r"SK152.*owners.*until"):

        @design.pattern
        def held(owner: str) -> object:
            """The codes somebody holds."""
            return owners.where(Code.owner == owner)

    owners.where(Code.owner == "me").with_expired()


async def test_a_collection_of_what_cannot_be_told_apart_does_not_load() -> None:
    design, names = shop()
    collection(names["orders"], names["returns"], index="days")
    with pytest.raises(DesignError, match="SK151"):
        design.check()


async def test_a_write_never_changes_an_item_of_another_type_under_the_same_key() -> None:
    design, names = shop(("type",))
    orders, returns, Order, Return = (names[name] for name in ("orders", "returns", "Order", "Return"))
    async with store(design) as db:
        await db.write(orders.create(Order(customer="c", number="1", day=date(2025, 1, 2))))
        twin = returns.create(Return(customer="c", slip="1", day=date(2025, 1, 3)))
        with pytest.raises(ConditionFailed) as failed:
            await db.write(twin)
        assert failed.value.old(twin) is None  # what is there is no Return
        for write in (
            returns.update("c", "1").set(Return.day, date(2025, 1, 4)),
            returns.upsert("c", "1").set(Return.day, date(2025, 1, 4)),
            returns.replace(Return(customer="c", slip="1", day=date(2025, 1, 4))),
            returns.delete("c", "1"),
            returns.delete("c", "1").must_exist(),
        ):
            with pytest.raises(ConditionFailed):
                await db.write(write)
        with pytest.raises(TransactionFailed):
            await db.transact(returns.must_exist("c", "1"), orders.delete("x", "1"))
        assert (await db.need(orders("c", "1"))).day == date(2025, 1, 2)
