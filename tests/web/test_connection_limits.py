"""Slow clients and too many of them, over real sockets."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, closing

import pytest

from sekkei.web.connection_limits import Guard, Patience, patience_here, proxies
from sekkei.web.server import bind, http_server
from sekkei.web.testing import opened
from sekkei.wire import limits as descriptors
from tests.web.example import SYSTEM

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
LONG = 3600.0
HEALTHY = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


class Port:
    """A server that loses its patience only when it is told to."""

    def __init__(self, guard: Guard, port: int, stack: AsyncExitStack) -> None:
        self.guard, self._port, self._stack = guard, port, stack

    async def connect(self, sent: bytes = b"") -> Streams:
        """A connection that the server has seen, with what was sent."""
        before = self.guard.entered
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._stack.enter_context(closing(writer))
        writer.write(sent)
        await self.until(lambda: self.guard.entered > before)
        return reader, writer

    async def ask(self) -> bytes:
        reader, _ = await self.connect(HEALTHY)
        return await reader.readline()

    async def until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0.001)

    def lose_patience(self) -> None:
        self.guard.expire(asyncio.get_running_loop().time() + LONG / 2)


Open = Callable[..., Awaitable[Port]]


@pytest.fixture
async def port() -> AsyncIterator[Open]:
    async with AsyncExitStack() as stack:

        async def start(**limits: float) -> Port:
            patience = Patience(**{"sweep_seconds": LONG, **limits})  # type: ignore[arg-type]
            guard = Guard(patience, exempt=lambda address: False)
            client = await stack.enter_async_context(opened(SYSTEM))
            socket = bind("127.0.0.1", 0)
            ready = asyncio.Event()
            server = http_server(client.app, ready.set, guard=guard)
            server.config.lifespan = "off"
            task = asyncio.create_task(server.serve([socket]))

            async def stop() -> None:
                server.should_exit = True
                await task

            stack.push_async_callback(stop)
            await ready.wait()
            return Port(guard, socket.getsockname()[1], stack)

        yield start


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: 127", HEALTHY + b"GET /heal"])
async def test_who_sends_half_a_head_is_cut_off(port: Open, sent: bytes) -> None:
    here = await port()
    reader, _ = await here.connect(sent)
    (connection,) = here.guard.connections
    if sent:
        await here.until(lambda: connection._head_bytes > 0)
    here.lose_patience()
    answer = (await reader.read()).decode()
    assert ("408" in answer) is bool(sent)
    if sent:
        assert answer.endswith("The request took too long to arrive.\n")
    await here.until(lambda: not here.guard.connections)


async def test_a_timer_does_it_by_itself(port: Open) -> None:
    """Of somebody who sends nothing: bytes that come after it would be answered with a reset."""
    here = await port(head_seconds=0, sweep_seconds=0.01)
    reader, _ = await here.connect()
    assert await reader.read() == b""
    await here.until(lambda: not here.guard.connections)


async def test_a_slow_body_is_cut_off_and_is_no_fault_of_ours(port: Open, caplog: pytest.LogCaptureFixture) -> None:
    here = await port(body_bytes_per_second=1_000_000)
    head = b"POST /example/hook HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n"
    reader, _ = await here.connect(head + b"x")
    (connection,) = here.guard.connections
    await here.until(lambda: connection._in_body)
    with caplog.at_level(logging.WARNING):
        here.lose_patience()
        assert b"408 Request Timeout" in await reader.read()
        await here.until(lambda: not here.guard.connections)
    assert caplog.records == []


async def test_a_body_that_keeps_coming_has_time(port: Open) -> None:
    here = await port(body_bytes_per_second=1)
    head = b"POST /example/hook HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10000\r\n\r\n"
    reader, writer = await here.connect(head + b"x" * 9_999)
    (connection,) = here.guard.connections
    await here.until(lambda: connection.deadline > asyncio.get_running_loop().time() + 9_000)
    here.lose_patience()  # for whoever would have sent nothing in half an hour
    writer.write(b"x")
    assert b"200" in await reader.readline()


async def test_a_quick_request_is_not_hurried(port: Open) -> None:
    """What takes long after the last byte is ours."""
    here = await port()
    cookie_free = b"GET /example/gallery HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    reader, _ = await here.connect(cookie_free)
    assert b"200" in await reader.readline()


async def test_a_head_has_an_end(port: Open) -> None:
    here = await port(head_bytes_max=1_000)
    reader, _ = await here.connect(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 1_000)
    assert (await reader.read()).startswith(b"HTTP/1.1 431")


async def test_one_address_has_a_bounded_number_and_the_others_get_in(port: Open) -> None:
    here = await port(per_address_max=2)
    kept = [await here.connect() for _ in range(2)]
    reader, _ = await here.connect()
    answer = (await reader.read()).decode()
    assert answer.startswith("HTTP/1.1 429")
    assert "retry-after: 10" in answer
    assert "too many connections from your address" in answer
    here.guard.by_address["127.0.0.1"] = 0  # as another address would find it
    assert b"200" in await here.ask()
    assert len(kept) == 2


async def test_whoever_waits_longest_makes_room(port: Open) -> None:
    here = await port(connections_max=3)
    halves = [await here.connect(b"GET / HTTP/1.1\r\nHost: 12") for _ in range(3)]
    for _ in range(5):
        assert b"200" in await here.ask()
    assert await halves[0][0].read() == b"", "cut off without a word"


async def test_when_all_are_busy_it_says_so(port: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    here = await port(connections_max=1)
    body = b"POST /example/hook HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n"
    reader, writer = await here.connect(body)
    (connection,) = here.guard.connections
    await here.until(lambda: connection._in_body)
    refused, _ = await here.connect()
    answer = (await refused.read()).decode()
    assert answer.startswith("HTTP/1.1 503")
    assert "We are busy at the moment" in answer
    writer.write(b"x" * 10)
    assert b"200" in await reader.readline()


def test_proxies_speak_for_many() -> None:
    exempt = proxies("192.0.2.7, 10.0.0.0/8")
    assert [exempt(each) for each in ("192.0.2.7", "10.1.2.3", "127.0.0.1", "::1")] == [True] * 4
    assert not exempt("192.0.2.8")
    assert not proxies("")("203.0.113.5")
    assert proxies("*")("203.0.113.5")


def test_few_descriptors_make_few_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "descriptors", lambda: 1024)
    assert patience_here().connections_max == 512


async def test_few_descriptors_let_few_wait_to_be_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them are accepted before one is let go to make room."""
    monkeypatch.setattr(descriptors, "descriptors", lambda: 1024)
    async with opened(SYSTEM) as client:
        assert http_server(client.app, lambda: None).config.backlog <= 128
