"""Style sheets, scripts and pictures: kept in memory, under an address that changes when any of them does."""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Mapping
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sekkei.web.compression import accepts, packed, worth_it

FILE_BYTES_MAX = 2_000_000
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
                if len(body) > FILE_BYTES_MAX:
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
        if worth_it(kind, len(body)) and accepts(request.headers.get("accept-encoding", "")):
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
