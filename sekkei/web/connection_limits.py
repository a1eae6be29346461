"""uvicorn's protocol with a limit on patience: how long a head, a body and the taking of an answer may last, how many
connections there are in all and from one address. ADR 15 says why a guard and not another server.

One timer looks after all connections, as on the wire's port. When there are too many, the one that has waited longest
without a whole request makes room; so half-sent heads cannot keep anybody out.
"""

from __future__ import annotations

import asyncio
import heapq
import ipaddress
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sekkei.web.limits import counted_as
from sekkei.wire import limits

NEVER = float("inf")
_Exempt = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Patience:
    """Every bound that the web port keeps."""

    head_seconds: float = 10.0
    """From the connection, or the first byte of a later request, to the end of the head."""
    head_bytes_max: int = 64 * 1024
    body_seconds: float = 20.0
    """For a body, and besides that a second for every `body_bytes_per_second` that have come."""
    body_bytes_per_second: int = 4096
    write_seconds: float = 60.0
    """For a client that does not take its answer."""
    idle_seconds: float = 15.0
    """Between two requests of one connection."""
    sweep_seconds: float = 1.0
    connections_max: int = 4096
    per_address_max: int = 256
    """An office behind one address has many people, each with up to six connections."""


def patience_here() -> Patience:
    """At most half of what this process may open: the store and the wire's port need some too."""
    return Patience(connections_max=min(Patience().connections_max, limits.room()))


def proxies(forwarded_from: str) -> _Exempt:
    """Through these addresses many people come: a proxy, whether or not its headers count, and this machine."""
    names = {name.strip() for name in forwarded_from.split(",") if name.strip()}

    def exempt(address: str) -> bool:
        if "*" in names or address in names:
            return True
        try:
            found = ipaddress.ip_address(address.partition("%")[0])
            return found.is_loopback or any("/" in name and found in ipaddress.ip_network(name) for name in names)
        except ValueError:
            return True  # a socket in the file system

    return exempt


@dataclass
class Guard:
    """All connections of one port."""

    patience: Patience = field(default_factory=patience_here)
    exempt: _Exempt = field(default_factory=lambda: proxies(""))
    connections: set[GuardedProtocol] = field(default_factory=set)
    by_address: Counter[str] = field(default_factory=Counter)
    entered: int = 0
    """How many there have been."""
    _sweeper: asyncio.TimerHandle | None = None

    def protocol(self) -> Callable[..., GuardedProtocol]:
        """What uvicorn calls for every connection."""
        return partial(GuardedProtocol, self)

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._sweeper = loop.call_later(self.patience.sweep_seconds, self._sweep, loop)

    def stop(self) -> None:
        if self._sweeper is not None:
            self._sweeper.cancel()

    def enter(self, connection: GuardedProtocol) -> bytes | None:
        """Gives the refusal, if there is no room."""
        self.entered += 1
        self.connections.add(connection)
        self.by_address[connection.address] += 1
        if self.by_address[connection.address] > self.patience.per_address_max and not self.exempt(connection.address):
            return TOO_MANY
        if len(self.connections) <= self.patience.connections_max:
            return None
        waiting = [each for each in self.connections if each.is_waiting and each is not connection]
        if not waiting:
            return FULL
        # Several at once, so that a flood does not make us look through all of them for each that comes.
        for each in heapq.nsmallest(max(1, len(waiting) // 20), waiting, key=attrgetter("deadline")):
            each.transport.abort()
        return None

    def leave(self, connection: GuardedProtocol) -> None:
        self.connections.discard(connection)
        self.by_address[connection.address] -= 1
        if not self.by_address[connection.address]:
            del self.by_address[connection.address]

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        self.expire(loop.time())
        self._sweeper = loop.call_later(self.patience.sweep_seconds, self._sweep, loop)

    def expire(self, now: float) -> None:
        for connection in [each for each in self.connections if each.deadline < now]:
            connection.expire()


class GuardedProtocol(HttpToolsProtocol):
    """One connection; `deadline` is when the guard loses its patience with it."""

    def __init__(self, guard: Guard, /, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._guard, self._patience = guard, guard.patience
        self.address = "unknown"
        self.deadline = self._after(self._patience.head_seconds)
        self._in_head = True
        self._head_bytes = 0
        self._in_body = False

    def _after(self, seconds: float) -> float:
        return self.loop.time() + seconds

    @property
    def is_waiting(self) -> bool:
        """Nothing of ours is under way for it."""
        return not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = counted_as(self.client[0]) if self.client else "unknown"
        refusal = self._guard.enter(self)
        if refusal is not None:
            self._refuse(refusal)

    def connection_lost(self, exc: Exception | None) -> None:
        self._guard.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > self._patience.head_bytes_max:
                self._refuse(_HEAD_TOO_LARGE)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0
        if self.is_waiting:
            self.deadline = self._after(self._patience.head_seconds)

    def on_headers_complete(self) -> None:
        self._in_head, self._in_body = False, True
        self.deadline = self._after(self._patience.body_seconds)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self.deadline += len(body) / self._patience.body_bytes_per_second
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_body = False
        self.deadline = NEVER  # now it is we who take our time
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self.deadline = self._after(self._patience.idle_seconds)
        super().on_response_complete()

    def pause_writing(self) -> None:
        self.deadline = self._after(self._patience.write_seconds)
        super().pause_writing()

    def resume_writing(self) -> None:
        self.deadline = self._after(self._patience.body_seconds) if self._in_body else NEVER
        super().resume_writing()

    def expire(self) -> None:
        """The deadline has passed."""
        unanswered = self.cycle is None or self.cycle.response_complete or not self.cycle.response_started
        if self.transport.is_closing() or not self.flow or self.flow.write_paused:
            self.transport.abort()
        elif (self._in_body or self._head_bytes) and unanswered:
            self._refuse(_TOO_SLOW)
        else:
            self.transport.close()

    def _refuse(self, answer: bytes) -> None:
        self.deadline = self._after(self._patience.head_seconds)
        self.transport.write(answer)
        self.transport.close()


def _answer(status: str, ja: str, en: str, wait_seconds: int = 0) -> bytes:
    """Nothing is known yet of who asks, so it says it in both languages."""
    body = f"{ja}\n{en}\n".encode()
    retry = f"retry-after: {wait_seconds}\r\n" if wait_seconds else ""
    head = f"HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {len(body)}\r\n"
    return f"{head}{retry}connection: close\r\n\r\n".encode() + body


_TOO_SLOW = _answer(
    "408 Request Timeout", "リクエストが届くのに時間がかかりすぎました。", "The request took too long to arrive."
)
_HEAD_TOO_LARGE = _answer(
    "431 Request Header Fields Too Large", "ヘッダーが大きすぎます。", "The headers are too large."
)
TOO_MANY = _answer(
    "429 Too Many Requests",
    "同じアドレスからの接続が多すぎます。少し待ってからもう一度お試しください。",
    "There are too many connections from your address. Wait a moment and try again.",
    10,
)
FULL = _answer(
    "503 Service Unavailable",
    "ただいま混み合っています。少し待ってからもう一度お試しください。",
    "We are busy at the moment. Wait a moment and try again.",
    10,
)
