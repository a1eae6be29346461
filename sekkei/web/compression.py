"""Pages, scripts and data that travel as gzip, to whoever takes it. Event streams and pictures stay as they are.

gzip and not zstd: Python has had zstd since 3.14 only, and ours runs from 3.11 on.

A page that mirrors what a stranger chose beside a secret could be measured by its length (BREACH). The one secret in
our pages is the CSRF token, and that is written differently each time: `sekkei.web.csrf`.
"""

from __future__ import annotations

import asyncio
import gzip

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Scope, Send

FROM_BYTES = 1_000
IN_THREAD_FROM_BYTES = 100_000
"""Compressing so much takes longer than others should wait."""
LEVEL = 5
KINDS = ("text/", "application/json", "application/problem+json", "application/manifest+json", "image/svg+xml")


def accepts(accept_encoding: str) -> bool:
    """Whether gzip may be answered; `gzip;q=0` says no."""
    for part in accept_encoding.lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() in ("gzip", "*"):
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def worth_it(kind: str, length: int) -> bool:
    return length >= FROM_BYTES and kind.startswith(KINDS) and not kind.startswith("text/event-stream")


def packed(body: bytes, level: int = LEVEL) -> bytes:
    return gzip.compress(body, level, mtime=0)


class Compressing:
    """`send`, but an answer that comes whole goes out as gzip."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self._accepted = accepts(Headers(scope=scope).get("accept-encoding", ""))
        self._start: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        start, self._start = self._start, None
        if start is not None:
            message = await self._began(start, message)
        await self._send(message)

    async def _began(self, start: Message, first: Message) -> Message:
        """Send the head, now that it is known what follows; gives what follows."""
        headers = MutableHeaders(scope=start)
        body = first.get("body", b"")
        whole = not first.get("more_body") and "content-encoding" not in headers
        if whole and worth_it(headers.get("content-type", ""), len(body)):
            headers.add_vary_header("Accept-Encoding")
            if self._accepted:
                body = await _pack(body)
                headers["Content-Encoding"], headers["Content-Length"] = "gzip", str(len(body))
                first = {**first, "body": body}
        await self._send(start)
        return first


async def _pack(body: bytes) -> bytes:
    return await asyncio.to_thread(packed, body) if len(body) >= IN_THREAD_FROM_BYTES else packed(body)
