"""Small servers on loopback that stand in for the outside: HTTP with canned answers, SMTP that remembers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import orjson


class Received(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)


class CannedHttp:
    """Answers each request with the next canned answer, the last one again and again."""

    def __init__(self, *answers: tuple[int, dict[str, str], Any]) -> None:
        self.answers = list(answers) or [(200, {}, {})]
        self.received: list[Received] = []
        self.url = ""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                method, path, _ = line.decode().split(" ", 2)
                headers: dict[str, str] = {}
                while (field := (await reader.readline()).decode().strip()) != "":
                    name, _, value = field.partition(":")
                    headers[name.lower()] = value.strip()
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                self.received.append(Received(method, path, headers, body))
                status, fields, content = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                payload = orjson.dumps(content)
                head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
                writer.write(f"HTTP/1.1 {status} X\r\n{head}Content-Length: {len(payload)}\r\n\r\n".encode() + payload)
                await writer.drain()
        finally:
            writer.close()


@asynccontextmanager
async def http_server(*answers: tuple[int, dict[str, str], Any]) -> AsyncIterator[CannedHttp]:
    canned = CannedHttp(*answers)
    server = await asyncio.start_server(canned._serve, "127.0.0.1", 0)
    canned.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield canned
    finally:
        server.close()


class RememberingSmtp:
    """Enough of SMTP to receive one mail at a time; refuses recipients named `nobody`."""

    def __init__(self) -> None:
        self.mails: list[bytes] = []
        self.url = ""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 test\r\n")
        try:
            while line := await reader.readline():
                verb = line[:4].upper()
                if verb == b"DATA":
                    writer.write(b"354 go on\r\n")
                    mail = b""
                    while (part := await reader.readline()) != b".\r\n":
                        mail += part
                    self.mails.append(mail)
                    writer.write(b"250 ok\r\n")
                elif verb == b"RCPT" and b"nobody@" in line:
                    writer.write(b"550 no such user\r\n")
                elif verb == b"QUIT":
                    writer.write(b"221 bye\r\n")
                    break
                else:
                    writer.write(b"250 ok\r\n")
                await writer.drain()
        finally:
            writer.close()


@asynccontextmanager
async def smtp_server() -> AsyncIterator[RememberingSmtp]:
    remembering = RememberingSmtp()
    server = await asyncio.start_server(remembering._serve, "127.0.0.1", 0)
    remembering.url = f"smtp://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield remembering
    finally:
        server.close()
