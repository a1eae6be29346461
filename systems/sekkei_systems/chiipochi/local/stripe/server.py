"""The ledger behind HTTP, with the faults that a network and a busy provider have."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

import orjson

from sekkei_systems.chiipochi.local.stripe.errors import Refused
from sekkei_systems.chiipochi.local.stripe.ledger import Ledger
from sekkei_systems.chiipochi.local.stripe.requests import Requests

KEY = "sk_test_local"


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
class LocalStripe:
    ledger: Ledger
    url: str = ""
    faults: Faults = field(default_factory=Faults)
    requests: list[tuple[str, str]] = field(default_factory=list)
    """Method and path of each request, to be counted."""


@asynccontextmanager
async def serve(ledger: Ledger, key: str = KEY) -> AsyncIterator[LocalStripe]:
    """On a free port of loopback, until the block ends."""
    found = LocalStripe(ledger)
    end = _End(found, Requests(ledger), key)
    server = await asyncio.start_server(end.talk, "127.0.0.1", 0)
    found.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield found
    finally:
        server.close()
        end.stop()


class _End:
    def __init__(self, stripe: LocalStripe, requests: Requests, key: str) -> None:
        self._stripe, self._requests, self._key = stripe, requests, key
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
        except (asyncio.CancelledError, ConnectionError):
            pass  # whoever asked has gone, or the server stops
        finally:
            self._talks.discard(task)
            writer.close()

    async def _exchange(self, line: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        method, target, _ = line.decode().split(" ", 2)
        headers: dict[str, str] = {}
        while text := (await reader.readline()).decode().strip():
            name, _, value = text.partition(":")
            headers[name.lower()] = value.strip()
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self._stripe.requests.append((method, urlsplit(target).path))
        faults = self._stripe.faults
        if faults.hang:
            await asyncio.Event().wait()
        await asyncio.sleep(faults.slow_seconds)
        status, content = self._answer(method, target, headers, body)
        if faults.lose_answers:
            faults.lose_answers -= 1
            return False
        payload = orjson.dumps(content)
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
        writer.write(head.encode() + payload)
        await writer.drain()
        return True

    def _answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> tuple[int, object]:
        if self._stripe.faults.down:
            return 503, {"error": {"type": "api_error", "message": "Stripe is down."}}
        return answered(self._requests, self._key, method, target, headers, body)


def answered(
    requests: Requests, key: str, method: str, target: str, headers: Mapping[str, str], body: bytes
) -> tuple[int, object]:
    """Status and content, as Stripe answers."""
    if headers.get("authorization") != f"Bearer {key}":
        return 401, {"error": {"type": "invalid_request_error", "message": "Invalid API Key provided."}}
    parts = urlsplit(target)
    try:
        if method == "POST":
            return 200, requests.post(parts.path, body, headers.get("idempotency-key"))
        return 200, requests.get(parts.path, parse_qs(parts.query))
    except Refused as refused:
        return refused.status, refused.body
