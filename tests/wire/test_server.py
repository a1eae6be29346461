"""Starting, stopping, and whom the server lets in."""

from __future__ import annotations

import asyncio
import logging
import socket

import pytest

from sekkei.wire.limits import Limits
from sekkei.wire.server import OpenToStrangers, Server, is_loopback
from sekkei.wire.sigv4 import Key
from tests.wire.client import Client, post, signed_post, until
from tests.wire.conftest import FakeEngine, Serve


async def test_stopping_answers_what_is_under_way(serve: Serve, engine: FakeEngine) -> None:
    server = await serve()
    busy, idle = await Client.connect(server.port), await Client.connect(server.port)
    assert (await idle.ask(post("GetItem"))).status == 200
    engine.commit.clear()
    busy.send(post("PutItem", {"TableName": "first"}) + post("PutItem", {"TableName": "second"}))
    await engine.called.wait()
    port = server.port
    stopping = asyncio.create_task(server.stop())
    assert await idle.closed()
    with pytest.raises(ConnectionRefusedError):
        await Client.connect(port)
    assert not stopping.done()
    engine.commit.set()
    assert (await busy.reply()).json() == {"Written": "first"}
    last = await busy.reply()
    assert (last.json(), last.headers["connection"]) == ({"Written": "second"}, "close")
    assert await busy.closed()
    await stopping


async def test_stopping_waits_for_a_request_that_is_half_there(serve: Serve, engine: FakeEngine) -> None:
    server = await serve()
    client = await Client.connect(server.port)
    data = post("PutItem", {"TableName": "half"})
    client.send(data[:-5])
    await until(lambda: any(connection._in_message for connection in server._connections))
    stopping = asyncio.create_task(server.stop())
    await asyncio.sleep(0)
    reply = await client.ask(data[-5:])
    assert (reply.json(), reply.headers["connection"]) == ({"Written": "half"}, "close")
    await stopping


async def test_stopping_cuts_off_who_takes_too_long(serve: Serve, engine: FakeEngine) -> None:
    server = await serve(shutdown_seconds=0.05)
    client = await Client.connect(server.port)
    engine.commit.clear()
    client.send(post("PutItem", {"TableName": "never"}))
    await engine.called.wait()
    await server.stop()
    assert await client.closed()


@pytest.mark.parametrize("host", ["0.0.0.0", "", "::", "192.0.2.1"])
async def test_without_keys_only_this_machine_may_connect(engine: FakeEngine, host: str) -> None:
    with pytest.raises(OpenToStrangers, match="SEKKEI_ACCESS_KEY_ID and SEKKEI_SECRET_ACCESS_KEY"):
        await Server(engine).start(host, 0)


async def test_with_keys_any_address_will_do(engine: FakeEngine) -> None:
    server = Server(engine, {"AKIDLOCAL": Key("secret")})
    await server.start("0.0.0.0", 0)
    client = await Client.connect(server.port)
    assert (await client.ask(signed_post("GetItem", b"{}", "AKIDLOCAL", "secret"))).status == 200
    client.close()
    await server.stop()


def test_loopback() -> None:
    assert all(is_loopback(host) for host in ("127.0.0.1", "127.1.2.3", "localhost", "::1"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "::", "", "192.0.2.1"))
    with pytest.raises(socket.gaierror):
        is_loopback("no-such-host.invalid")


async def test_one_line_per_request_at_debug_and_no_secret_in_it(
    engine: FakeEngine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "sekkei.wire")
    server = Server(engine, {"AKIDLOCAL": Key("the-secret")}, limits=Limits())
    await server.start()
    client = await Client.connect(server.port)
    reply = await client.ask(signed_post("GetItem", b'{"TableName":"private"}', "AKIDLOCAL", "the-secret"))
    await client.ask(signed_post("DeleteItem", b"{}", "AKIDLOCAL", "the-secret"))
    client.close()
    await server.stop()
    first, second = [record.__dict__ for record in caplog.records if record.message == "request"]
    assert (first["operation"], first["status"]) == ("GetItem", 200)
    assert first["request_id"] == reply.headers["x-amzn-requestid"]
    assert first["microseconds"] >= 0
    assert (second["status"], second["error"]) == (400, "ConditionalCheckFailedException")
    for record in caplog.records:
        said = repr(record.__dict__)
        assert "the-secret" not in said
        assert "private" not in said
        assert "Signature" not in said
