"""`sekkei mcp`: the SDK's own client talks to it, over stdin and stdout and over HTTP."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from sekkei import cli
from sekkei.advice.assistant_tools import Answers
from sekkei.advice.sample_data import example_of, furnished
from sekkei.commands.mcp import Tools, guarded, server_of
from sekkei.design import Measurements
from tests.commands.process import environment

pytest.importorskip("mcp", reason="pip install 'sekkei[mcp]'")

ROOT = Path(__file__).parents[2]
SHOP = ROOT / "examples" / "online_shop.py"


def told(result: Any) -> Any:
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


async def test_over_stdin_and_stdout_in_a_process_of_its_own() -> None:
    from mcp import Client, StdioServerParameters

    from examples.online_shop import design

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "sekkei.cli", "mcp", "examples/online_shop.py"],
        env=environment(),
        cwd=str(ROOT),
    )
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == {
            *("overview", "describe_entity", "list_patterns", "explain_pattern", "run_pattern", "price_pattern"),
            *("check_design", "sample_items", "decode_item", "propose_index"),
        }
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        assert told(await client.call_tool("overview", {}))["design"] == "online-shop"
        arguments = example_of(design, "whole_order")
        found = told(await client.call_tool("run_pattern", {"pattern": "whole_order", "arguments": arguments}))
        assert len(found["items"]) == 13
        wrong = await client.call_tool("explain_pattern", {"pattern": "nothing"})
        assert wrong.is_error
        assert "It has: whole_order" in wrong.content[0].text
        checked = told(await client.call_tool("check_design", {}))
        assert isinstance(checked, list | dict)
        outside = await client.call_tool("check_design", {"file": "/etc/passwd"})
        assert outside.is_error
        proposed = told(await client.call_tool("propose_index", {"entity": "orders", "equal": ["customer_id"]}))
        assert proposed["served_by"] == "index GSI1"


async def test_every_tool_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    from mcp import Client

    from examples.online_shop import design, invoices

    store = await furnished(design, "dev")
    try:
        answers = Answers(design, store, env="dev", measured=Measurements(), secret=b"s" * 32)
        async with Client(server_of(answers, str(SHOP))) as client:
            assert told(await client.call_tool("describe_entity", {"entity": "orders"}))["entity"] == "orders"
            assert len(told(await client.call_tool("list_patterns", {}))) == 5
            assert told(await client.call_tool("explain_pattern", {"pattern": "inventory"}))["can_be_run"]
            assert told(await client.call_tool("sample_items", {"entity": "stock", "limit": 1}))["items"]
            item = invoices.encode(invoices.decode({"PK": {"S": "o#1"}, "SK": {"S": "i#2"}, "amount": {"N": "5"}}))
            assert told(await client.call_tool("decode_item", {"item": item}))["entity"] == "invoices"
            unpriced = await client.call_tool("price_pattern", {"pattern": "inventory", "calls_per_second": 1})
            assert unpriced.is_error
            key = {"PK": {"S": "o#1"}, "SK": {"S": "i#2"}, "type": {"S": "invoice"}}
            for item in ({"PK": "x"}, {"PK": {}}, {"PK": {"S": 1}}, {**key, "amount": {"N": "5", "S": "x"}}):
                assert (await client.call_tool("decode_item", {"item": item})).is_error
            for named in ("/etc/passwd", "../../x.py", "--help", "\0.py"):
                assert (await client.call_tool("check_design", {"file": named})).is_error
            for wrong in ({"pattern": ["x"]}, {"pattern": "whole_order", "limit": "many"}, {"pattern": "__class__"}):
                assert (await client.call_tool("run_pattern", wrong)).is_error
            echoed = await client.call_tool("describe_entity", {"entity": "x" * 100_000})
            assert len(str(echoed.content)) < 3_000
            monkeypatch.setattr("sekkei.commands.mcp.ANSWER_BYTES_MAX", 100)
            assert "ask for less" in str((await client.call_tool("overview", {})).content)
        assert len(Tools(answers, "").all()) == 10
    finally:
        await store.close()


async def test_over_http_with_its_token() -> None:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "sekkei.cli", "mcp", str(SHOP), "--http", "0"),
        cwd=ROOT,
        env=environment(SEKKEI_MCP_TOKEN="a token for tests"),
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        address = re.search(r"http://\S+/mcp", (await process.stderr.readline()).decode())
        assert address is not None
        async with httpx2.AsyncClient(headers={"Authorization": "Bearer a token for tests"}) as http:
            async with Client(streamable_http_client(address[0], http_client=http)) as client:
                assert told(await client.call_tool("overview", {}))["design"] == "online-shop"
            assert (await http.post(address[0], headers={"Authorization": "Bearer wrong"})).status_code == 401
    finally:
        process.terminate()
        await process.communicate()


async def test_http_is_for_whoever_has_the_token() -> None:
    answered: list[int] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        answered.append(200)

    async def send(message: Any) -> None:
        if "status" in message:
            answered.append(message["status"])

    guard = guarded(app, "a token for tests")
    for header in (b"", b"Bearer wrong", b"a token for tests", b"Bearer a token for tests"):
        await guard({"type": "http", "headers": [(b"authorization", header)] if header else []}, None, send)
    assert answered == [401, 401, 401, 200]


def test_mistakes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SEKKEI_STORE", raising=False)
    assert cli.main(["mcp", "nothing.py"]) == 2
    assert "names no design" in capsys.readouterr().err
    monkeypatch.setenv("SEKKEI_MCP_TOKEN", "short")
    assert cli.main(["mcp", str(SHOP), "--http", "0"]) == 2
    assert "too short" in capsys.readouterr().err
