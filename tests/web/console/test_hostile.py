"""The console against items, addresses and requests that mean harm; every view of one item that has it all."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.routing import Route

from sekkei.design import Attr, Design, Key, Query, attr, model, part
from sekkei.errors import NoAnswer
from sekkei.store import Embedded, Store
from sekkei.store.read_only import ReadOnly
from sekkei.web.console import pages
from sekkei.web.console.masks import COVER
from sekkei.web.console.target import Looked
from sekkei.web.testing import Client, opened
from tests.scripted_store import ScriptedStore, ends_after

BAD = "/console/tables/bad"
DIGITS = "12345678901234567890123456789012345678"
SECRETS = ("mei@example.com", "090-1234", "top@example.com", "Shibuya 1-2")


def deep(levels: int) -> dict[str, Any]:
    found: dict[str, Any] = {"S": "bottom"}
    for _ in range(levels):
        found = {"M": {"d": found}}
    return found


ITEM: dict[str, Any] = {
    "PK": {"S": "a'b\"c#d/e?f&g%"},
    "SK": {"S": "../../<script>alert(1)</script>"},
    "text": {"S": "<script>alert(1)</script><img src=x onerror=alert(1)>"},
    "link": {"S": "javascript:alert(1)"},
    "turned": {"S": "exe.\u202egpj"},
    "big": {"S": "x" * 300_000},
    "bytes": {"B": "AAECAw=="},
    "deep": deep(31),
    "number": {"N": DIGITS},
    "numbers": {"NS": ["1.5", DIGITS]},
    "many": {"BS": ["AAE="]},
    "nothing": {"NULL": True},
    "<b>'\"name": {"S": "odd"},
    "profile": {"M": {"email": {"S": SECRETS[0]}, "further": {"L": [{"M": {"phone": {"S": SECRETS[1]}}}]}}},
    "email": {"S": SECRETS[2]},
    "address": {"M": {"line1": {"S": SECRETS[3]}}},
}
KEY = urlencode({"key": ITEM["PK"]["S"], "sort": ITEM["SK"]["S"]})
VIEWS = [
    BAD,
    f"{BAD}/item?{KEY}",
    f"{BAD}/edit?{KEY}",
    f"{BAD}/edit?{KEY}&mode=raw",
    f"{BAD}/new?{KEY}",
    f"{BAD}/history?{KEY}",
    f"{BAD}/history?{KEY}&at=9999-12-31T23:59:59",
    f"{BAD}/changes",
    f"{BAD}?{urlencode({'columns': 'profile.email, address.line1'})}",
    f"{BAD}?{urlencode({'attr': 'profile.email', 'is': 'exists'})}",
    "/console/partiql?" + urlencode({"statement": 'SELECT * FROM "bad"'}),
    "/console/partiql?" + urlencode({"statement": 'SELECT address.line1, profile."further"[0].phone FROM "bad"'}),
    "/console/journal",
]
EXPORTS = [f"{BAD}/export?format={form}" for form in ("csv", "json", "ndjson")]


async def filled(**further: Any) -> Embedded:
    store = Embedded()
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    await store.call(
        "CreateTable",
        {
            "TableName": "bad",
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": stream,
        },
    )
    await store.call("PutItem", {"TableName": "bad", "Item": {**ITEM, **further}})
    return store


@asynccontextmanager
async def looking(
    store: Store, *, write: bool = True, where: str = ":memory:", remote: bool = False
) -> AsyncIterator[Client]:
    seen = store if write else ReadOnly(store)
    async with opened(looked=Looked(seen, {}, "dev", where, write, remote, alone=True)) as client:
        yield client
    await store.close()


async def edited(client: Client, change: Mapping[str, Any], **further: str) -> Any:
    """The raw form of the item, sent back with a change."""
    page = (await client.get(f"{BAD}/edit?{KEY}&mode=raw&lang=en")).text
    seen = re.search(r'name="seen" value="(\w+)"', page)
    assert seen is not None
    raw = json.dumps({**{name: {"S": COVER} for name in ("profile", "email", "address")}, **change})
    return await client.post(f"{BAD}/edit?{KEY}&mode=raw&lang=en", {"raw": raw, "seen": seen[1], **further})


async def test_no_value_is_executed_turned_around_or_uncovered_in_any_view() -> None:
    store = await filled()
    async with looking(store) as client:
        keys = {name: ITEM[name] for name in ("PK", "SK", "turned")}
        assert (await edited(client, {**keys, "text": {"S": "<script>alert(2)</script>"}})).status == 303
        for path in VIEWS:
            reply = await client.get(path)
            assert reply.status == 200, path
            assert "<script>alert" not in reply.text, path
            assert "onerror=alert(1)>" not in reply.text, path
            assert 'href="javascript' not in reply.text, path
            assert not [one for one in SECRETS if one in reply.text], path
            if "/edit" not in path and "/new" not in path:
                assert "\u202e" not in reply.text, path
        for path in EXPORTS:
            reply = await client.get(path)
            assert "attachment" in str(reply.header("content-disposition"))
            assert not [one for one in SECRETS if one in reply.text], path


async def test_what_is_covered_survives_an_edit_that_did_not_see_it() -> None:
    store = await filled()
    async with looking(store) as client:
        await edited(client, {name: ITEM[name] for name in ("PK", "SK")})
        (item,) = (await store.call("Scan", {"TableName": "bad"}))["Items"]
        assert item == {name: ITEM[name] for name in ("PK", "SK", "profile", "email", "address")}


async def test_numbers_keep_all_their_digits_and_links_lead_to_odd_keys() -> None:
    async with looking(await filled()) as client:
        for path in (*VIEWS[:4], *EXPORTS):
            assert DIGITS in (await client.get(path)).text, path
        page = (await client.get(BAD)).text
        links = {one.replace("&amp;", "&") for one in re.findall(rf'href="({BAD}[^"]*key=[^"]*)"', page)}
        assert len(links) == 2
        for link in links:
            assert "exe.\\u202egpj" in (await client.get(link)).text


async def test_a_long_partition_key_is_linked_in_full() -> None:
    key = "k" * 2000
    async with looking(await filled(PK={"S": key})) as client:
        assert f'{BAD}?key={key}"' in (await client.get(BAD)).text


async def test_uncovering_is_logged_without_values(caplog: pytest.LogCaptureFixture) -> None:
    async with looking(await filled()) as client:
        with caplog.at_level(logging.WARNING, "sekkei.web.console"):
            await client.post("/console/reveal", {"next": f"{BAD}?attr=email&is=eq&value={SECRETS[2]}"})
        (said,) = [record for record in caplog.records if record.message == "personal attributes were uncovered"]
        assert SECRETS[2] not in str(said.__dict__)
        assert SECRETS[0] in (await client.get(BAD)).text
        assert SECRETS[0] in (await client.get(EXPORTS[0])).text


people = Design("people")
table = people.table("people", "PK", "SK", discriminator="type")


@model
class Home:
    street: Attr[str] = attr()
    floor: Attr[int] = attr(default=1)


@model
class Member:
    team: Attr[str] = part()
    id: Attr[str] = part()
    contact: Attr[str] = attr("email")
    lives: Attr[Home] = attr()
    notes: Attr[dict[str, str]] = attr()


@table.entity(Member, type="member")
def members(team: str, id: str) -> Key:
    return Key(f"t#{team}", f"m#{id}")


@people.pattern
def members_of(team: str) -> Query[Member]:
    """The members of a team."""
    return members.where(Member.team == team)


async def test_a_pattern_that_is_run_covers_what_is_personal_until_asked() -> None:
    from sekkei.advice.assistant_tools import Answers
    from sekkei.design import Measurements

    store = Embedded()
    db = people.open(store, env="dev")
    await db.create_tables()
    lives, notes = Home(street="Shibuya 1-2"), {"phone": "090-1234", "likes": "tea"}
    await db.write(members.create(Member(team="a", id="1", contact="mei@example.com", lives=lives, notes=notes)))
    run = "/console/patterns/people/members_of?go=1&team=a"
    looked = Looked(ReadOnly(store), {"people": people}, "dev", ":memory:", alone=True)
    async with opened(looked=looked) as client:
        shown = (await client.get(run)).text
        assert not [one for one in SECRETS if one in shown]
        assert "tea" in shown
        await client.post("/console/reveal", {"next": run})
        shown = (await client.get(run)).text
        assert [one for one in SECRETS if one in shown] == [SECRETS[0], SECRETS[1], SECRETS[3]]
    answers = Answers(people, store, env="dev", measured=Measurements(), secret=b"s")
    for told in (await answers.run("members_of", {"team": "a"}), await answers.sample("members")):
        assert not [one for one in SECRETS if one in str(told)], "nor does an assistant see it"
    await store.close()


WRITING = sorted(
    {
        (method, route.path)
        for route in pages.routes()
        if isinstance(route, Route)
        for method in route.methods or ()
        if method not in ("GET", "HEAD")
    }
)


def sent_to(path: str) -> str:
    return path.replace("{name}", "bad").replace("{number:int}", "1") + ("" if "journal" in path else f"?{KEY}")


@pytest.mark.parametrize(("method", "path"), WRITING)
async def test_every_route_that_writes_needs_write_and_a_token(method: str, path: str) -> None:
    form = {"raw": json.dumps({**ITEM, "x": {"S": "y"}}), "seen": "x", "kind": "message", "id": "web/1", "name": "a"}
    store = await filled()
    async with looking(store, write=False) as client:
        reply = await client.post(sent_to(path), form)
        assert reply.status in ((303,) if path == "/console/reveal" else (403, 404))
        for other in ("PUT", "DELETE", "PATCH"):
            assert (await client.json(other, sent_to(path), form)).status == 405
        (item,) = (await store.call("Scan", {"TableName": "bad"}))["Items"]
        assert item == ITEM
    async with looking(await filled(), write=True) as client:
        assert (await client.post(sent_to(path), form, token="0" * 64)).status == 403
        assert (await client.post(sent_to(path), form, token="")).status == 403


async def test_a_confirmation_names_one_store_and_is_good_for_no_other() -> None:
    store = await filled()
    change = {**{name: ITEM[name] for name in ("PK", "SK")}, "text": {"S": "new"}}
    here, elsewhere = "dynamodb://ap-northeast-1", "dynamodb://us-east-1"
    async with looking(store, where=here, remote=True) as client:
        for said in ("", elsewhere, "1", here.upper()):
            reply = await edited(client, change, confirm=said)
            assert reply.status == 200
            assert f"Write to {here}" in reply.text
            assert not [one for one in SECRETS if one in reply.text]
        (item,) = (await store.call("Scan", {"TableName": "bad"}))["Items"]
        assert item == ITEM, "nothing was written"
        assert (await edited(client, change, confirm=here)).status == 303
        undo = await client.post("/console/journal/1/undo?lang=en", {"confirm": elsewhere}, follow=True)
        assert here in undo.text
        (item,) = (await store.call("Scan", {"TableName": "bad"}))["Items"]
        assert item["text"] == {"S": "new"}


@pytest.mark.parametrize("calls", [0, 1, 2])
async def test_a_store_that_goes_away_is_a_sentence_on_every_page(calls: int) -> None:
    store = ScriptedStore(await filled())
    async with looking(store) as client:
        for path in ("/console/tables", *VIEWS, *EXPORTS):
            store.before = ends_after(calls, NoAnswer("connection refused"))
            reply = await client.get(f"{path}{'&' if '?' in path else '?'}lang=en")
            assert reply.status in (200, 404, 422, 502, 503), path
            if reply.status != 200:
                assert "Traceback" not in reply.text, path
                assert reply.status == 404 or "connection refused" in reply.text, path


async def test_what_was_typed_outlives_a_store_that_went_away() -> None:
    store = ScriptedStore(await filled())
    change = {**{name: ITEM[name] for name in ("PK", "SK")}, "text": {"S": "typed"}}
    async with looking(store) as client:
        page = (await client.get(f"{BAD}/edit?{KEY}&mode=raw")).text
        seen = re.search(r'name="seen" value="(\w+)"', page)
        assert seen is not None
        form = {"raw": json.dumps(change), "seen": seen[1]}
        for calls in (0, 1, 2):
            store.before = ends_after(calls, NoAnswer("connection refused"))
            reply = await client.post(f"{BAD}/edit?{KEY}&mode=raw&lang=en", form)
            assert reply.status in (422, 502)
            assert "connection refused" in reply.text
            assert "typed" in reply.text
            assert seen[1] in reply.text
        store.before = None
        assert (await client.post(f"{BAD}/edit?{KEY}&mode=raw", form)).status == 303


@pytest.mark.parametrize(
    "raw",
    [
        "[" * 100_000,
        '{"PK": {"S": "a"}, "SK": {"S": "b"}, "x": ' + '{"M": {"d": ' * 3000 + '{"S": ""}' + "}}" * 3000 + "}",
        '{"PK": {"S": "\\ud800"}, "SK": {"S": "b"}}',
        '{"PK": {"S": 1}, "SK": {"S": "b"}}',
        '{"PK": {"S": "a"}, "SK": {"S": "b"}, "n": {"N": 1e400}}',
        '{"PK": {"S": "a"}, "SK": {"S": "b"}, "n": {"N": NaN}}',
        '{"PK": {"S": "a"}, "SK": {"S": "b"}, "": {"S": "x"}}',
        '{"PK": {"S": ""}, "SK": {"S": "b"}}',
        '{"PK": {"S": "a"}, "SK": {"S": "b"}, "s": {"SS": []}}',
        "null",
    ],
    ids=["open", "deep", "surrogate", "no-text", "huge", "nan", "no-name", "no-key", "no-set", "null"],
)
async def test_what_is_no_item_is_told_and_stays_in_the_form(raw: str) -> None:
    store = await filled()
    async with looking(store) as client:
        reply = await client.post(f"{BAD}/new?mode=raw&lang=en", {"raw": raw, "seen": "x"})
        assert reply.status == 422
        assert 'role="alert"' in reply.text
        assert raw[:20].replace('"', "&#34;") in reply.text
        assert (await store.call("Scan", {"TableName": "bad", "Select": "COUNT"}))["Count"] == 1


async def test_an_item_too_wide_for_a_condition_is_not_undone_and_says_so() -> None:
    wide = {"PK": {"S": "w"}, "SK": {"S": "w"}, **{f"a{number}": {"S": "x"} for number in range(200)}}
    async with looking(await filled()) as client:
        assert (await client.post(f"{BAD}/new?mode=raw", {"raw": json.dumps(wide)})).status == 303
        undone = await client.post("/console/journal/1/undo?lang=en", {}, follow=True)
        assert "too many attributes" in undone.text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"attr": "a", "is": "in", "value": ",".join(map(str, range(101)))}, 422),
        ({"attr": "a", "is": "in", "value": ",".join(map(str, range(100)))}, 200),
        ({"key": "\x00"}, 200),
        ({"attr": "number", "is": "eq", "type": "N", "value": "9" * 60}, 422),
        ({"attr": "number", "is": "eq", "type": "N", "value": DIGITS}, 200),
        ({"attr": "number", "is": "eq", "type": "N", "value": "１"}, 422),
        ({"attr": "number", "is": "between", "type": "N", "value": "1", "and": ""}, 422),
    ],
)
async def test_questions_are_asked_whole_or_refused(query: dict[str, str], status: int) -> None:
    async with looking(await filled()) as client:
        reply = await client.get(f"{BAD}?{urlencode(query)}")
        assert reply.status == status
        typed = next(iter(reversed(query.values())))
        assert status == 200 or not typed or typed in reply.text, "what was typed stays"


@pytest.mark.parametrize("path", ["item?key=&sort=", "item?key=a", "edit?key=&sort=x", "history?key=&sort="])
async def test_an_empty_key_leads_nowhere(path: str) -> None:
    async with looking(await filled()) as client:
        assert (await client.get(f"{BAD}/{path}")).status == 404
