"""One item through time: from the store's own log, or from the stream."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest

from sekkei.clock import ManualClock
from sekkei.store import Embedded
from sekkei.store.protocol import Store
from sekkei.web.testing import Client, opened
from tests.scripted_store import ScriptedStore
from tests.web.example import SYSTEM
from tests.web.example.design import Note, notes

TABLE = "example-notes"
PLAIN = {
    "TableName": "plain",
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def at(clock: ManualClock) -> str:
    return datetime.fromtimestamp(clock.now(), UTC).strftime("%Y-%m-%dT%H:%M:%S")


def history(id: str, **further: str) -> str:
    pairs = {"key": "OWNER#mei", "sort": f"NOTE#{id}", **further}
    return f"/console/tables/{TABLE}/history?{urlencode(pairs)}"


async def lived(client: Client, clock: ManualClock) -> list[str]:
    """A note that is made, changed twice and deleted, an hour apart; the moments between."""
    db = client.shell.deployment.systems["example"].context.db
    moments = []
    for step in (
        notes.create(Note(owner="mei", id="1", text="milk")),
        notes.update("mei", "1").set(Note.text, "eggs"),
        notes.update("mei", "1").set(Note.text, "<b>bread</b>"),
        notes.delete("mei", "1"),
    ):
        clock.advance(1800)
        moments.append(at(clock))
        clock.advance(1800)
        await db.write(step)
    clock.advance(60)
    return [*moments, at(clock)]


async def look(store: Store, clock: ManualClock) -> None:
    async with opened(SYSTEM, store=store, clock=clock) as client:
        before, milk, eggs, bread, gone = await lived(client, clock)
        shown = (await client.get(history("1"))).text
        assert shown.count('class="card change"') == 4
        assert shown.index("削除</span>") < shown.index("作成</span>"), "the newest first"
        assert "&lt;b&gt;bread&lt;/b&gt;" in shown
        for moment, text in ((milk, "milk"), (eggs, "eggs"), (bread, "&lt;b&gt;bread&lt;/b&gt;")):
            then = (await client.get(history("1", at=moment))).text.partition('id="then"')[2].partition("</section>")[0]
            assert text in then, moment
        for moment in (before, gone):
            assert "このときはまだない" in (await client.get(history("1", at=moment))).text
        assert "そこまではさかのぼれません" in (await client.get(history("1", at="2001-01-01T00:00"))).text


async def test_an_embedded_store_tells_every_moment() -> None:
    clock = ManualClock(1_800_000_000.0)
    store = Embedded(clock=clock)
    await look(store, clock)


async def test_another_store_tells_what_its_stream_has() -> None:
    clock = ManualClock(1_800_000_000.0)
    await look(ScriptedStore(Embedded(clock=clock)), clock)


async def test_recovery_reaches_beyond_the_stream() -> None:
    clock = ManualClock(1_800_000_000.0)
    store = Embedded(clock=clock)
    async with opened(SYSTEM, store=store, clock=clock) as client:
        recovery = {"PointInTimeRecoveryEnabled": True}
        asked = {"TableName": TABLE, "PointInTimeRecoverySpecification": recovery}
        await store.call("UpdateContinuousBackups", asked)
        _, milk, *_ = await lived(client, clock)
        clock.advance(10 * 24 * 3600)
        await store.engine.sweep()
        then = (await client.get(history("1", at=milk))).text
        assert "milk" in then.partition('id="then"')[2].partition("</section>")[0]


async def test_recovery_alone_tells_what_came_after_each_change() -> None:
    """Its log has only what was before."""
    clock = ManualClock(1_800_000_000.0)
    store = Embedded(clock=clock)
    async with opened(SYSTEM, store=store, clock=clock) as client:
        await store.call("CreateTable", PLAIN)
        recovery = {"PointInTimeRecoveryEnabled": True}
        await store.call(
            "UpdateContinuousBackups", {"TableName": "plain", "PointInTimeRecoverySpecification": recovery}
        )
        for number in ("1", "22", "333"):
            clock.advance(60)
            await store.call("PutItem", {"TableName": "plain", "Item": {"id": {"S": "a"}, "n": {"N": number}}})
        text = (await client.get("/console/tables/plain/history?key=a")).text
        assert re.findall(r'class="clip">(\d+)<', text) == ["22", "333", "1", "22", "1"]
        then = (await client.get(f"/console/tables/plain/history?{urlencode({'key': 'a', 'at': at(clock)})}")).text
        assert "333" in then.partition('id="then"')[2].partition("</section>")[0]


async def test_a_log_that_is_long_is_looked_through_further_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sekkei.engine.history.streams.ROWS_AT_ONCE", 2)
    monkeypatch.setattr("sekkei.web.console.history.PARTS_MAX", 1)
    clock = ManualClock(1_800_000_000.0)
    async with opened(SYSTEM, clock=clock) as client:
        db = client.shell.deployment.systems["example"].context.db
        for id in "123456":
            await db.write(notes.create(Note(owner="mei", id=id, text="milk")))
        near = (await client.get(history("1"))).text
        assert near.count('class="card change"') == 0
        assert "far=4" in near
        assert (await client.get(history("1", far="4"))).text.count('class="card change"') == 1


async def test_a_table_that_keeps_nothing_and_things_that_are_not_there() -> None:
    async with opened(SYSTEM) as client:
        assert (await client.get(history("nothing"))).status == 404
        assert (await client.get("/console/tables/nothing/history?key=a&sort=b")).status == 404
        db = client.shell.deployment.systems["example"].context.db
        await db.write(notes.create(Note(owner="mei", id="1", text="milk")))
        wrong = await client.get(history("1", at="yesterday"))
        assert wrong.status == 422
        assert "yesterday" in wrong.text
        assert (await client.get(history("1", far="x"))).status == 200
        runtime = client.shell.deployment.store
        await runtime.call("PutItem", {"TableName": "sekkei-runtime", "Item": {"PK": {"S": "a"}, "SK": {"S": "b"}}})
        assert "過去を残していません" in (await client.get("/console/tables/sekkei-runtime/history?key=a&sort=b")).text
