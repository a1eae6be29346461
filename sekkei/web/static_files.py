"""Style sheets, scripts and pictures: kept in memory, under an address that changes when any of them does."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Scope, Send

# Pages, scripts and data that travel as gzip, to whoever takes it. Event streams and pictures stay as they are.
#
# gzip and not zstd: Python has had zstd since 3.14 only, and ours runs from 3.11 on.
#
# A page that mirrors what a stranger chose beside a secret could be measured by its length (BREACH). The one secret in
# our pages is the CSRF token, and that is written differently each time: `sekkei.web.csrf`.


_FROM_BYTES = 1_000
_IN_THREAD_FROM_BYTES = 100_000
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


def _worth_it(kind: str, length: int) -> bool:
    return length >= _FROM_BYTES and kind.startswith(KINDS) and not kind.startswith("text/event-stream")


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
        if whole and _worth_it(headers.get("content-type", ""), len(body)):
            headers.add_vary_header("Accept-Encoding")
            if self._accepted:
                body = await _pack(body)
                headers["Content-Encoding"], headers["Content-Length"] = "gzip", str(len(body))
                first = {**first, "body": body}
        await self._send(start)
        return first


async def _pack(body: bytes) -> bytes:
    return await asyncio.to_thread(packed, body) if len(body) >= _IN_THREAD_FROM_BYTES else packed(body)


_FILE_BYTES_MAX = 2_000_000
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}


class StaticFiles:
    """`folders` by prefix: the shell's own under "", a system's under its name."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._files: dict[str, tuple[bytes, str]] = {}
        self._smaller: dict[str, bytes] = {}
        whole = hashlib.sha256()
        for prefix, folder in sorted(folders.items()):
            for file in sorted(path for path in folder.rglob("*") if path.is_file()):
                name = f"{prefix}/{file.relative_to(folder).as_posix()}".lstrip("/")
                body = file.read_bytes()
                if len(body) > _FILE_BYTES_MAX:
                    raise ValueError(f"{file} is too large to be kept in memory ({len(body)} bytes).")
                kind = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
                self._files[name] = (body, kind)
                whole.update(f"{name}\0{len(body)}\0".encode() + body)
        # One hash for all, so that a script can import its neighbour by a relative name.
        self.version = whole.hexdigest()[:12]

    def url(self, name: str) -> str:
        """`static("app.css")` in templates."""
        if name not in self._files:
            raise LookupError(f"there is no static file {name!r}")
        return f"/static/{self.version}/{name}"

    async def serve(self, request: Request) -> Response:
        found = self._files.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        body, kind = found
        headers = {}
        if _worth_it(kind, len(body)) and accepts(request.headers.get("accept-encoding", "")):
            body = self._packed(request.path_params["name"], body)
            headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        current = request.path_params["version"] == self.version
        # An address of before an update still answers, but is not kept.
        caching = "public, max-age=31536000, immutable" if current else "no-cache"
        return Response(body, media_type=kind, headers={"Cache-Control": caching, **headers})

    def _packed(self, name: str, body: bytes) -> bytes:
        """As small as it gets, made when it is first asked for."""
        if name not in self._smaller:
            self._smaller[name] = packed(body, 9)
        return self._smaller[name]
