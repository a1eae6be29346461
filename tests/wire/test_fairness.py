"""Who asks for much at once is answered some of it at a time; nothing is lost, doubled or out of order."""

from __future__ import annotations

import asyncio

import pytest

from sekkei.wire import fairness
from sekkei.wire.limits import Limits
from sekkei.wire.request import PIECE_BYTES
from sekkei.wire.server import Server
from tests.wire.client import Client, post, request
from tests.wire.conftest import FakeEngine, Serve
from tests.wire.peer import Peer

PING = request("GET", "/ping")
UNSIGNED = request("POST", "/", {"Host": "x", "Content-Length": "0"})
GARBAGE = post("GetItem", b"[" * 1000)


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that was answered waits for the next iteration."""
    monkeypatch.setattr(fairness, "ITERATION_SECONDS", -1.0)


def server_of(engine: FakeEngine) -> Server:
    return Server(engine, limits=Limits())


@pytest.mark.usefixtures("no_time")
@pytest.mark.parametrize("asked", [PING, UNSIGNED, GARBAGE, post("GetItem")], ids=["ping", "no key", "garbage", "read"])
async def test_many_requests_of_one_read_take_many_turns(engine: FakeEngine, asked: bytes) -> None:
    peer, other = (Peer(server_of(engine)) for _ in range(2))
    peer.sends(asked * 300)
    assert len(peer.way.answers) == 0
    assert not peer.way.reads
    for done in range(300):
        assert len(peer.way.answers) == done
        other.sends(PING)
        assert len(other.way.answers) == done + 1
        await asyncio.sleep(0)
    assert len(peer.way.answers) == 300
    assert peer.way.reads
    assert peer.connection._rest == b""
    assert not isinstance(peer.connection._rest, memoryview), "it keeps all that has come"


@pytest.mark.usefixtures("no_time")
async def test_many_connections_have_one_turn_together(engine: FakeEngine) -> None:
    server = server_of(engine)
    peers = [Peer(server) for _ in range(40)]
    for peer in peers:
        peer.sends(PING * 3)
    server.send_all()
    for done in range(80):
        assert sum(len(peer.way.answers) for peer in peers) == 40 + done
        await asyncio.sleep(0)
        server.send_all()
    assert {len(peer.way.answers) for peer in peers} == {3}
    assert all(peer.way.reads for peer in peers)


@pytest.mark.usefixtures("no_time")
async def test_what_waits_is_not_taken_apart(engine: FakeEngine) -> None:
    """Requests as objects are many times as large as their bytes."""
    peer = Peer(server_of(engine))
    peer.sends(PING * 5000)
    assert len(peer.connection._queue) <= PIECE_BYTES // len(PING)


async def test_a_turn_is_not_over_at_once(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fairness, "ITERATION_SECONDS", 60.0)
    peer = Peer(server_of(engine))
    peer.sends(PING * 300)
    assert len(peer.way.answers) == 300
    assert peer.way.reads


@pytest.mark.usefixtures("no_time")
async def test_everything_is_answered_in_order(serve: Serve, engine: FakeEngine) -> None:
    client = await Client.connect((await serve()).port)
    names = [f"t{number}" for number in range(300)]
    client.send(b"".join(post("PutItem", {"TableName": name}) + PING + post("GetItem") for name in names) + b"what?\n")
    for name in names:
        assert (await client.reply()).json() == {"Written": name}
        assert (await client.reply()).body.startswith(b"healthy")
        assert "Item" in (await client.reply()).json()
    assert (await client.reply()).status == 400
    assert await client.closed()
    assert len(engine.calls) == 600


@pytest.mark.usefixtures("no_time")
async def test_stopping_answers_what_waits_for_its_turn(serve: Serve) -> None:
    server = await serve()
    client = await Client.connect(server.port)
    client.send(PING * 300)
    first = await client.reply()
    stopping = asyncio.create_task(server.stop())
    replies = [first, *[await client.reply() for _ in range(299)]]
    assert [reply.headers["connection"] for reply in replies] == ["keep-alive"] * 299 + ["close"]
    assert await client.closed()
    await stopping


@pytest.mark.usefixtures("no_time")
async def test_who_leaves_while_it_waits_is_forgotten(engine: FakeEngine) -> None:
    peer = Peer(server_of(engine))
    peer.sends(post("GetItem") * 50)
    peer.connection.connection_lost(None)
    for _ in range(5):
        await asyncio.sleep(0)
    assert engine.calls == []


@pytest.mark.usefixtures("no_time")
async def test_large_requests_have_one_turn_together(engine: FakeEngine) -> None:
    """Reading 200 KB takes milliseconds, and uvloop reads 32 times before it lets others in."""
    server = server_of(engine)
    peers = [Peer(server) for _ in range(5)]
    for peer in peers:
        peer.sends(post("Query", b'{"TableName":"x"' + b" " * 200_000 + b"}"))
    for done in range(6):
        assert len(engine.calls) == done
        await asyncio.sleep(0)


@pytest.mark.usefixtures("no_time")
async def test_a_continue_behind_what_waits(serve: Serve) -> None:
    client = await Client.connect((await serve()).port)
    head, body = post("PutItem", {"TableName": "e"}, headers={"Expect": "100-continue"}).split(b"\r\n\r\n")
    client.send(PING * 400 + head + b"\r\n\r\n")
    for _ in range(400):
        assert (await client.reply()).status == 200
    assert await client.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert (await client.ask(body)).json() == {"Written": "e"}
