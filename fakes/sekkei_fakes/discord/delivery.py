"""A request to our own application, in this process, through everything that a request from outside passes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message


async def deliver(app: ASGIApp, url: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
    """POST; the status and the body of the answer."""
    status, answer = 500, bytearray()
    sent = False

    async def receive() -> Message:
        nonlocal sent
        if sent:
            await asyncio.Event().wait()  # the connection stays open until the answer is there
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        elif message["type"] == "http.response.body":
            answer.extend(message.get("body", b""))

    parts = urlsplit(url)
    fields = {"host": parts.netloc, "content-length": str(len(body)), **headers}
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": parts.scheme,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in fields.items()],
        "client": ("127.0.0.1", 0),
        "server": (parts.hostname or "127.0.0.1", parts.port or 80),
    }
    await app(scope, receive, send)
    return status, bytes(answer)
