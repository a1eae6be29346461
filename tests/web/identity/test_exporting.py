"""Everything as one file: of every system, for its owner alone, without what only opens the account."""

from __future__ import annotations

import io
import zipfile
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.web.testing import Client, opened
from tests.web.example import SYSTEM

AOI = "demo-aoi"


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with opened(SYSTEM, clock=ManualClock()) as found:
        await found.sign_in(AOI)
        yield found


async def exported(client: Client) -> dict[str, Any]:
    answer = await client.get("/account/export")
    assert (answer.status, answer.header("content-type")) == (200, "application/zip")
    assert "attachment" in (answer.header("content-disposition") or "")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        assert archive.testzip() is None
        files = {name: archive.read(name) for name in archive.namelist()}
    return {name: orjson.loads(body) if name.endswith(".json") else body for name, body in files.items()}


async def test_every_system_and_the_account_are_in_it(client: Client) -> None:
    for text in ("牛乳", "卵"):
        await client.post("/example/", {"text": text})
    await client.post("/account/tokens", {"name": "script"})
    other = client.another()
    await other.sign_in("demo-ren")
    await other.post("/example/", {"text": "蓮のメモ"})
    found = await exported(client)
    assert set(found) == {"account.json", "messages.json", "example/notes.json", "example/cover.txt"}
    assert {note["text"] for note in found["example/notes.json"]} == {"牛乳", "卵"}
    assert found["example/cover.txt"] == b"a file as it is"
    assert found["account.json"]["account"]["email"] == "aoi@demo.example"
    assert [one["name"] for one in found["account.json"]["tokens"]] == ["script"]
    assert [one["subject"] for one in found["messages.json"]] == ["アカウントの設定が変わりました"]


async def test_nothing_in_it_opens_the_account(client: Client) -> None:
    await client.post("/account/password", {"password": "correct horse battery"})
    await client.post("/prove/mail", {})
    (token,) = [one async for one in _hashes(client)]
    text = str(await exported(client))
    assert "argon2" not in text
    assert token not in text
    assert "確認コード" not in text, "a code that was mailed is a key"


async def _hashes(client: Client) -> AsyncIterator[str]:
    for one in await client.shell.accounts.sessions(AOI):
        yield one.hash


async def test_it_needs_a_proof_and_a_person(client: Client) -> None:
    clock = client.shell.clock
    assert isinstance(clock, ManualClock)
    clock.advance(601)
    answer = await client.get("/account/export")
    assert (answer.status, answer.header("location")) == (303, "/prove?next=%2Faccount%2Fexport")
    token = await client.shell.accounts.make_token(AOI, "script")
    assert (await client.another(bearer=token).get("/account/export")).status == 403
