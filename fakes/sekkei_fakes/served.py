"""A counterpart over HTTP, with the faults that a network and a busy provider have."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from sekkei.runtime.fakes import Counterpart
from sekkei.store.http import Answer

DOWN = Answer(503, {b"content-type": b"application/json"}, b'{"error": {"type": "api_error", "message": "down"}}')
BODY_BYTES_MAX = 10 * 1024 * 1024


@dataclass(slots=True)
class Faults:
    """Switched on and off while it runs."""

    down: bool = False
    """Every request is answered with 503."""
    hang: bool = False
    """No request is answered at all."""
    slow_seconds: float = 0.0
    lose_answers: int = 0
    """So many requests are carried out, and their answers lost."""


@dataclass(slots=True)
class Served:
    url: str = ""
    faults: Faults = field(default_factory=Faults)
    requests: list[tuple[str, str]] = field(default_factory=list)
    """Method and path of each request, to be counted."""


@asynccontextmanager
async def serve(
    counterpart: Counterpart, served: Served | None = None, *, host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[Served]:
    """Until the block ends; on a free port unless one is given."""
    found = served or Served()
    end = _End(counterpart, found)
    server = await asyncio.start_server(end.talk, host, port)
    found.url = f"http://{host}:{server.sockets[0].getsockname()[1]}"
    try:
        yield found
    finally:
        server.close()
        end.stop()


class _End:
    def __init__(self, counterpart: Counterpart, served: Served) -> None:
        self._counterpart, self._served = counterpart, served
        self._talks: set[asyncio.Task[None]] = set()

    def stop(self) -> None:
        for talk in self._talks:
            talk.cancel()

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        try:
            while line := await reader.readline():
                if not await self._exchange(line, reader, writer):
                    return
        except (asyncio.CancelledError, ConnectionError, asyncio.IncompleteReadError, ValueError):
            pass  # whoever asked has gone or speaks no HTTP, or the server stops
        finally:
            self._talks.discard(task)
            writer.close()

    async def _exchange(self, line: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        method, target, _ = line.decode().split(" ", 2)
        headers: dict[str, str] = {}
        while text := (await reader.readline()).decode("latin-1").strip():
            name, _, value = text.partition(":")
            headers[name.lower()] = value.strip()
        length = int(headers.get("content-length", "0"))
        if not 0 <= length <= BODY_BYTES_MAX:
            return False
        body = await reader.readexactly(length)
        self._served.requests.append((method, urlsplit(target).path))
        answer = await self._answer(method, target, headers, body)
        if answer is None:
            return False
        writer.write(_written(answer))
        await writer.drain()
        return True

    async def _answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Answer | None:
        faults = self._served.faults
        if faults.hang:
            await asyncio.Event().wait()
        await asyncio.sleep(faults.slow_seconds)
        answer = DOWN if faults.down else await self._counterpart.answer(method, target, headers, body)
        if faults.lose_answers:
            faults.lose_answers -= 1
            return None
        return answer


def _written(answer: Answer) -> bytes:
    fields = {**answer.headers, b"content-length": str(len(answer.body)).encode()}
    head = b"".join(name + b": " + value + b"\r\n" for name, value in fields.items())
    return b"HTTP/1.1 %d X\r\n" % answer.status + head + b"\r\n" + answer.body
