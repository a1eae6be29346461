"""One HTTP request: its head as the parser made it, and the whole of it."""

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


PIECE_BYTES = 4096
"""Most requests are smaller. The parser cannot stop, so all requests of a piece are taken apart, whether or not it is
their turn. What is known to be the body of one comes whole."""

OBJECT_BYTES = 48
"""What a piece of a body takes besides its bytes: chunks may have two of them."""

_OFFER = (b"upgrade", b"http2-settings", b"connection")


def head_bytes(url: bytes, headers: list[tuple[bytes, bytes]]) -> int:
    """As they came, trailers included."""
    return len(url) + sum(len(name) + len(value) + 4 for name, value in headers)


def head_without_offer(method: bytes, url: bytes, version: bytes, headers: list[tuple[bytes, bytes]]) -> bytes:
    """The same head as if it did not offer another protocol."""
    line = b"%b %b HTTP/%b\r\n" % (method, url, version)
    return line + b"".join([b"%b: %b\r\n" % pair for pair in headers if pair[0].lower() not in _OFFER]) + b"\r\n"
