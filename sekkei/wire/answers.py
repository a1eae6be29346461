"""HTTP answers as bytes, with the headers that DynamoDB sends."""

from __future__ import annotations

import random
from email.utils import formatdate
from http import HTTPStatus
from typing import Any
from zlib import crc32

import orjson

from sekkei.clock import Clock
from sekkei.errors import CORAL_SERVICE, DynamoDBError

JSON = b"application/json"
AMZ_JSON = b"application/x-amz-json-1.0"

_STATUS_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}".encode() for status in HTTPStatus}
_STATUS_LINES[413] = b"HTTP/1.1 413 Request Entity Too Large"

_ID_LETTERS = bytes(b"0123456789ABCDEFGHIJKLMNOPQRSTUV"[byte % 32] for byte in range(256))
_ID_LENGTH = 52

_CAPITAL_MESSAGE = frozenset(
    {
        "AccessDeniedException",
        "IdempotentParameterMismatchException",
        "SerializationException",
        "TransactionCanceledException",
        "TransactionInProgressException",
    }
)
"""Errors whose text DynamoDB calls "Message"; in all others it is "message"."""


class Answers:
    """Makes the bytes of an answer; holds what answers share: the date and the source of request ids."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._random = random.Random(clock.uuid())
        self._second = -1
        self._date = b""

    def request_id(self) -> bytes:
        return self._random.randbytes(_ID_LENGTH).translate(_ID_LETTERS)

    def date(self) -> bytes:
        second = int(self._clock.now())
        if second != self._second:
            self._second = second
            self._date = formatdate(second, usegmt=True).encode()
        return self._date

    def json(
        self, status: int, content_type: bytes, body: bytes, request_id: bytes, keep_alive: bool, extra: bytes
    ) -> bytes:
        """The answer to an operation: the path that must be fast."""
        return (
            b"%b\r\nServer: Server\r\nDate: %b\r\nContent-Type: %b\r\nContent-Length: %d\r\nConnection: %b\r\n"
            b"x-amzn-RequestId: %b\r\nx-amz-crc32: %d\r\n%b\r\n%b"
        ) % (
            _STATUS_LINES[status],
            self.date(),
            content_type,
            len(body),
            b"keep-alive" if keep_alive else b"close",
            request_id,
            crc32(body),
            extra,
            body,
        )

    def plain(
        self, status: int, body: bytes, request_id: bytes, keep_alive: bool, extra: bytes = b"", with_body: bool = True
    ) -> bytes:
        """An answer that is no operation's: health, preflight, not found, a refusal."""
        return (
            b"%b\r\nServer: Server\r\nDate: %b\r\nContent-Length: %d\r\nConnection: %b\r\n"
            b"x-amzn-RequestId: %b\r\nx-amz-crc32: %d\r\n%b\r\n%b"
        ) % (
            _STATUS_LINES[status],
            self.date(),
            len(body),
            b"keep-alive" if keep_alive else b"close",
            request_id,
            crc32(body),
            extra,
            body if with_body else b"",
        )

    def refusal(self, status: int, body: bytes = b"") -> bytes:
        """The last answer on a connection whose request was not read to its end."""
        return self.plain(status, body, self.request_id(), keep_alive=False)

    def too_large(self) -> bytes:
        """DynamoDB answers a body above its bound in chunks."""
        body = orjson.dumps(
            {"__type": CORAL_SERVICE + "#RequestEntityTooLargeException", "message": "Request size limit exceeded"}
        )
        return (
            b"%b\r\nServer: Server\r\nDate: %b\r\nContent-Type: %b\r\nTransfer-Encoding: chunked\r\n"
            b"Connection: close\r\nx-amzn-RequestId: %b\r\n\r\n%x\r\n%b\r\n0\r\n\r\n"
        ) % (_STATUS_LINES[413], self.date(), AMZ_JSON, self.request_id(), len(body), body)


def error_body(error: DynamoDBError) -> bytes:
    """An error as DynamoDB writes it: its full type, its members, its text."""
    payload: dict[str, Any] = {"__type": f"{error.namespace}#{error.code}"}
    payload.update(error.details())
    if error.message:
        payload["Message" if error.code in _CAPITAL_MESSAGE else "message"] = error.message
    return orjson.dumps(payload)
