"""One item created, edited, duplicated, deleted and undone; conditional, journalled, refused where it may not be."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any
from urllib.parse import quote

import pytest

from sekkei.design import Attr, Design, Index, Key, attr, computed, model, part, template, version
from sekkei.store import Embedded, Store
from sekkei.store.read_only import ReadOnly
from sekkei.web.console.changing import ATTRIBUTES_MAX, Change, Meanwhile, TooWide
from sekkei.web.console.edit import PREFIX, BadField, item_of, texts_of
from sekkei.web.console.masks import COVER
from sekkei.web.console.target import Looked
from sekkei.web.testing import Client, Reply, opened, test_settings
from tests.web.example import SYSTEM as EXAMPLE

design = Design("club")
table = design.table("club", "PK", "SK", discriminator="type", indexes=[Index("by-state", "state_pk", "SK")])


class State(Enum):
    OPEN = "open"
    DONE = "done"


@model
class Colour:
    name: Attr[str] = attr()
    depth: Attr[int] = attr(default=1)


@model
class Person:
    team: Attr[str] = part()
    id: Attr[str] = part()
    email: Attr[str] = attr()
    state: Attr[State] = attr(default=State.OPEN)
    born: Attr[date | None] = attr(default=None)
    fee: Attr[Decimal] = attr(default=Decimal(0))
    tags: Attr[frozenset[str]] = attr(default=frozenset())
    colours: Attr[list[Colour]] = attr(default_factory=list)
    active: Attr[bool] = attr(default=True)
    label: Attr[str] = computed(lambda id, state: f"{id}/{state.value}")
    state_pk: Attr[str] = template("{team}#{state}")
    version: Attr[int] = version()


@table.entity(Person, type="person")
def people(team: str, id: str) -> Key:
    return Key(f"TEAM#{team}", f"PERSON#{id}")


markers = table.markers(type="unique")
people.unique("EMAIL#{email}", markers)

NEW = {"f.team": "t", "f.id": "1", "f.email": "a@x.example", "f.state": "open", "f.fee": "1.50", "f.active": "true"}
EDIT = f"/console/tables/club/edit?key={quote('TEAM#t')}&sort={quote('PERSON#1')}"


@asynccontextmanager
async def club(*, write: bool = True, remote: bool = False) -> AsyncIterator[tuple[Client, Store]]:
    store = Embedded()
    where = "dynamodb://ap-northeast-1" if remote else ":memory:"
    looked = Looked(store if write else ReadOnly(store), {"club": design}, "dev", where, write, remote, alone=True)
    try:
        await design.open(store, env="dev").create_tables()
        async with opened(looked=looked) as client:
            yield client, store
    finally:
        await store.close()


async def stored(store: Store) -> list[Mapping[str, Any]]:
    found = (await store.call("Scan", {"TableName": "club"}))["Items"]
    return sorted(found, key=lambda item: str(item["PK"]))


async def person(store: Store) -> Mapping[str, Any]:
    return next(item for item in await stored(store) if item["type"] == {"S": "person"})


def seen(reply: Reply) -> dict[str, str]:
    found = re.search(r'name="seen" value="([^"]+)"', reply.text)
    assert found is not None
    return {"seen": found[1]}


async def test_created_by_typed_fields_with_keys_computed_attributes_and_uniqueness() -> None:
    async with club() as (client, store):
        form = await client.get("/console/tables/club/new?entity=people")
        assert 'name="f.email"' in form.text
        assert "f.label" not in form.text, "computed"
        given = {**NEW, "f.tags": '["x", "y"]', "f.colours": '[{"name": "red", "depth": 2}]', "f.born": "2001-02-03"}
        made = await client.post("/console/tables/club/new?entity=people", given)
        assert made.status == 303, made.text
        marker, item = await stored(store)
        assert marker["PK"] == {"S": "EMAIL#a@x.example"}
        assert item["PK"] == {"S": "TEAM#t"}
        assert (item["label"], item["state_pk"], item["version"]) == ({"S": "1/open"}, {"S": "t#open"}, {"N": "1"})
        assert (item["tags"], item["born"], item["fee"]) == ({"SS": ["x", "y"]}, {"S": "2001-02-03"}, {"N": "1.5"})
        assert item["colours"] == {"L": [{"M": {"name": {"S": "red"}, "depth": {"N": "2"}}}]}
        again = await client.post("/console/tables/club/new?entity=people", {**NEW, "f.id": "2"})
        assert again.status == 409, "the e-mail is taken"
        assert 'value="2"' in again.text, "nothing typed is lost"
        assert len(await stored(store)) == 2


async def test_edited_with_what_follows_and_undone() -> None:
    async with club() as (client, store):
        await client.post("/console/tables/club/new", NEW)
        await client.post("/console/reveal", {"next": "/console"})
        form = await client.get(EDIT)
        changes = {**NEW, **seen(form), "f.email": "b@x.example", "f.state": "done"}
        assert (await client.post(EDIT, changes)).status == 303
        marker, item = await stored(store)
        assert marker["PK"] == {"S": "EMAIL#b@x.example"}
        assert (item["label"], item["state_pk"], item["version"]) == ({"S": "1/done"}, {"S": "t#done"}, {"N": "2"})
        journal = await client.get("/console/journal")
        assert "b@x.example" in journal.text
        undone = await client.post("/console/journal/2/undo", follow=True)
        assert "元に戻しました。" in undone.text
        marker, item = await stored(store)
        assert (marker["PK"], item["label"]) == ({"S": "EMAIL#a@x.example"}, {"S": "1/open"})
        assert (await client.post("/console/journal/2/undo")).status == 404, "once is enough"


async def test_a_new_key_is_a_move() -> None:
    async with club() as (client, store):
        await client.post("/console/tables/club/new", NEW)
        await client.post(EDIT, {**NEW, **seen(await client.get(EDIT)), "f.id": "9"})
        assert (await person(store))["SK"] == {"S": "PERSON#9"}
        assert len(await stored(store)) == 2


async def test_what_was_changed_meanwhile_is_told_and_nothing_typed_is_lost() -> None:
    async with club() as (client, store):
        await client.post("/console/tables/club/new", NEW)
        form = await client.get(EDIT)
        item = {**await person(store), "fee": {"N": "7"}}
        await store.call("PutItem", {"TableName": "club", "Item": item})
        late = await client.post(EDIT, {**NEW, **seen(form), "f.fee": "99"})
        assert late.status == 409
        assert "ほかの人が項目を変更したため" in late.text
        assert 'value="99"' in late.text
        assert (await person(store))["fee"] == {"N": "7"}
        assert (await client.post(EDIT, {**NEW, **seen(late), "f.fee": "99"})).status == 303, "now knowingly"
        assert (await person(store))["fee"] == {"N": "99"}


async def test_attributes_that_the_design_does_not_know_stay() -> None:
    async with club() as (client, store):
        await client.post("/console/tables/club/new", NEW)
        item = {**await person(store), "legacy": {"S": "kept"}}
        await store.call("PutItem", {"TableName": "club", "Item": item})
        await client.post(EDIT, {**NEW, **seen(await client.get(EDIT)), "f.fee": "2"})
        assert (await person(store))["legacy"] == {"S": "kept"}


async def test_a_covered_field_keeps_its_value() -> None:
    async with club() as (client, store):
        await client.post("/console/tables/club/new", NEW)
        form = await client.get(EDIT)
        assert "a@x.example" not in form.text
        await client.post(EDIT, {**NEW, **seen(form), "f.email": COVER, "f.fee": "3"})
        assert (await person(store))["email"] == {"S": "a@x.example"}
        raw = await client.get(EDIT + "&mode=raw")
        assert "a@x.example" not in raw.text
        shown = {**await person(store), "email": {"S": COVER}, "fee": {"N": "4"}}
        assert (await client.post(EDIT + "&mode=raw", {"raw": json.dumps(shown), **seen(raw)})).status == 303
        item = await person(store)
        assert (item["email"], item["fee"]) == ({"S": "a@x.example"}, {"N": "4"})
        assert "a@x.example" not in (await client.get("/console/journal")).text


async def test_deleted_with_its_marker_and_brought_back() -> None:
    async with club() as (client, store):
        await client.post("/console/tables/club/new", NEW)
        where = EDIT.replace("/edit", "/delete")
        assert (await client.post(where, {"seen": "something else"})).status == 303
        assert len(await stored(store)) == 2
        await client.post(where, seen(await client.get(EDIT)))
        assert await stored(store) == []
        await client.post("/console/journal/2/undo")
        assert len(await stored(store)) == 2
        await client.post(where, seen(await client.get(EDIT)))
        await client.post("/console/tables/club/new", NEW)
        late = await client.post("/console/journal/4/undo", follow=True)
        assert "元に戻していません" in late.text


async def test_raw_for_tables_without_a_design_and_what_the_store_refuses() -> None:
    async with club() as (client, store):
        form = await client.get("/console/tables/club/new?mode=raw")
        item = {"PK": {"S": "x"}, "SK": {"S": "y"}, "n": {"N": "many"}}
        wrong = await client.post("/console/tables/club/new?mode=raw", {"raw": json.dumps(item), **seen(form)})
        assert wrong.status == 422
        assert "ストアがこの問い合わせを受け付けません" in wrong.text
        assert "many" in wrong.text
        for text, said in (
            ("{", "JSON として読めません"),
            ("[]", "項目として読めません"),
            ('{"a": {"S": "b"}}', "PK, SK"),
        ):
            reply = await client.post("/console/tables/club/new?mode=raw", {"raw": text})
            assert reply.status == 422
            assert said in reply.text
        good = {**item, "n": {"N": "1"}}
        assert (await client.post("/console/tables/club/new?mode=raw", {"raw": json.dumps(good)})).status == 303
        assert await stored(store) == [good]


async def test_a_duplicate_is_filled_in_and_needs_a_key_of_its_own() -> None:
    async with club() as (client, store):
        await client.post("/console/tables/club/new", NEW)
        where = EDIT.replace("/edit", "/new")
        assert 'value="1.5"' in (await client.get(where)).text
        assert (await client.post(where, {**NEW, "f.email": "c@x.example"})).status == 409
        assert (await client.post(where, {**NEW, "f.id": "2", "f.email": "c@x.example"})).status == 303
        assert len(await stored(store)) == 4


async def test_a_store_that_others_use_is_named_before_it_is_written_to() -> None:
    async with club(remote=True) as (client, store):
        asked = await client.post("/console/tables/club/new?lang=en", NEW)
        assert asked.status == 200
        assert "Write to dynamodb://ap-northeast-1" in asked.text
        assert await stored(store) == []
        await client.post("/console/tables/club/new", {**NEW, "confirm": "dynamodb://us-east-1"})
        assert await stored(store) == []
        made = await client.post("/console/tables/club/new", {**NEW, "confirm": "dynamodb://ap-northeast-1"})
        assert made.status == 303
        assert len(await stored(store)) == 2
        await client.post("/console/journal/1/undo")
        assert len(await stored(store)) == 2, "undo writes there too"
        await client.post("/console/journal/1/undo", {"confirm": "dynamodb://ap-northeast-1"})
        assert await stored(store) == []


async def test_read_only_is_kept_by_the_server() -> None:
    async with club(write=False) as (client, store):
        item = people.encode(Person(team="t", id="1", email="a@x.example"))
        await store.call("PutItem", {"TableName": "club", "Item": item})
        paths = ("/console/tables/club/new", EDIT, EDIT.replace("/edit", "/delete"), "/console/journal/1/undo")
        for path in paths:
            reply = await client.post(path, NEW)
            assert reply.status == 403
            assert "読み取りだけ" in reply.text
        assert (await client.get(EDIT)).status == 403
        assert "/new" not in (await client.get("/console/tables/club")).text
        assert await stored(store) == [item]


async def test_changes_are_logged_without_values(caplog: pytest.LogCaptureFixture) -> None:
    async with club() as (client, _):
        with caplog.at_level(logging.WARNING, "sekkei.web.console"):
            await client.post("/console/tables/club/new", NEW)
        (record,) = [one for one in caplog.records if one.message == "the console changed an item"]
        assert (record.table, record.what) == ("club", "create")  # type: ignore[attr-defined]
        assert "a@x.example" not in str(record.__dict__)


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("team", "", "empty"),
        ("state", "lost", "unfit"),
        ("born", "soon", "unfit"),
        ("fee", "NaN", "unfit"),
        ("fee", "much", "unfit"),
        ("tags", "x, y", "unfit"),
        ("tags", '{"a": 1}', "unfit"),
        ("colours", '[{"depth": "deep"}]', "unfit"),
        ("active", "maybe", "unfit"),
        ("team", "a#b", "refused"),
    ],
)
def test_what_does_not_fit_is_told_beside_its_field(name: str, text: str, code: str) -> None:
    with pytest.raises(BadField) as wrong:
        item_of(people, {**NEW, PREFIX + name: text}, None)
    assert wrong.value.code == code
    assert wrong.value.name == ("" if code == "refused" else PREFIX + name)


def test_texts_and_items_are_two_sides() -> None:
    whole = Person(team="t", id="1", email="", tags=frozenset({"x"}), colours=[Colour(name="r")], born=date(2000, 1, 1))
    item = people.encode(whole)
    back = item_of(people, texts_of(people, item), item)
    assert back == {**item, "version": {"N": "1"}}


async def test_a_change_is_conditional_on_every_attribute() -> None:
    store = Embedded()
    try:
        await design.open(store, env="dev").create_tables()
        old = {"PK": {"S": "a"}, "SK": {"S": "b"}, "m": {"M": {"x": {"NS": ["1", "2"]}}}}
        await store.call("PutItem", {"TableName": "club", "Item": old})
        new = {**old, "k": {"S": "new"}}
        for current in ({**old, "m": {"M": {}}}, {**old, "k": {"S": "other"}}):
            await store.call("PutItem", {"TableName": "club", "Item": current})
            with pytest.raises(Meanwhile):
                await Change("club", ("PK", "SK"), old, new).carry_out(store)
        wide = {**old, **{f"a{number}": {"S": ""} for number in range(ATTRIBUTES_MAX)}}
        with pytest.raises(TooWide):
            await Change("club", ("PK", "SK"), wide, None).carry_out(store)
    finally:
        await store.close()


async def test_the_console_beside_systems_writes_only_when_it_is_told_to() -> None:
    async with opened(EXAMPLE) as client:
        assert (await client.get("/console/tables/example-notes/new")).status == 403
    async with opened(EXAMPLE, settings=test_settings(values={"console_write": "1"})) as client:
        form = {"f.owner": "mei", "f.id": "1", "f.text": "milk", "f.version": "1"}
        assert (await client.post("/console/tables/example-notes/new?entity=notes", form)).status == 303
        assert "milk" in (await client.get("/console/tables/example-notes")).text
