"""Items drawn by partition, pages that cost the same, counts, exports, covered attributes."""

from __future__ import annotations

import csv
import json
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from examples.online_shop import design
from sekkei.advice.sample_data import furnished
from sekkei.errors import NoAnswer
from sekkei.store.protocol import Request, Response
from sekkei.store.read_only import ReadOnly
from sekkei.web.console import reading
from sekkei.web.console.masks import COVER
from sekkei.web.console.target import Looked
from sekkei.web.testing import Client, opened
from tests.scripted_store import ScriptedStore, answers

SHOP = "/console/tables/OnlineShop"
ORDER = "o%23order_id-000000000000"


@asynccontextmanager
async def shop() -> AsyncIterator[tuple[Client, ScriptedStore]]:
    store = ScriptedStore(await furnished(design, "dev"))
    looked = Looked(ReadOnly(store), {"online-shop": design}, "dev", ":memory:", alone=True)
    try:
        async with opened(looked=looked) as client:
            yield client, store
    finally:
        await store.close()


async def test_a_partition_with_its_entities_in_order() -> None:
    async with shop() as (client, _):
        shown = (await client.get(f"{SHOP}?key={ORDER}")).text
        kinds = re.findall(r"<small>(orders|order_items|invoices)</small>", shown)
        assert kinds == ["invoices"] * 6 + ["orders"] + ["order_items"] * 6
        assert 'rowspan="13"' in shown
        assert "aws dynamodb query" in shown
        one = (await client.get(f"{SHOP}?key={ORDER}&op=begins_with&sort=p%23")).text
        assert ">quantity</th>" in one, "of one kind, attributes are columns"


async def test_the_same_for_an_index() -> None:
    async with shop() as (client, _):
        shown = (await client.get(f"{SHOP}?index=GSI1&key=stock%23product_id-000000000000")).text
        assert shown.count('class="key coloured"') == 4
        assert f"{SHOP}/item?key=w%23warehouse_id-000000000000" in shown.replace("&amp;", "&")


async def test_pages_follow_each_other_and_each_reads_no_more_than_the_first() -> None:
    async with shop() as (client, store):
        seen: list[str] = []
        path, costs = SHOP, []
        while path:
            store.asked.clear()
            shown = (await client.get(path)).text
            costs.append([request["Limit"] for operation, request in store.asked if operation == "Scan"])
            seen += re.findall(r'href="(/console/tables/OnlineShop/item\?[^"]+)"', shown)
            found = re.search(r'rel="next" href="([^"]+)"', shown)
            path = SHOP + found[1].replace("&amp;", "&") if found else ""
        assert len(seen) == len(set(seen)) == 76
        assert costs == [[reading.PAGE_ITEMS]] * 2
        assert (await client.get(SHOP + "?after=forged")).status == 400


async def test_a_filtered_page_is_full_or_says_how_far_it_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LOOKED_THROUGH", 10)
    monkeypatch.setattr(reading, "CALLS_MAX", 3)
    async with shop() as (client, _):
        shown = (await client.get(f"{SHOP}?attr=nothing&is=exists&lang=en")).text
        assert "0 items of 30 read" in shown
        assert "There is more to look through" in shown
        monkeypatch.setattr(reading, "PAGE_ITEMS", 2)
        two = (await client.get(f"{SHOP}?attr=type&is=exists&lang=en")).text
        assert "2 items of 10 read" in two
        more = re.search(r'rel="next" href="([^"]+)"', two)
        assert more is not None
        assert "2 items of 10 read" in (await client.get(SHOP + more[1].replace("&amp;", "&"))).text


async def test_counting_ends_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shop() as (client, _):
        assert "There are 76." in (await client.get(f"{SHOP}?count=1&lang=en")).text
        filtered = await client.get(f"{SHOP}?count=1&attr=type&is=eq&value=order&columns=type&lang=en")
        assert "There are 4." in filtered.text
    monkeypatch.setattr(reading, "COUNT_CALLS_MAX", 1)
    page = {"Count": 3, "ScannedCount": 9, "LastEvaluatedKey": {"a": {"S": "1"}}}
    counted = await reading.count(ScriptedStore(before=answers(page)), "Scan", {"TableName": "t"})
    assert (counted.items, counted.finished) == (3, False)


@pytest.mark.parametrize("form", ["csv", "json", "ndjson"])
async def test_an_export_has_the_whole_result(form: str) -> None:
    async with shop() as (client, _):
        reply = await client.get(f"{SHOP}/export?format={form}&attr=type&is=eq&value=order")
        assert f'filename="OnlineShop.{"dynamodb.json" if form == "json" else form}"' in str(reply.headers)
        lines = reply.body.decode("utf-8-sig").splitlines()
        if form == "csv":
            rows = list(csv.DictReader(lines))
            assert len(rows) == 4
            assert rows[0]["customerId"].startswith("customer_id")
        elif form == "json":
            assert json.loads(lines[0])["Item"]["type"] == {"S": "order"}
            assert len(lines) == 4
        else:
            assert json.loads(lines[0])["type"] == "order"
        assert (await client.get(f"{SHOP}/export?format=xls")).status == 404
        assert (await client.get(f"{SHOP}/export?sort=x")).status == 422


async def test_a_formula_in_a_csv_stays_a_text() -> None:
    async with shop() as (client, store):
        item = {"PK": {"S": "x"}, "SK": {"S": "=1+1"}, "n": {"N": "-5"}}
        await store.store.call("PutItem", {"TableName": "OnlineShop", "Item": item})
        rows = (await client.get(f"{SHOP}/export?key=x")).text
        assert ",'=1+1," in rows
        assert '"{""n"":""-5""}"' in rows


async def test_mistakes_are_sentences_and_keep_what_was_typed() -> None:
    async with shop() as (client, store):
        wrong = await client.get(f"{SHOP}?attr=quantity&is=eq&value=many")
        assert wrong.status == 422
        assert "「many」は数ではありません。" in wrong.text
        assert 'value="many"' in wrong.text
        assert "ソートキーはパーティションの中で" in (await client.get(f"{SHOP}?sort=x&op=%3D")).text
        assert (await client.get(f"{SHOP}?index=none")).status == 404
        refused = await client.get(f"{SHOP}?key=a&attr=PK&is=eq&value=a&lang=en")
        assert "The store does not accept this request" in refused.text
        store.before = answers(NoAnswer("connection refused"))
        for path in ("/console/tables", SHOP, f"{SHOP}/item?key=a&sort=b", "/console/partiql?statement=SELECT"):
            assert "The store does not answer. Is it running?" in (await client.get(path)).text


async def test_one_item_its_indexes_relations_and_neighbours() -> None:
    async with shop() as (client, _):
        order = (await client.get(f"{SHOP}/item?key={ORDER}&sort={ORDER}&lang=en")).text.replace("&amp;", "&")
        assert f"{SHOP}?index=GSI1&key=c%23customer_id-000000000005&op=%3D&sort=o%23" in order
        assert f"{SHOP}?key=o%23order_id-000000000000&op=begins_with&sort=p%23" in order, "its products"
        assert 'rel="prev"' in order
        assert 'rel="next"' in order
        invoice = (await client.get(f"{SHOP}/item?key={ORDER}&sort=i%23invoice_id-000000000000&lang=en")).text
        assert "Not in it: invoices has no GSI1PK." in invoice
        assert "belongs to one" in invoice
        for path in (f"{SHOP}/item", f"{SHOP}/item?key=a&sort=b", "/console/tables/none/item?key=a&sort=b"):
            assert (await client.get(path)).status == 404


async def test_partiql_reads_and_does_nothing_else() -> None:
    async with shop() as (client, store):
        shown = await client.get(
            "/console/partiql?statement=SELECT+*+FROM+%22OnlineShop%22+WHERE+%22PK%22='" + ORDER + "'"
        )
        assert shown.text.count('class="key coloured"') == 13
        for statement in ("DELETE FROM OnlineShop WHERE PK='a' AND SK='b'", "SELECT", "UPDATE x"):
            reply = await client.get("/console/partiql?statement=" + statement.replace(" ", "+"))
            assert reply.status == 422
        assert not any(
            operation == "ExecuteStatement" and "SELECT" not in str(request) for operation, request in store.asked
        )


async def test_personal_attributes_are_covered_until_asked_for_and_that_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with shop() as (client, store):
        item = {"PK": {"S": "u"}, "SK": {"S": "u"}, "email": {"S": "mei@demo.example"}}
        await store.store.call("PutItem", {"TableName": "OnlineShop", "Item": item})
        pages = (f"{SHOP}?key=u", f"{SHOP}/item?key=u&sort=u", f"{SHOP}/export?key=u")
        statement = "/console/partiql?statement=SELECT+*+FROM+OnlineShop+WHERE+PK='u'"
        for path in (*pages, statement):
            text = (await client.get(path)).text
            assert "mei@demo.example" not in text
            assert COVER in text
        with caplog.at_level(logging.WARNING, "sekkei.web.console"):
            assert (await client.post("/console/reveal", {"next": pages[0]})).location == pages[0]
        assert "personal attributes were uncovered" in caplog.text
        for path in (*pages, statement):
            assert "mei@demo.example" in (await client.get(path)).text
        stranger = client.another(cookies={"sekkei_reveal": client.cookies["sekkei_reveal"]})
        assert COVER in (await stranger.get(pages[0])).text, "it is good for one browser only"


async def test_an_export_ends_where_the_table_ends() -> None:
    """However many pages that takes."""

    def page(request: Request) -> Response:
        number = len(store.asked)
        last = {} if number == 300 else {"LastEvaluatedKey": {"id": {"N": str(number)}}}
        return {"Items": [{"id": {"N": "1"}}] * 1_000, **last}

    store = ScriptedStore(before=answers(page))
    found = [len(items) async for items in reading.each_page(store, "Scan", {"TableName": "t"})]
    assert sum(found) == 300_000
    assert store.asked[-1][1]["ExclusiveStartKey"] == {"id": {"N": "299"}}
