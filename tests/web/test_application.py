"""The shell around a system: pages, forms, errors."""

from __future__ import annotations

import dataclasses

import pytest

from sekkei.runtime.design import design as runtime_design
from sekkei.runtime.system import Context, Parts
from sekkei.web.application import application
from sekkei.web.demo import load
from sekkei.web.identity.design import design as web_design
from sekkei.web.shell import FORWARDING
from sekkei.web.testing import opened, test_settings
from tests.web.example import SYSTEM
from tests.web.example.design import table


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


@pytest.mark.parametrize("header", sorted(FORWARDING))
async def test_whoever_comes_through_a_proxy_is_a_stranger(header: str) -> None:
    async with opened(SYSTEM) as client:
        assert (await client.get("/console/outbox")).status == 200, "on one's own machine"
        forwarded = await client.get("/console/outbox", headers={header: "203.0.113.9"})
        assert forwarded.status == 303, "to the sign-in"
        assert "demo-aoi" not in (await client.get("/sign-in", headers={header: "203.0.113.9"})).text


@pytest.mark.parametrize("url", ["https://tasks.example.com", "http://192.168.1.5:8000"])
async def test_nobody_is_local_when_the_public_address_is_not(url: str) -> None:
    """nginx with a bare proxy_pass adds no header at all, and names us by our own address."""
    async with opened(SYSTEM, settings=test_settings(public_url=url)) as client:
        assert (await client.get("/console/outbox")).status == 303
        assert "demo-aoi" not in (await client.get("/sign-in")).text
        assert (await client.post("/sign-in/demo", {"person": "demo-aoi"})).status == 403


async def test_another_name_in_the_request_is_not_local() -> None:
    async with opened(SYSTEM, settings=test_settings(values={"hosts": "intranet"})) as client:
        client.host = "intranet"
        assert (await client.get("/console/outbox")).status == 303


async def test_tables_of_an_earlier_version_get_what_they_lack() -> None:
    """As in a file that was written before the design had a stream; what it has already is left."""
    async with opened(SYSTEM) as client:
        shell, store = client.shell, client.shell.deployment.store
        name = shell.deployment.systems["example"].context.db.table_name(table)
        before = await store.call("DescribeTable", {"TableName": name})
        assert before["Table"]["StreamSpecification"]["StreamEnabled"]
        await store.call("UpdateTable", {"TableName": name, "StreamSpecification": {"StreamEnabled": False}})
        await shell.bring_up_to_date()
        after = await store.call("DescribeTable", {"TableName": name})
        assert after["Table"]["StreamSpecification"] == before["Table"]["StreamSpecification"]
        assert await shell.deployment.change_tables() == []


async def test_every_table_is_described_once_when_a_file_is_opened() -> None:
    async with opened(SYSTEM) as client:
        deployment = client.shell.deployment
        before = deployment.store.calls["DescribeTable"]
        again = application([SYSTEM], deployment.store, deployment.settings).state.shell
        await again.bring_up_to_date()
        await again.prepare()
        tables = len(web_design.tables) + len(runtime_design.tables) + len(SYSTEM.design.tables)
        assert deployment.store.calls["DescribeTable"] - before == tables
