"""A plain HTTP client that can misbehave."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from sekkei.wire.sigv4 import sign

UNVERIFIED = {
    "Authorization": (
        "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host;x-amz-date, Signature=0"
    ),
    "X-Amz-Date": "20260101T000000Z",
}


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until something inside the server is so."""
    while not condition():  # noqa: ASYNC110 (the server has no event for it and needs none)
        await asyncio.sleep(0)


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return orjson.loads(self.body)


def post(operation: str, body: Any = None, *, headers: dict[str, str] | None = None, auth: bool = True) -> bytes:
    """The bytes of an operation's request; a body that is not bytes becomes JSON."""
    raw = body if isinstance(body, bytes) else orjson.dumps(body if body is not None else {})
    fields = {
        "Host": "127.0.0.1",
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        **(UNVERIFIED if auth else {}),
        "Content-Length": str(len(raw)),
        **(headers or {}),
    }
    return request("POST", "/", fields, raw)


def signed_post(operation: str, body: bytes, access_key: str, secret: str) -> bytes:
    fields = {
        "Host": "127.0.0.1",
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
    }
    added = sign("POST", "/", "", fields, body, access_key, secret, None, "us-east-1", "dynamodb", time.time())
    return request("POST", "/", {**fields, **added, "Content-Length": str(len(body))}, body)


def request(method: str, url: str, headers: dict[str, str] | None = None, body: bytes = b"") -> bytes:
    fields = headers if headers is not None else {"Host": "127.0.0.1"}
    lines = [f"{method} {url} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items() if value is not None)]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def connect(cls, port: int) -> Client:
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=64 * 1024 * 1024))

    def close(self) -> None:
        self.writer.close()

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def ask(self, data: bytes) -> Reply:
        self.send(data)
        return await self.reply()

    async def reply(self, with_body: bool = True) -> Reply:
        head = (await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), 60)).decode("latin-1").split("\r\n")
        headers = {}
        for line in head[1:-2]:
            name, _, value = line.partition(": ")
            assert name.lower() not in headers, f"{name} twice"
            headers[name.lower()] = value
        body = await self._body(headers) if with_body else b""
        return Reply(int(head[0].split()[1]), headers, body)

    async def _body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding") != "chunked":
            return await self.reader.readexactly(int(headers.get("content-length", 0)))
        body = b""
        while size := int(await self.reader.readline(), 16):
            body += (await self.reader.readexactly(size + 2))[:-2]
        await self.reader.readline()
        return body

    async def closed(self) -> bool:
        """Whether the server ends the connection, having said all it wanted."""
        try:
            return await asyncio.wait_for(self.reader.read(1), 60) == b""
        except ConnectionResetError:
            return True
