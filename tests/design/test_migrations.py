from __future__ import annotations

from typing import Any

import pytest

from sekkei.design import Attr, CursorRefused, Database, Design, ItemRefused, Key, attr, model, tables
from sekkei.store import Store

old_design = Design("old", tables="{env}-{table}")
new_design = Design("new", tables="{env}-{table}")


@model
class PersonV1:
    id: Attr[str]
    name: Attr[str]


def split_name(item: dict[str, Any]) -> dict[str, Any]:
    first, _, last = item.pop("name").partition(" ")
    return {**item, "first": first, "last": last or None}


def add_points(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "points": len(item["first"])}


@model(migrations=(split_name, add_points))
class Person:
    id: Attr[str]
    first: Attr[str]
    last: Attr[str | None] = attr(default=None)
    points: Attr[int]


old_table = old_design.table("people", "id")
new_table = new_design.table("people", "id")


@old_table.entity(PersonV1)
def people_v1(id: str) -> Key:
    return Key(id)


@new_table.entity(Person)
def people(id: str) -> Key:
    return Key(id)


@pytest.fixture
async def both(store: Store, db: Database) -> tuple[Database, Database]:
    await tables.create(store, old_design, db.env, db.clock)
    return old_design.open(store, env=db.env), new_design.open(store, env=db.env)


async def stored(db: Database) -> dict[str, Any]:
    found: dict[str, Any] = (
        await db.store.call("GetItem", {"TableName": db.table_name(new_table), "Key": {"id": {"S": "1"}}})
    )["Item"]
    return found


async def test_old_items_are_read_as_new_ones(both: tuple[Database, Database]) -> None:
    old, new = both
    await old.write(people_v1.create(PersonV1(id="1", name="Ada Lovelace")))
    person = Person(id="1", first="Ada", last="Lovelace", points=3)
    assert await new.get(people("1")) == person
    assert await new.all(people.scan()) == [person]
    assert "schema_version" not in await stored(new)


async def test_a_write_stores_todays_schema(both: tuple[Database, Database]) -> None:
    old, new = both
    await old.write(people_v1.create(PersonV1(id="1", name="Ada Lovelace")))
    await new.write(people.replace(await new.need(people("1"))))
    item = await stored(new)
    assert item["schema_version"] == {"N": "3"}
    assert "name" not in item


async def test_an_update_of_an_old_item_migrates_it_first(both: tuple[Database, Database]) -> None:
    old, new = both
    await old.write(people_v1.create(PersonV1(id="1", name="Ada Lovelace")))
    changed = await new.write(people.update("1").set(Person.last, "Byron"))
    assert changed == Person(id="1", first="Ada", last="Byron", points=3)
    assert await stored(new) == {
        "id": {"S": "1"},
        "first": {"S": "Ada"},
        "last": {"S": "Byron"},
        "points": {"N": "3"},
        "schema_version": {"N": "3"},
    }
    assert (await new.write(people.update("1").add(Person.points, 1))).points == 4


async def test_the_same_within_a_transaction(both: tuple[Database, Database]) -> None:
    old, new = both
    await old.write(people_v1.create(PersonV1(id="1", name="Ada")))
    await new.transact(
        people.update("1").set(Person.last, "Byron"), people.create(Person(id="2", first="Bob", points=0))
    )
    assert (await stored(new))["last"] == {"S": "Byron"}


async def test_what_the_model_does_not_know_is_kept(both: tuple[Database, Database]) -> None:
    _, new = both
    item = {"id": {"S": "1"}, "name": {"S": "Ada"}, "extra": {"L": [{"N": "1"}]}}
    await new.store.call("PutItem", {"TableName": new.table_name(new_table), "Item": item})
    await new.write(people.update("1").add(Person.points, 1))
    assert (await stored(new))["extra"] == {"L": [{"N": "1"}]}


async def test_a_backfill_in_pages(both: tuple[Database, Database]) -> None:
    old, new = both
    await old.write_many(people_v1.put(PersonV1(id=str(i), name=f"P{i} x")) for i in range(25))
    await new.write(people.create(Person(id="new", first="New", points=0)))
    total = rewritten = 0
    cursor: str | None = None
    while True:
        page = await new.renew(people.scan(), after=cursor, size=10)
        total, rewritten, cursor = total + page.read, rewritten + page.rewritten, page.cursor
        if cursor is None:
            break
    assert (total, rewritten) == (26, 25)
    again = await new.renew(people.scan(), size=100)
    assert (again.read, again.rewritten) == (26, 0)
    with pytest.raises(CursorRefused):
        await new.renew(people.where(Person.id == "1"), after=cursor or "AAAA")


async def test_an_item_of_a_later_schema_is_refused(both: tuple[Database, Database]) -> None:
    _, new = both
    item = {"id": {"S": "1"}, "schema_version": {"N": "9"}}
    await new.store.call("PutItem", {"TableName": new.table_name(new_table), "Item": item})
    with pytest.raises(ItemRefused, match="SK503"):
        await new.get(people("1"))
