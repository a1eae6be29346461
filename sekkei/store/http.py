"""HTTP/1.1 for one purpose: many small POSTs to one origin, over few connections that are kept.

A `_Connection` carries one exchange at a time and is dropped as soon as anything about it is in doubt: a cancelled or
late call never hands a half-read connection to the next one. A `Pool` belongs to one event loop.
"""

from __future__ import annotations

import asyncio
import ipaddress
import ssl
from typing import NamedTuple, cast
from urllib.parse import urlsplit

import httptools

from sekkei.errors import ConfigurationError, NoAnswer

ANSWER_BYTES_MAX = 64 * 1024 * 1024
"""DynamoDB's largest answer is 16 MB of items; more than this is not an answer of DynamoDB."""


class Origin(NamedTuple):
    """Where requests go: what stands in a URL before and including its path."""

    secure: bool
    host: str
    port: int
    path: str

    @classmethod
    def of(cls, url: str) -> Origin:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise ConfigurationError(f"{url!r} is not an endpoint URL: {error}") from None
        if parts.scheme not in ("http", "https") or not host or not url.isascii() or not url.isprintable():
            raise ConfigurationError(
                f"{url!r} is not an endpoint URL: it must look like https://host or http://host:port"
            )
        secure = parts.scheme == "https"
        return cls(secure, host, port or (443 if secure else 80), parts.path or "/")

    @property
    def authority(self) -> str:
        """What the Host header says; the scheme's own port is left out, as every SDK signs it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.secure else 80) else f"{host}:{self.port}"

    @property
    def loopback(self) -> bool:
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        return f"{'https' if self.secure else 'http'}://{self.authority}{self.path}"


class Limits(NamedTuple):
    """Of one pool."""

    connections: int
    connect_seconds: float
    answer_seconds: float
    """From the first byte sent to the last byte received."""
    idle_seconds: float
    answer_bytes: int | None = None
    """ANSWER_BYTES_MAX, where nothing else is said."""


class Answer(NamedTuple):
    status: int
    headers: dict[bytes, bytes]
    """By lower-case name."""
    body: bytes


class _Connection(asyncio.Protocol):
    """One TCP or TLS connection and the exchange it is carrying."""

    def __init__(self, pool: Pool, loop: asyncio.AbstractEventLoop) -> None:
        self._pool = pool
        self.loop = loop
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[Answer] | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._headers: dict[bytes, bytes] = {}
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._ends_with_connection = False
        self.idle_since = 0.0
        self.usable = False
        self.broke_unheard = False
        """The other side closed it before it sent any byte of an answer."""

    async def exchange(self, request: bytes, timeout: float) -> Answer:
        """Send a request and wait for the whole of its answer; without one the connection is gone."""
        assert self._transport is not None
        assert self._waiter is None
        waiter: asyncio.Future[Answer] = self.loop.create_future()
        self._waiter = waiter
        self.broke_unheard = True
        self._transport.write(request)
        timer = self.loop.call_later(timeout, self._break, f"no whole answer within {timeout:g} s")
        try:
            return await waiter
        except BaseException:  # cancelled, broken or late: what may still arrive belongs to nobody
            self.abort()
            raise
        finally:
            timer.cancel()
            self._waiter = None

    def abort(self) -> None:
        self.usable = False
        if self._transport is not None:
            self._transport.abort()

    # --- called by the event loop -------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one by its methods only
        self.usable = True

    def data_received(self, data: bytes) -> None:
        if self._waiter is None or self._waiter.done():
            self.abort()  # nobody asked
            return
        self.broke_unheard = False
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._break(f"not an HTTP answer: {error}")

    def connection_lost(self, exc: Exception | None) -> None:
        self.usable = False
        self._pool.forget(self)
        if self._ends_with_connection and exc is None:
            self._finish()
        self._break(f"the connection was closed{f': {exc}' if exc else ''}", unheard=self.broke_unheard)

    # --- called by the parser -----------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        if self._waiter is None or self._waiter.done():
            self.usable = False  # a second answer to one request

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        # Without a length the answer's end is the connection's.
        self._ends_with_connection = (
            b"content-length" not in self._headers and b"transfer-encoding" not in self._headers
        )

    def on_body(self, body: bytes) -> None:
        self._body.append(body)
        self._body_bytes += len(body)
        allowed = self._pool.limits.answer_bytes or ANSWER_BYTES_MAX
        if self._body_bytes > allowed:
            self._break(f"the answer is longer than {allowed} bytes")

    def on_message_complete(self) -> None:
        if self._parser.get_status_code() >= 200:
            self.usable = self.usable and self._parser.should_keep_alive()
            self._finish()
        self._headers = {}

    # --- the end of an exchange ---------------------------------------------------------------------------------------

    def _finish(self) -> None:
        body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(Answer(self._parser.get_status_code(), self._headers, body))
        self._body = []
        self._body_bytes = 0
        self._ends_with_connection = False

    def _break(self, why: str, unheard: bool = False) -> None:
        self.broke_unheard = unheard
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(NoAnswer(f"{self._pool.origin}: {why}"))


class Pool:
    """Connections to one origin, no more than the limit; a call waits for its turn when all are busy."""

    def __init__(self, origin: Origin, tls: ssl.SSLContext | None, limits: Limits, address: str | None = None) -> None:
        """`address` is where to connect, for whoever has resolved the origin's name already."""
        self.origin = origin
        self.limits = limits
        self._tls = tls
        self._address = address or origin.host
        self._places = asyncio.Semaphore(limits.connections)
        self._idle: list[_Connection] = []

    async def exchange(self, request: bytes) -> Answer:
        timeout = self.limits.answer_seconds
        async with self._places:
            connection = self._take_idle()
            if connection is not None:
                try:
                    return self._kept(connection, await connection.exchange(request, timeout))
                except NoAnswer:
                    if not connection.broke_unheard:
                        raise
                    # Closed by the other side while it lay idle. Its neighbours are as old: none of them is tried.
                    self.drop_idle()
            connection = await self._open()
            return self._kept(connection, await connection.exchange(request, timeout))

    def forget(self, connection: _Connection) -> None:
        if connection in self._idle:
            self._idle.remove(connection)

    def drop_idle(self) -> None:
        for connection in self._idle.copy():
            connection.abort()
        self._idle.clear()

    def _take_idle(self) -> _Connection | None:
        """The one used last: it is the likeliest to be alive, and those that nobody needs grow old."""
        while self._idle:
            connection = self._idle.pop()
            if connection.usable and connection.idle_since + self.limits.idle_seconds > connection.loop.time():
                return connection
            connection.abort()
        return None

    def _kept(self, connection: _Connection, answer: Answer) -> Answer:
        if connection.usable:
            connection.idle_since = connection.loop.time()
            self._idle.append(connection)
        else:
            connection.abort()
        return answer

    async def _open(self) -> _Connection:
        loop = asyncio.get_running_loop()
        origin = self.origin
        try:
            async with asyncio.timeout(self.limits.connect_seconds):
                _, connection = await loop.create_connection(
                    lambda: _Connection(self, loop),
                    self._address,
                    origin.port,
                    ssl=self._tls,
                    server_hostname=origin.host if self._tls else None,
                )
        except TimeoutError:
            raise NoAnswer(f"{origin}: no connection within {self.limits.connect_seconds:g} s") from None
        except ssl.SSLCertVerificationError as error:  # no number of attempts will change that
            raise ConfigurationError(f"{origin}: {error}") from error
        except OSError as error:  # refused, unreachable, unknown host, TLS
            raise NoAnswer(f"{origin}: {error}") from error
        return connection
