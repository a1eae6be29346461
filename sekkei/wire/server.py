"""The listening server: accepts connections, loses patience with slow ones, stops gracefully."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Mapping
from operator import attrgetter

from sekkei.clock import SYSTEM, Clock
from sekkei.wire import limits as descriptors
from sekkei.wire.backpressure import Outgoing, Unread
from sekkei.wire.connection import Connection
from sekkei.wire.fairness import Fairness
from sekkei.wire.limits import Limits
from sekkei.wire.service import Engine, Service
from sekkei.wire.sigv4 import Key

log = logging.getLogger("sekkei.wire")


class OpenToStrangers(Exception):
    """The address can be reached from other machines and there are no keys to keep strangers out."""


class Server:
    """DynamoDB's protocol in front of an engine.

    server = Server(engine, keys={"AKIDLOCAL": Key("secret")})
    await server.start("127.0.0.1", 8001)
    ...
    await server.stop()
    """

    def __init__(
        self,
        engine: Engine,
        keys: Mapping[str, Key] | None = None,
        *,
        limits: Limits | None = None,
        clock: Clock = SYSTEM,
        region: str = "us-east-1",
    ) -> None:
        self.limits = limits or Limits()
        self.service = Service(engine, keys, clock, region, self.limits.body_bytes_max)
        self.stopping = False
        self.debug = log.isEnabledFor(logging.DEBUG)
        self.verifies = bool(keys)
        self._connections: set[Connection] = set()
        self._room = self.limits.connections_max
        """How many the process has descriptors for, once it listens."""
        self._buffered_bytes = 0
        self._listener: asyncio.Server | None = None
        self._sweeper: asyncio.TimerHandle | None = None
        self._empty = asyncio.Event()
        self._outgoing = Outgoing()
        self.fairness = Fairness()
        self.unread = Unread(self.limits.unread_bytes_max, self.limits.stalled_seconds, self.fairness)

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen. Port 0 takes any free one; see `port`."""
        if not self.verifies and not is_loopback(host):
            raise OpenToStrangers(
                f"{host} can be reached from other machines, and without keys anyone there could read and change "
                "everything. Set SEKKEI_ACCESS_KEY_ID and SEKKEI_SECRET_ACCESS_KEY, or listen on 127.0.0.1."
            )
        loop = asyncio.get_running_loop()
        self._room = descriptors.room()
        backlog = descriptors.backlog()
        self._listener = await loop.create_server(lambda: Connection(self, loop), host, port, backlog=backlog)
        self._sweeper = loop.call_later(self.limits.sweep_seconds, self._sweep, loop)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        assert self._listener is not None, "the server has not been started"
        port: int = self._listener.sockets[0].getsockname()[1]
        return port

    async def stop(self) -> None:
        """Accept no more, answer what is under way, close. Whoever takes too long is cut off."""
        self.stopping = True
        if self._listener is not None:
            self._listener.close()
        for connection in list(self._connections):
            connection.stop()
        if self._connections:
            self._empty.clear()
            try:
                await asyncio.wait_for(self._empty.wait(), self.limits.shutdown_seconds)
            except TimeoutError:
                for connection in list(self._connections):
                    connection.abort()
        if self._sweeper is not None:
            self._sweeper.cancel()

    # --- what a connection asks of its host ------------------------------------------------------------------------

    def enter(self, connection: Connection) -> bool:
        """When there are too many, the one that has been idle for the longest makes room, or else the one that has let
        half a request or half an answer lie for the longest."""
        self._connections.add(connection)
        if self.stopping:
            return False
        most = min(self.limits.connections_max, self._room)
        if len(self._connections) <= most:
            return True
        idle = [each for each in self._connections if each.is_idle and each is not connection]
        if idle:
            longest = min(idle, key=attrgetter("deadline"))
        else:
            longest = min(self._connections, key=attrgetter("stalled_since"))
            if longest.stalled_since > asyncio.get_running_loop().time() - self.limits.stalled_seconds:
                if len(self._connections) > most + most // 8 + 1:
                    connection.abort()  # those who are told that there is no room take up some as well
                return False
        self.send_all()  # it may have been answered in this very iteration
        self._connections.discard(longest)
        longest.abort()
        return True

    def leave(self, connection: Connection) -> None:
        self._connections.discard(connection)
        if not self._connections:
            self._empty.set()

    def buffer(self, count: int) -> bool:
        self._buffered_bytes += count
        return self._buffered_bytes <= self.limits.buffered_bytes_max

    def send(self, transport: asyncio.Transport, answer: bytes) -> None:
        if len(self._connections) > 1:
            self._outgoing.add(transport, answer)
        else:
            self._outgoing.send()
            transport.write(answer)

    def send_all(self) -> None:
        self._outgoing.send()

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        """One timer for all connections: setting one for each request would cost more than the request."""
        now = loop.time()
        for connection in [each for each in self._connections if each.deadline < now]:
            connection.expire()
        self.unread.look(now)
        self._sweeper = loop.call_later(self.limits.sweep_seconds, self._sweep, loop)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address. A name counts when everything that it stands for does."""
    found = socket.getaddrinfo(host or "0.0.0.0", None, type=socket.SOCK_STREAM)
    return all(ipaddress.ip_address(str(entry[4][0]).partition("%")[0]).is_loopback for entry in found)
