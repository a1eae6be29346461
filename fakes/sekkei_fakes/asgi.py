"""A counterpart that is an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any
from urllib.parse import unquote

from sekkei.store.http import Answer

App = Callable[..., Awaitable[None]]


class Application:
    def __init__(self, app: App) -> None:
        self._app = app

    async def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        status, fields, content, sent = 500, {}, bytearray(), False

        async def receive() -> MutableMapping[str, Any]:
            nonlocal sent
            if sent:
                await asyncio.Event().wait()  # the connection stays open until the answer is there
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            nonlocal status, fields
            if message["type"] == "http.response.start":
                status, fields = message["status"], {bytes(name).lower(): value for name, value in message["headers"]}
            else:
                content.extend(message.get("body", b""))

        await self._app(_scope(method, target, headers), receive, send)
        return Answer(status, fields, bytes(content))


def _scope(method: str, target: str, headers: Mapping[str, str]) -> dict[str, Any]:
    path, _, query = target.partition("?")
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "https",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
        "client": ("127.0.0.1", 0),
        "server": ("127.0.0.1", 443),
    }
