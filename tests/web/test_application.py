"""The shell around a system: pages, forms, errors."""

from __future__ import annotations

import dataclasses

import pytest

from sekkei.runtime.system import Context, Parts
from sekkei.web.demo import load
from sekkei.web.testing import opened
from tests.web.example import SYSTEM


async def test_a_page_a_form_and_a_message() -> None:
    async with opened(SYSTEM) as client:
        reply = await client.get("/example/")
        assert (reply.status, reply.location) == (303, "/sign-in?next=%2Fexample%2F")
        await client.sign_in()
        assert "0 件" in (await client.get("/example/")).text
        reply = await client.post("/example/", {"text": "牛乳"})
        assert (reply.status, reply.location) == (303, "/example/")
        shown = await client.get("/example/")
        assert "牛乳" in shown.text
        assert "書きました。" in shown.text
        assert "書きました。" not in (await client.get("/example/")).text


async def test_home_names_what_runs() -> None:
    async with opened(SYSTEM) as client:
        shown = await client.get("/")
        assert shown.status == 200
        assert "メモ帳" in shown.text
        assert 'href="/example/docs"' in shown.text
    async with opened() as client:
        assert (await client.get("/")).status == 200


async def test_demo_data_is_loaded_once_and_one_that_fails_leaves_the_others() -> None:
    async def fails(ctx: Context, parts: Parts) -> None:
        raise RuntimeError("no data")

    broken = dataclasses.replace(SYSTEM, name="broken", demo=fails)
    async with opened(broken, SYSTEM) as client:
        with pytest.raises(RuntimeError, match="no data"):
            await load(client.shell, strict=True)
        assert await load(client.shell) == ["example"]
        assert await load(client.shell) == []
        await client.sign_in()
        assert "牛乳を買う" in (await client.get("/example/")).text
