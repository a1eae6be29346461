"""Answers of one turn of the loop go out together, in their order, and none is lost or kept for long."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from sekkei.clock import ManualClock
from sekkei.wire import outgoing as outgoing_answers
from sekkei.wire.connection import Connection
from sekkei.wire.limits import Limits
from sekkei.wire.outgoing import BYTES_MAX, SECONDS_MAX, Outgoing
from sekkei.wire.server import Server
from tests.wire.client import post
from tests.wire.conftest import FakeEngine


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    stands = ManualClock()
    monkeypatch.setattr(outgoing_answers, "perf_counter", stands.monotonic)
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
