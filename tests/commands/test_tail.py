"""`sekkei tail`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from sekkei import cli
from sekkei.advice.stream_tail import Follower, told
from sekkei.design import tables
from sekkei.store import Embedded
from tests.web.example.design import Note, design, notes, table

DESIGN = "tests.web.example.design:design"


def item(text: str) -> dict[str, object]:
    return dict(notes.encode(Note(owner="mei", id="1", text=text)))


@pytest.fixture
def store(tmp_path: Path) -> str:
    path = tmp_path / "notes.db"

    async def fill() -> None:
        store = Embedded(path)
        await tables.create(store, design, "dev")
        for text in ("milk", "eggs"):
            await store.call("PutItem", {"TableName": "example-notes", "Item": item(text)})
        key = {name: item("")[name] for name in ("PK", "SK")}
        await store.call("DeleteItem", {"TableName": "example-notes", "Key": key})
        await store.close()

    asyncio.run(fill())
    return str(path)


def test_what_the_stream_still_has(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["tail", "example-notes", "--design", DESIGN, "--store", store, "--start", "--count", "3"]
    assert cli.main(asked) == 0
    created, changed, removed = capsys.readouterr().out.splitlines()
    assert "+ notes OWNER#mei NOTE#1  " in created
    assert "text='milk'" in created
    assert changed.endswith("~ notes OWNER#mei NOTE#1  text: 'milk' → 'eggs'")
    assert removed.endswith("- notes OWNER#mei NOTE#1")
    assert cli.main([*asked, "--json", "--entity", "notes"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["kind"] for line in lines] == ["INSERT", "MODIFY", "REMOVE"]
    assert lines[1]["changes"] == {"text": {"old": {"S": "milk"}, "new": {"S": "eggs"}}}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "lacks a table"),
        (["nothing", "--design", DESIGN], "It has: example-notes"),
        (["example-notes", "--entity", "notes"], "name a design"),
    ],
)
def test_mistakes(store: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tail", *arguments, "--store", store]) == 2
    assert said in capsys.readouterr().err


def test_a_table_without_a_stream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from examples.online_shop import design as shop

    async def make() -> None:
        store = Embedded(tmp_path / "shop.db")
        await tables.create(store, shop, "dev")
        await store.close()

    asyncio.run(make())
    assert cli.main(["tail", "OnlineShop", "--store", str(tmp_path / "shop.db")]) == 2
    assert "has no stream" in capsys.readouterr().err


async def test_from_now_on_and_from_where_it_was_left() -> None:
    store = Embedded()
    try:
        await tables.create(store, design, "dev")
        await store.call("PutItem", {"TableName": "example-notes", "Item": item("before")})
        now, everything = Follower(store, "example-notes", latest=True), Follower(store, "example-notes")
        assert await now.read() == []
        assert len(await everything.read()) == 1
        await store.call("PutItem", {"TableName": "example-notes", "Item": item("after")})
        (heard,) = await now.read()
        assert told(heard, table).changes == [("text", {"S": "before"}, {"S": "after"})]
        again = Follower(store, "example-notes", everything.places)
        assert len(await again.read()) == 1
        assert await again.read() == []
    finally:
        await store.close()
