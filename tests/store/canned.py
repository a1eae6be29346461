"""A server in the test's own event loop that answers as it is told, however badly."""

from __future__ import annotations

import asyncio
import zlib
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import orjson

Act = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Received:
    headers: list[tuple[bytes, bytes]]
    body: bytes
    connection: int

    def header(self, name: str) -> str | None:
        found = [value.decode() for key, value in self.headers if key.lower() == name.lower().encode()]
        return found[0] if found else None

    @property
    def operation(self) -> str:
        return (self.header("X-Amz-Target") or "").partition(".")[2]

    @property
    def json(self) -> dict:
        return orjson.loads(self.body)


@dataclass
class Canned:
    """Performs `acts` one after the other, a request each; then `otherwise` for ever."""

    url: str = ""
    acts: deque[Act] = field(default_factory=deque)
    otherwise: Act | None = None
    received: list[Received] = field(default_factory=list)
    connections: int = 0
    open_now: int = 0
    open_most: int = 0
    hook: Callable[[], Awaitable[None]] | None = None

    def then(self, *acts: Act) -> Canned:
        self.acts.extend(acts)
        return self

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open_now += 1
        self.open_most = max(self.open_most, self.open_now)
        number = self.connections
        try:
            while not writer.is_closing():
                self.received.append(await _request(reader, number))
                act = self.acts.popleft() if self.acts else self.otherwise
                assert act is not None, "a request that the test did not expect"
                await act(writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.open_now -= 1
            writer.close()


async def _request(reader: asyncio.StreamReader, connection: int) -> Received:
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.split(b"\r\n")[1:-2]
    headers = [(name, value.strip()) for name, _, value in (line.partition(b":") for line in lines)]
    length = next(int(value) for name, value in headers if name.lower() == b"content-length")
    return Received(headers, await reader.readexactly(length), connection)


@asynccontextmanager
async def canned(**options: object):
    state = Canned(otherwise=ok({}))
    server = await asyncio.start_server(state.serve, "127.0.0.1", 0, **options)
    scheme = "https" if options.get("ssl") else "http"
    state.url = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield state
    finally:
        server.close()


def message(body: bytes, status: int = 200, crc: int | None = None, extra: bytes = b"") -> bytes:
    crc = zlib.crc32(body) if crc is None else crc
    head = b"HTTP/1.1 %d X\r\nContent-Length: %d\r\nx-amz-crc32: %d\r\nx-amzn-RequestId: RID\r\n%s\r\n"
    return head % (status, len(body), crc, extra) + body


def raw(data: bytes, *, close: bool = False) -> Act:
    async def act(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        if close:
            await writer.drain()
            writer.close()

    return act


def ok(body: dict, **options: object) -> Act:
    return raw(message(orjson.dumps(body), **options))  # type: ignore[arg-type]


def error(code: str, text: str = "", status: int = 400, **members: object) -> Act:
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": text, **members}
    return raw(message(orjson.dumps(body), status))


async def cut(writer: asyncio.StreamWriter) -> None:
    """Close the connection without a byte of an answer."""
    writer.close()


def waiting(event: asyncio.Event, act: Act) -> Act:
    async def late(writer: asyncio.StreamWriter) -> None:
        await event.wait()
        await act(writer)

    return late


async def eventually(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 (the server sets no event)
            await asyncio.sleep(0)
