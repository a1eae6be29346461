"""Answers that nobody takes are bounded in sum, and whoever lets things lie makes room. Nobody who reads suffers.

Answers of one turn of the loop go out together, in their order, and none is lost or kept for long."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from sekkei.clock import ManualClock
from sekkei.wire import backpressure
from sekkei.wire.backpressure import BYTES_MAX, SECONDS_MAX, Outgoing, Unread
from sekkei.wire.connection import Connection
from sekkei.wire.fairness import Fairness
from sekkei.wire.limits import Limits
from sekkei.wire.server import Server
from tests.wire.client import Client, post, until
from tests.wire.conftest import FakeEngine, Serve

MIB = 1024 * 1024


class Reader:
    def __init__(self, unread_bytes: int) -> None:
        self.unread_bytes, self.is_cut_off = unread_bytes, False

    def abort(self) -> None:
        self.is_cut_off = True


class Asker:
    def __init__(self) -> None:
        self.went_on = 0

    def go_on(self) -> None:
        self.went_on += 1


async def test_who_has_taken_nothing_for_longest_is_cut_off() -> None:
    unread = Unread(bytes_max=100, stalled_seconds=3.0, fairness=Fairness())
    slow, first, second = Reader(40), Reader(30), Reader(30)
    for now, reader in enumerate((slow, first, second)):
        unread.add(reader, float(now))
    slow.unread_bytes = 39
    new = Reader(20)
    unread.add(new, 4.5)
    assert [each.is_cut_off for each in (slow, first, second, new)] == [False, True, False, False]
    assert not unread.is_full


async def test_while_there_is_no_room_who_asks_for_much_waits() -> None:
    unread = Unread(bytes_max=100, stalled_seconds=3.0, fairness=Fairness())
    readers, asker = [Reader(60), Reader(60)], Asker()
    for reader in readers:
        unread.add(reader, 0.0)
    assert unread.is_full
    unread.wait(asker)
    unread.look(1.0)
    await asyncio.sleep(0)
    assert asker.went_on == 0
    readers[0].unread_bytes = 40
    unread.look(2.0)
    await asyncio.sleep(0)
    assert asker.went_on == 1
    assert not any(reader.is_cut_off for reader in readers)


async def test_who_leaves_makes_room() -> None:
    unread = Unread(bytes_max=100, stalled_seconds=3.0, fairness=Fairness())
    readers, asker = [Reader(60), Reader(60)], Asker()
    for reader in readers:
        unread.add(reader, 0.0)
    unread.wait(asker)
    unread.discard(readers[0], 0.0)
    await asyncio.sleep(0)
    assert asker.went_on == 1


async def test_answers_that_nobody_takes(serve: Serve, engine: FakeEngine) -> None:
    """Large ones are made as long as there is room; a small one, and one for somebody who reads, come all the same."""
    server: Server = await serve(unread_bytes_max=20 * MIB, stalled_seconds=3600.0)
    lazy = [await Client.connect(server.port) for _ in range(12)]
    for client in lazy:
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        client.send(post("Scan", {"Limit": 16 * 1024}))
    await until(lambda: server.unread.is_full)
    reading = await Client.connect(server.port)
    assert (await reading.ask(post("GetItem"))).status == 200
    waiting = asyncio.create_task(reading.ask(post("Scan", {"Limit": 1})))
    await until(lambda: len(server.unread._waiting) == 13 - scans(engine))
    assert scans(engine) <= 6
    assert not waiting.done()
    server.unread._stalled_seconds = 0.0
    server.unread.look(asyncio.get_running_loop().time())
    assert (await waiting).status == 200
    for client in lazy:
        client.writer.transport.abort()


def scans(engine: FakeEngine) -> int:
    return sum(operation == "Scan" for operation, _ in engine.calls)


async def test_half_a_request_makes_room_after_a_while(serve: Serve) -> None:
    server = await serve(connections_max=5, stalled_seconds=3600.0)
    half = [await Client.connect(server.port) for _ in range(5)]
    for client in half:
        client.send(b"P")
    await until(lambda: sum(each._in_message for each in server._connections) == 5)
    refused = await Client.connect(server.port)
    assert (await refused.reply()).status == 503
    server.limits = type(server.limits)(connections_max=5, stalled_seconds=0.0)
    assert (await (await Client.connect(server.port)).ask(post("GetItem"))).status == 200


async def test_those_who_are_told_that_there_is_no_room_are_few(serve: Serve) -> None:
    """Each of them has a descriptor until it has read why."""
    server = await serve(connections_max=16, stalled_seconds=3600.0, linger_seconds=3600.0)
    half = [await Client.connect(server.port) for _ in range(16)]
    for client in half:
        client.send(b"P")
    await until(lambda: sum(each._in_message for each in server._connections) == 16)
    refused = [await Client.connect(server.port) for _ in range(30)]
    said = [await client.reader.read(12) for client in refused]
    assert said == [b"HTTP/1.1 503"] * 3 + [b""] * 27
    assert len(server._connections) == 19
    for connection in list(server._connections):
        connection.abort()


async def test_who_is_still_reading_is_not_idle(serve: Serve) -> None:
    server = await serve(connections_max=2)
    reading, idle = await Client.connect(server.port), await Client.connect(server.port)
    reading.writer.transport.pause_reading()  # type: ignore[attr-defined]
    reading.send(post("Scan", {"Limit": 16 * 1024}))
    await until(lambda: any(each._writing_paused for each in server._connections))
    new = await Client.connect(server.port)
    assert (await new.ask(post("GetItem"))).status == 200
    assert await idle.closed()
    reading.writer.transport.resume_reading()  # type: ignore[attr-defined]
    assert len((await reading.reply()).json()["Items"]) == 16 * 1024


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    stands = ManualClock()
    monkeypatch.setattr(backpressure, "perf_counter", stands.monotonic)
    return stands


class Way:
    """A transport that notes what it is given."""

    def __init__(self, log: list[bytes], closing: bool = False) -> None:
        self.log, self.closing = log, closing

    def is_closing(self) -> bool:
        return self.closing

    def write(self, answer: bytes) -> None:
        self.log.append(answer)

    def abort(self) -> None:
        self.closing = True


def way(log: list[bytes], closing: bool = False) -> asyncio.Transport:
    return cast(asyncio.Transport, Way(log, closing))


async def test_at_the_end_of_the_turn_and_in_order() -> None:
    sent: list[bytes] = []
    outgoing, one, other = Outgoing(), way(sent), way(sent)
    outgoing.add(one, b"1")
    outgoing.add(other, b"2")
    outgoing.add(one, b"3")
    assert sent == []
    await asyncio.sleep(0)
    assert sent == [b"1", b"2", b"3"]


async def test_whoever_closes_meanwhile_holds_nobody_up() -> None:
    sent: list[bytes] = []
    outgoing = Outgoing()
    outgoing.add(way(sent, closing=True), b"1")
    outgoing.add(way(sent), b"2")
    await asyncio.sleep(0)
    assert sent == [b"2"]


async def test_much_goes_out_now() -> None:
    sent: list[bytes] = []
    outgoing = Outgoing()
    outgoing.add(way(sent), b"1")
    outgoing.add(way(sent), b"2" * BYTES_MAX)
    assert [each[:1] for each in sent] == [b"1", b"2"]


async def test_nobody_waits_for_a_slow_neighbour(clock: ManualClock) -> None:
    sent: list[bytes] = []
    outgoing = Outgoing()
    outgoing.add(way(sent), b"1")
    clock.advance(SECONDS_MAX * 2)
    outgoing.add(way(sent), b"2")
    assert sent == [b"1", b"2"]


async def test_who_makes_room_has_their_answer_first(engine: FakeEngine) -> None:
    server, sent = Server(engine, limits=Limits(connections_max=2)), list[bytes]()
    answered, busy, new = (Connection(server, asyncio.get_running_loop()) for _ in range(3))
    answered.connection_made(way(sent))
    busy.connection_made(way([]))
    busy.data_received(b"POST / HTTP/1.1")
    answered.data_received(post("GetItem"))
    assert sent == []
    new.connection_made(way([]))
    assert [each[:15] for each in sent] == [b"HTTP/1.1 200 OK"]
