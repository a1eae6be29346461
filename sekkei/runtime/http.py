"""HTTP to the outside world: any method, any origin, over connections that are kept."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any

import orjson

from sekkei.errors import NoAnswer
from sekkei.store.http import Answer, Limits, Origin, Pool

LIMITS = Limits(connections=10, connect_seconds=10.0, answer_seconds=30.0, idle_seconds=30.0)
_ORIGINS_MAX = 100
Exchange = Callable[[str, str, Mapping[str, str], bytes], Awaitable[Answer]]
"""Method, URL, headers and body; raises NoAnswer."""
NETWORK: ContextVar[Exchange | None] = ContextVar("network", default=None)
"""What carries requests instead of sockets; simulated worlds set it."""
AT_ONCE: ContextVar[Callable[[str, str, Mapping[str, str], bytes], Answer] | None] = ContextVar("at once", default=None)
"""What answers them without any way there, while work is only tried out in such a world."""


class Http:
    """A client for the few hosts a system talks to. One belongs to one event loop."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._pools: dict[tuple[bool, str, int, str | None], Pool] = {}
        self._tls: ssl.SSLContext | None = None

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        address: str | None = None,
    ) -> Answer:
        """Send one request; the answer may have any status. Raises `sekkei.errors.NoAnswer` without one.

        `address` is what the URL's name was resolved to, if somebody had to look at that first.
        """
        network = NETWORK.get()
        if network is not None:
            return await self._simulated(network, method, url, headers or {}, body)
        origin = Origin.of(url)
        query = url.partition("?")[2].partition("#")[0]
        target = origin.path + (f"?{query}" if query else "")
        fields = {"Host": origin.authority, "Content-Length": str(len(body)), **(headers or {})}
        for name, value in fields.items():
            if not (name + value).isprintable():
                raise ValueError(f"The header {name} holds what no header may hold.")
        head = f"{method} {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return await self._pool(origin, address).exchange(head.encode() + b"\r\n" + body)

    async def json(
        self, method: str, url: str, content: Any = None, *, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """The same with a JSON body."""
        body = b"" if content is None else orjson.dumps(content)
        fields = {"Accept": "application/json", **(headers or {})}
        if body:
            fields["Content-Type"] = "application/json"
        return await self.request(method, url, headers=fields, body=body)

    async def _simulated(
        self, network: Exchange, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        at_once = AT_ONCE.get()
        if at_once is not None:
            return at_once(method, url, headers, body)
        try:
            return await asyncio.wait_for(network(method, url, headers, body), self._limits.answer_seconds)
        except TimeoutError:
            raise NoAnswer(f"no answer within {self._limits.answer_seconds} seconds") from None

    def _pool(self, origin: Origin, address: str | None) -> Pool:
        key = (origin.secure, origin.host, origin.port, address)
        pool = self._pools.get(key)
        if pool is None:
            if len(self._pools) >= _ORIGINS_MAX:
                self.close()
            if origin.secure and self._tls is None:
                self._tls = ssl.create_default_context()
            pool = self._pools[key] = Pool(origin, self._tls if origin.secure else None, self._limits, address)
        return pool

    def close(self) -> None:
        for pool in self._pools.values():
            pool.drop_idle()
        self._pools.clear()
