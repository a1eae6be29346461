"""Whoever deletes their account is found in no table of the five systems afterwards, and has a file of it all."""

from __future__ import annotations

import io
import zipfile

import orjson
import pytest

from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.store import Embedded
from sekkei.web.testing import Client
from tests.systems.together import client as client
from tests.systems.together import store as store
from tests.systems.together import tables

REN = DEMO_PEOPLE[1]


@pytest.fixture(autouse=True)
async def signed_in(client: Client) -> None:
    await client.sign_in(REN.id)


async def found(store: Embedded, *marks: str) -> dict[str, list[str]]:
    """Rows of each table that hold one of these, wherever."""
    there = {
        name: [str(row) for row in rows if any(mark in str(row) for mark in marks)]
        for name, rows in (await tables(store)).items()
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


async def test_a_request_that_could_be_repeated_names_nobody(client: Client, store: Embedded) -> None:
    """The row that answers it is kept for a week, longer than whoever leaves."""
    team = (await client.json("POST", "/tasks/api/teams", {"name": "班"})).json()["id"]
    key = {"Idempotency-Key": "k1"}
    task = {"title": "秘密の仕事", "assignee": REN.id}
    made = await client.json("POST", f"/tasks/api/teams/{team}/tasks", task, headers=key)
    assert made.status == 201, made.text
    marks = [str(row) for row in (await tables(store))["sekkei-runtime"] if "ONCE#" in str(row)]
    assert len(marks) == 1
    assert not [word for word in (REN.id, REN.email, "秘密の仕事") if word in marks[0]]
    again = await client.json("POST", f"/tasks/api/teams/{team}/tasks", task, headers=key)
    assert again.json() == made.json()


async def test_their_file_has_something_of_every_system(client: Client) -> None:
    answer = await client.get("/account/export")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        names = archive.namelist()
        assert {name.partition("/")[0] for name in names} >= {"account.json", "tasks", "lessons", "q"}
        for name in names:
            if name.endswith(".json"):
                orjson.loads(archive.read(name))
