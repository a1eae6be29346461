"""Connections: order, framing, limits, and clients that misbehave while the server goes on."""

from __future__ import annotations

import asyncio
import random
import sys
from dataclasses import replace
from typing import Any

import pytest

from sekkei.wire import bodies
from sekkei.wire.limits import Limits
from sekkei.wire.server import Server
from tests.wire.client import Client, post, request, until
from tests.wire.conftest import FakeEngine, Serve
from tests.wire.peer import Peer

MIB = 1024 * 1024


async def assert_goes_on(server: Server) -> None:
    server.limits = Limits()
    client = await Client.connect(server.port)
    assert (await client.ask(post("GetItem"))).status == 200
    client.close()


# --- order and framing ------------------------------------------------------------------------------------------------


async def test_many_requests_on_one_connection(client: Client) -> None:
    for _ in range(50):
        assert (await client.ask(post("GetItem"))).status == 200


async def test_pipelined_answers_come_in_order(client: Client, engine: FakeEngine) -> None:
    """Writes that wait and reads that do not, mixed: each answer belongs to its request."""
    names = [f"t{number}" for number in range(300)]
    client.send(b"".join(post("PutItem", {"TableName": name}) + post("GetItem") for name in names))
    for name in names:
        assert (await client.reply()).json() == {"Written": name}
        assert "Item" in (await client.reply()).json()
    assert len(engine.calls) == 600


async def test_a_read_waits_for_the_write_before_it(client: Client, engine: FakeEngine) -> None:
    engine.commit.clear()
    client.send(post("PutItem", {"TableName": "t"}) + post("GetItem"))
    first = asyncio.create_task(client.reply())
    await engine.called.wait()
    assert [operation for operation, _ in engine.calls] == ["PutItem"]
    engine.commit.set()
    assert (await first).json() == {"Written": "t"}
    assert "Item" in (await client.reply()).json()


async def test_connections_do_not_wait_for_each_other(serve: Serve, engine: FakeEngine) -> None:
    server = await serve()
    writer, reader = await Client.connect(server.port), await Client.connect(server.port)
    engine.commit.clear()
    writer.send(post("PutItem", {"TableName": "t"}))
    assert (await reader.ask(post("GetItem"))).status == 200
    engine.commit.set()
    assert (await writer.reply()).status == 200


@pytest.mark.parametrize("step", [1, 2, 7, 64])
async def test_requests_may_arrive_in_pieces(client: Client, engine: FakeEngine, step: int) -> None:
    data = post("PutItem", {"TableName": "pieces"})
    for start in range(0, len(data), step):
        client.send(data[start : start + step])
        await asyncio.sleep(0)
    assert (await client.reply()).json() == {"Written": "pieces"}


def chunked(operation: str, chunks: list[bytes], **more: Any) -> bytes:
    headers: Any = {"Content-Length": None, "Transfer-Encoding": "chunked", **more}
    body = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    return post(operation, b"", headers=headers) + body


async def test_chunked_bodies(client: Client) -> None:
    reply = await client.ask(chunked("PutItem", [b'{"Table', b'Name"', b':"c"}']))
    assert reply.json() == {"Written": "c"}
    assert (await client.ask(post("GetItem"))).status == 200


async def test_expect_100_continue(client: Client) -> None:
    head, body = post("PutItem", {"TableName": "e"}, headers={"Expect": "100-continue"}).split(b"\r\n\r\n")
    client.send(head + b"\r\n\r\n")
    assert await client.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert (await client.ask(body)).json() == {"Written": "e"}


async def test_a_continue_waits_for_its_turn(client: Client, engine: FakeEngine) -> None:
    engine.commit.clear()
    head, body = post("PutItem", {"TableName": "e"}, headers={"Expect": "100-continue"}).split(b"\r\n\r\n")
    client.send(post("PutItem", {"TableName": "first"}) + head + b"\r\n\r\n")
    await engine.called.wait()
    engine.commit.set()
    assert (await client.reply()).json() == {"Written": "first"}
    assert await client.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert (await client.ask(body)).json() == {"Written": "e"}


async def test_expectation_of_a_body_too_large(client: Client) -> None:
    reply = await client.ask(post("PutItem", b"", headers={"Expect": "100-continue", "Content-Length": "99999999"}))
    assert reply.status == 413


async def test_an_offer_of_http2_is_declined(client: Client) -> None:
    offer = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABkAAQCAAAAAAIAAAAA"}
    assert (await client.ask(post("PutItem", {"TableName": "u"}, headers=offer))).json() == {"Written": "u"}
    client.send((post("GetItem", headers=offer) + post("GetItem")) * 300)
    assert {(await client.reply()).status for _ in range(600)} == {200}
    head, body = post("PutItem", {"TableName": "u"}, headers={**offer, "Expect": "100-continue"}).split(b"\r\n\r\n")
    client.send(head + b"\r\n\r\n")
    assert await client.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert (await client.ask(body)).json() == {"Written": "u"}


@pytest.mark.parametrize(
    ("version", "header", "stays"),
    [
        (b"HTTP/1.0", None, False),
        (b"HTTP/1.0", "keep-alive", True),
        (b"HTTP/1.1", None, True),
        (b"HTTP/1.1", "close", False),
    ],
)
async def test_keep_alive(client: Client, version: bytes, header: str | None, stays: bool) -> None:
    headers: Any = {"Connection": header}
    data = post("GetItem", headers=headers).replace(b"HTTP/1.1", version, 1)
    reply = await client.ask(data)
    assert (reply.status, reply.headers["connection"]) == (200, "keep-alive" if stays else "close")
    if stays:
        assert (await client.ask(data)).status == 200
    else:
        assert await client.closed()


async def test_a_client_may_close_its_half(client: Client, engine: FakeEngine) -> None:
    engine.commit.clear()
    client.send(post("PutItem", {"TableName": "h"}) + post("GetItem"))
    client.writer.write_eof()
    await engine.called.wait()
    engine.commit.set()
    assert (await client.reply()).json() == {"Written": "h"}
    assert "Item" in (await client.reply()).json()
    assert await client.closed()


async def test_a_client_that_leaves_does_not_undo_its_write(serve: Serve, engine: FakeEngine) -> None:
    server = await serve()
    client = await Client.connect(server.port)
    engine.commit.clear()
    client.send(post("PutItem", {"TableName": "gone"}))
    await engine.called.wait()
    client.writer.transport.abort()
    await assert_goes_on(server)
    engine.commit.set()
    await assert_goes_on(server)


# --- too much ---------------------------------------------------------------------------------------------------------


async def test_20_mb_are_refused_unread(serve: Serve, engine: FakeEngine) -> None:
    server = await serve(linger_seconds=10.0)
    client = await Client.connect(server.port)
    reply = await client.ask(post("PutItem", b"a" * (20 * MIB)))
    assert (reply.status, reply.headers["transfer-encoding"]) == (413, "chunked")
    assert reply.json()["message"] == "Request size limit exceeded"
    assert await client.closed()
    assert engine.calls == []
    await assert_goes_on(server)


async def test_20_mb_in_chunks_are_refused(serve: Serve, engine: FakeEngine) -> None:
    server = await serve(linger_seconds=10.0)
    client = await Client.connect(server.port)
    reply = await client.ask(chunked("PutItem", [b" " * MIB] * 20))
    assert reply.status == 413
    assert server.buffer(0)
    assert server._buffered_bytes == 0
    assert engine.calls == []
    await assert_goes_on(server)


async def test_16_mb_are_accepted_and_one_byte_more_is_not(serve: Serve) -> None:
    server = await serve(linger_seconds=10.0)
    client = await Client.connect(server.port)
    full = b'{"TableName":"big"' + b" " * (16 * MIB - 19) + b"}"
    assert (await client.ask(post("PutItem", full))).json() == {"Written": "big"}
    assert (await client.ask(post("PutItem", full + b" "))).status == 413


async def test_what_is_refused_comes_after_what_was_asked_before(client: Client, engine: FakeEngine) -> None:
    engine.commit.clear()
    client.send(post("PutItem", {"TableName": "a"}) + post("PutItem", b"", headers={"Content-Length": "99999999"}))
    await engine.called.wait()
    engine.commit.set()
    assert (await client.reply()).json() == {"Written": "a"}
    assert (await client.reply()).status == 413
    assert await client.closed()


async def test_memory_for_bodies_is_bounded(serve: Serve, engine: FakeEngine) -> None:
    server = await serve(buffered_bytes_max=MIB)
    first, second = await Client.connect(server.port), await Client.connect(server.port)
    body = b'{"TableName":"x"' + b" " * MIB + b"}"
    data = post("PutItem", body)
    first.send(data[:-200])
    await first.writer.drain()
    await until(lambda: server._buffered_bytes > MIB // 2)
    assert (await second.ask(data)).status == 503
    assert (await first.ask(data[-200:])).json() == {"Written": "x"}
    assert server._buffered_bytes == 0


async def test_small_chunks_are_counted_as_what_they_take(engine: FakeEngine) -> None:
    """In chunks of two bytes, a body of 16 MB is 450 MB of objects."""
    server = Server(engine)
    peer = Peer(server)
    peer.connection.data_received(chunked("PutItem", [b"  "] * 500)[:-5])
    assert server._buffered_bytes > 500 * sys.getsizeof(b"  ")
    peer.connection.connection_lost(None)
    assert server._buffered_bytes == 0


@pytest.mark.parametrize(
    "head",
    [
        b"X-Long: " + b"a" * (1 * MIB),
        b"".join(b"X-%d: 1\r\n" % number for number in range(5000)),
        b"".join(b"X-%d: %b\r\n" % (number, b"b" * 4000) for number in range(90)),
    ],
    ids=["one endless header", "many headers", "large headers"],
)
async def test_floods_of_headers(serve: Serve, head: bytes) -> None:
    server = await serve(linger_seconds=10.0)
    client = await Client.connect(server.port)
    for start in range(0, len(head), 16_384):
        client.send(head[:0] if start else b"POST / HTTP/1.1\r\nHost: x\r\n")
        client.send(head[start : start + 16_384])
        await client.writer.drain()
    assert (await client.reply()).status == 431
    assert await client.closed()
    await assert_goes_on(server)


@pytest.mark.parametrize("value", [b"a" * 70_000, b"a" * 200_000])
async def test_a_large_head_in_one_burst(serve: Serve, value: bytes) -> None:
    """Refused like one that comes in pieces, with its body and all."""
    server = await serve(linger_seconds=10.0)
    client = await Client.connect(server.port)
    client.send(b"POST / HTTP/1.1\r\nHost: x\r\nX-Long: " + value + b"\r\nContent-Length: 2\r\n\r\n{}")
    assert (await client.reply()).status == 431
    assert await client.closed()
    await assert_goes_on(server)


async def test_an_endless_trailer(serve: Serve) -> None:
    server = await serve(linger_seconds=10.0)
    client = await Client.connect(server.port)
    head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Long: "
    for piece in (head, *([b"a" * 16_384] * 40)):
        client.send(piece)
        await client.writer.drain()
    assert (await client.reply()).status == 431
    assert await client.closed()


async def test_an_endless_url(serve: Serve) -> None:
    server = await serve(linger_seconds=10.0)
    client = await Client.connect(server.port)
    for piece in (b"GET /", *([b"a" * 16_384] * 40)):
        client.send(piece)
        await client.writer.drain()
    assert (await client.reply()).status == 431


async def test_idle_sockets_make_room_for_new_clients(serve: Serve) -> None:
    """The one that has said nothing for the longest goes."""
    server = await serve(connections_max=20)
    idle = [await Client.connect(server.port) for _ in range(20)]
    await until(lambda: len(server._connections) == 20)
    await asyncio.sleep(0.01)
    assert (await idle[0].ask(post("GetItem", {"TableName": "t"}))).status == 200
    new = [await Client.connect(server.port) for _ in range(10)]
    for client in new:
        assert (await client.ask(post("GetItem", {"TableName": "t"}))).status == 200
    assert (await idle[0].ask(post("GetItem", {"TableName": "t"}))).status == 200
    assert len(server._connections) <= 20


async def test_number_of_connections(serve: Serve, engine: FakeEngine) -> None:
    """When all of them wait for an answer, there is no room for one more."""
    server = await serve(connections_max=2)
    first, second = await Client.connect(server.port), await Client.connect(server.port)
    engine.commit.clear()
    for client in (first, second):
        client.send(post("PutItem"))
    await until(lambda: len(engine.calls) == 2)
    third = await Client.connect(server.port)
    assert (await third.reply()).status == 503
    assert await third.closed()
    engine.commit.set()
    assert (await first.reply()).status == (await second.reply()).status == 200
    second.close()
    third.close()
    await until(lambda: len(server._connections) == 1)
    await assert_goes_on(server)


# --- garbage ----------------------------------------------------------------------------------------------------------

BROKEN = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)),  # a TLS hello
    b"\x00" * 100,
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
    b"POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST / HTTP/1.1\r\nno colon here\r\n\r\n",
    b"POST / HTTP/9.9\r\n\r\n",
    b"post / HTTP/1.1\r\n\r\n",
    b"CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere\r\n\r\n",
]


@pytest.mark.parametrize("data", BROKEN)
async def test_what_is_not_http(serve: Serve, engine: FakeEngine, data: bytes) -> None:
    server = await serve()
    client = await Client.connect(server.port)
    assert (await client.ask(data)).status == 400
    assert await client.closed()
    assert engine.calls == []
    await assert_goes_on(server)


async def test_random_garbage_ends_in_an_answer_or_an_end(serve: Serve) -> None:
    """Requests with bytes changed, put in and cut out: always an answer or a closed connection, never a hang."""
    server = await serve(request_seconds=0.05, idle_seconds=0.05)
    rng = random.Random(7)

    async def said_to(data: bytes) -> bytes:
        client = await Client.connect(server.port)
        client.send(data)
        said = await asyncio.wait_for(client.reader.read(), 20)
        client.close()
        return said

    for said in await asyncio.gather(*(said_to(spoiled(post("GetItem"), rng)) for _ in range(200))):
        assert not said or said.startswith(b"HTTP/1.1 ")
        assert not said.startswith(b"HTTP/1.1 500")
    await assert_goes_on(server)


def spoiled(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(changed))
        changed[at : at + rng.randint(0, 3)] = rng.randbytes(rng.randint(0, 3))
    return bytes(changed)


# --- too slow ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sent", [b"P", b"POST / HTTP/1.1\r\nHost:", post("GetItem", b'{"a":1}')[:-3]])
async def test_slow_clients_are_told_and_cut_off(serve: Serve, engine: FakeEngine, sent: bytes) -> None:
    server = await serve(request_seconds=0.05, idle_seconds=30.0)
    client = await Client.connect(server.port)
    client.send(sent)
    assert (await client.reply()).status == 408
    assert await client.closed()
    assert engine.calls == []
    await assert_goes_on(server)


async def test_trickling_does_not_win_time(serve: Serve) -> None:
    server = await serve(request_seconds=0.2, idle_seconds=30.0)
    client = await Client.connect(server.port)
    client.send(b"POST / HTTP/1.1\r\n")

    async def trickle() -> None:
        while True:
            client.send(b"X-A: b\r\n")
            await asyncio.sleep(0.03)

    trickling = asyncio.create_task(trickle())
    assert (await client.reply()).status == 408
    trickling.cancel()


async def test_idle_connections_are_closed_without_a_word(serve: Serve) -> None:
    server = await serve()
    client = await Client.connect(server.port)
    server.limits = replace(server.limits, idle_seconds=0.05)
    assert (await client.ask(post("GetItem"))).status == 200
    assert await client.closed()


async def test_who_waits_for_the_engine_is_not_cut_off(serve: Serve, engine: FakeEngine) -> None:
    server = await serve()
    engine.commit.clear()
    client = await Client.connect(server.port)
    server.limits = replace(server.limits, idle_seconds=0.05, request_seconds=0.05)
    client.send(post("PutItem", {"TableName": "w"}))
    await engine.called.wait()
    later = await Client.connect(server.port)
    assert await later.closed()  # by now the first one would have been closed too
    engine.commit.set()
    assert (await client.reply()).json() == {"Written": "w"}


async def test_who_does_not_read_is_not_worked_for(serve: Serve, engine: FakeEngine) -> None:
    """Answers pile up to a bound; after that the requests wait, and at last the client is cut off."""
    server = await serve(write_seconds=0.1)
    client = await Client.connect(server.port)
    client.writer.transport.pause_reading()  # type: ignore[attr-defined]
    client.send(post("Scan", {"Limit": 4096}) * 50)
    await engine.called.wait()
    await until(lambda: not server._connections)
    assert len(engine.calls) < 10
    await assert_goes_on(server)


async def test_who_reads_slowly_gets_everything(serve: Serve, engine: FakeEngine) -> None:
    server = await serve()
    client = await Client.connect(server.port)
    client.send(post("Scan", {"Limit": 2048}) * 10)
    for _ in range(10):
        assert len((await client.reply()).json()["Items"]) == 2048
    assert len(engine.calls) == 10


async def test_a_get_with_a_body_is_answered_once(client: Client) -> None:
    assert (await client.ask(request("GET", "/", {"Content-Length": "3"}, b"abc"))).status == 200
    assert (await client.ask(post("GetItem"))).status == 200


async def test_others_are_served_while_a_large_body_is_parsed(
    serve: Serve, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "SLICE_SECONDS", -1.0)  # a pause at every look
    monkeypatch.setattr(bodies, "_TOKENS_BETWEEN_LOOKS", 1)
    server = await serve()
    large, other = await Client.connect(server.port), await Client.connect(server.port)
    assert (await other.ask(post("GetItem"))).status == 200
    many = [{"S": "x"}] * 200_000
    large.send(post("PutItem", {"TableName": "large", "Item": {"pk": {"S": "a"}, "many": {"L": many}}}))
    await until(lambda: any(one._current is not None for one in server._connections))
    assert (await other.ask(post("GetItem"))).status == 200
    assert [operation for operation, _ in engine.calls] == ["GetItem", "GetItem"]
    assert (await large.reply()).json() == {"Written": "large"}
    assert engine.calls[-1][1]["Item"]["many"] == {"L": many}


async def test_a_large_body_that_is_no_json_is_refused(client: Client) -> None:
    reply = await client.ask(post("PutItem", b'{"TableName":"' + b"x" * 300_000 + b'"'))
    assert reply.status == 400
    assert reply.json()["__type"].endswith("SerializationException")
    assert (await client.ask(post("GetItem"))).status == 200
