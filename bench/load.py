"""A lean HTTP client that keeps a number of connections busy, so that what is measured is the server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

import httptools
import orjson

from bench.peers import HEADERS

DRAIN_SECONDS = 60


class Refused(Exception):
    """The server answered a request of the workload with an error; the text is its body."""


def request_bytes(operation: str, request: object) -> bytes:
    """The whole HTTP request, built before the clock starts."""
    body = orjson.dumps(request)
    head = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
    return (
        f"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}X-Amz-Target: DynamoDB_20120810.{operation}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body


@dataclass(slots=True)
class Tally:
    """What the lanes of one round have in common."""

    port: int
    requests: Iterator[bytes]
    lanes: int
    finished: asyncio.Event
    until: float = 0.0
    """When no further request is sent."""
    answered: int = 0
    failure: BaseException | None = None


class Lane(asyncio.Protocol):
    """One client: it sends its next request when the last answer is complete."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.refusal: list[bytes] = []
        self.ended = False

    async def connect(self) -> None:
        await asyncio.get_running_loop().create_connection(lambda: self, "127.0.0.1", self.tally.port)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are no subclass of asyncio's, though they do what it says.
        self.transport = cast(asyncio.Transport, transport)
        self.parser = httptools.HttpResponseParser(self)

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        if self.parser.get_status_code() != 200:
            self.refusal.append(body)

    def on_message_complete(self) -> None:
        if self.parser.get_status_code() != 200:
            self.end(Refused(b"".join(self.refusal).decode(errors="replace")))
            return
        self.tally.answered += 1
        if self.parser.should_keep_alive():
            self.send()
        else:
            self.transport.close()
            self.reconnection = asyncio.get_running_loop().create_task(self.connect())
            self.reconnection.add_done_callback(self.reconnected)

    def reconnected(self, task: asyncio.Task[None]) -> None:
        if task.exception() is None:
            self.send()
        else:
            self.end(task.exception())

    def send(self) -> None:
        request = next(self.tally.requests, None) if time.perf_counter() < self.tally.until else None
        if request is None:
            self.end(None)
        else:
            self.transport.write(request)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.transport.is_closing():
            self.end(error or Refused("the server closed the connection"))

    def end(self, failure: BaseException | None) -> None:
        if self.ended:
            return
        self.ended = True
        self.transport.close()
        self.tally.failure = self.tally.failure or failure
        self.tally.lanes -= 1
        if self.tally.lanes == 0:
            self.tally.finished.set()


async def load(port: int, requests: Iterable[bytes], clients: int, seconds: float) -> tuple[int, float]:
    """Send requests from `clients` connections at once until they or the time run out: answers, and seconds taken."""
    tally = Tally(port, iter(requests), clients, asyncio.Event())
    lanes = [Lane(tally) for _ in range(clients)]
    for lane in lanes:
        await lane.connect()
    started = time.perf_counter()
    tally.until = started + seconds
    for lane in lanes:
        lane.send()
    await asyncio.wait_for(tally.finished.wait(), seconds + DRAIN_SECONDS)
    if tally.failure is not None:
        raise tally.failure
    return tally.answered, time.perf_counter() - started


async def rate(port: int, requests: Iterable[bytes], clients: int, seconds: float) -> float:
    """Answers per second."""
    answered, elapsed = await load(port, requests, clients, seconds)
    return answered / elapsed


async def send_all(port: int, requests: Iterable[bytes], clients: int = 4) -> None:
    """Send each request once, however long it takes (up to ten minutes)."""
    await load(port, requests, clients, seconds=600)
