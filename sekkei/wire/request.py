"""One HTTP request, complete."""

from __future__ import annotations


class Request:
    """What came over the connection, as bytes; `fields` has the headers by lower-case name."""

    __slots__ = ("body", "error", "fields", "headers", "id", "keep_alive", "method", "operation", "received_at", "url")

    def __init__(
        self,
        method: bytes,
        url: bytes,
        headers: list[tuple[bytes, bytes]],
        fields: dict[bytes, bytes],
        body: bytes,
        keep_alive: bool,
        received_at: float,
    ) -> None:
        self.method = method
        self.url = url
        self.headers = headers
        self.fields = fields
        self.body = body
        self.keep_alive = keep_alive
        self.received_at = received_at
        self.id = b""
        self.operation = ""
        self.error = ""
