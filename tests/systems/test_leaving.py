"""Whoever deletes their account is found in no table of the five systems afterwards, and has a file of it all."""

from __future__ import annotations

import io
import zipfile
from collections.abc import AsyncIterator

import orjson
import pytest

from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.discovery import load_all
from sekkei.store import Embedded
from sekkei.web.testing import Client, opened
from tests.systems.test_secrets_at_rest import rows

REN = DEMO_PEOPLE[1]


@pytest.fixture
async def store() -> AsyncIterator[Embedded]:
    made = Embedded()
    yield made
    await made.close()


@pytest.fixture
async def client(store: Embedded) -> AsyncIterator[Client]:
    systems, missing = load_all()
    assert missing == {}
    async with opened(*systems, store=store, demo=True) as client:
        await client.work()
        await client.sign_in(REN.id)
        yield client


async def found(store: Embedded, *marks: str) -> dict[str, list[str]]:
    """Rows of each table that hold one of these, wherever."""
    names = (await store.call("ListTables", {}))["TableNames"]
    there = {
        name: [str(row) async for row in rows(store, name) if any(mark in str(row) for mark in marks)] for name in names
    }
    return {name: held for name, held in there.items() if held}


async def test_somebody_of_all_systems_leaves_no_trace(client: Client, store: Embedded) -> None:
    before = await found(store, REN.id, REN.email)
    assert len(before) >= 8, "they are at home in many tables"
    page = await client.get("/account/leave")
    assert page.status == 200
    answer = await client.post("/account/leave", {"sure": "on"})
    assert answer.status == 303, answer.text
    await client.work()
    assert await found(store, REN.id, REN.email) == {}


async def test_their_file_has_something_of_every_system(client: Client) -> None:
    answer = await client.get("/account/export")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        names = archive.namelist()
        assert {name.partition("/")[0] for name in names} >= {"account.json", "tasks", "lessons", "q"}
        for name in names:
            if name.endswith(".json"):
                orjson.loads(archive.read(name))
