"""Webhooks: JSON to an address that a user gave, signed so that the receiver can tell it is from us.

`Sekkei-Signature: t=<seconds>,v1=<hex>` is HMAC-SHA256 over `<seconds>.<body>`, as many receivers know it.

Whoever gives the address must not learn or change anything inside our network. So a name is resolved once, every
address that it stands for must be public, and the connection goes to one of those very addresses: a name that is
resolved anew could stand for another. Redirects are not followed, and little of an answer is read.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlsplit

import orjson

from sekkei.clock import Clock
from sekkei.errors import ConfigurationError
from sekkei.runtime.design import Message
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Undeliverable, busy
from sekkei.store.http import Limits, Origin

LIMITS = Limits(connections=4, connect_seconds=5.0, answer_seconds=10.0, idle_seconds=5.0, answer_bytes=64 * 1024)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve = Callable[[str, int], Awaitable[list[str]]]

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


async def resolved(host: str, port: int) -> list[str]:
    """Every address that a name stands for."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


class Webhook:
    """`allowed` are networks of ours that users' addresses may lead into after all."""

    def __init__(
        self,
        secret: bytes,
        clock: Clock,
        *,
        allowed: Sequence[Network] = (),
        resolve: Resolve = resolved,
        http: Http | None = None,
    ) -> None:
        self._secret = secret
        self._clock = clock
        self._allowed = allowed
        self._resolve = resolve
        self._http = http or Http(LIMITS)

    timeout_seconds = 15.0

    def destination(self, message: Message) -> str:
        """One call at a time to a host, so that one that hangs takes one place."""
        return urlsplit(message.to).netloc

    async def send(self, message: Message) -> str:
        address = await self._address(message.to)
        body = orjson.dumps(message.body)
        headers = {
            "Content-Type": "application/json",
            "Sekkei-Signature": signature(self._secret, int(self._clock.now()), body),
            "Sekkei-Message": message.id,
        }
        answer = await self._http.request("POST", message.to, headers=headers, body=body, address=address)
        if 200 <= answer.status < 300:
            return str(answer.status)
        if 300 <= answer.status < 400:
            raise Undeliverable(f"the receiver answered {answer.status}: redirects are not followed, give its address")
        if answer.status == 410:
            raise Undeliverable("the receiver says that it is gone")
        words = f"the receiver answered {answer.status}"
        raise busy(answer, self._clock, words, everywhere=False) or ConnectionError(words)

    async def _address(self, url: str) -> str:
        try:
            return await public_address(url, self._allowed, self._resolve)
        except NotPublic as error:
            raise Undeliverable(str(error)) from None


class NotPublic(ConnectionError):
    """A URL that is none, or that leads into a network of ours."""


async def public_address(url: str, allowed: Sequence[Network] = (), resolve: Resolve = resolved) -> str:
    """One address to connect to, after all of them have been looked at; for every URL that a user typed."""
    try:
        origin = Origin.of(url)
    except ConfigurationError as error:
        raise NotPublic(str(error)) from None
    found = await resolve(origin.host, origin.port)
    if not found:
        raise ConnectionError(f"{origin.host} has no address")
    for text in found:
        address = ipaddress.ip_address(text.partition("%")[0])
        if not is_public(address) and not any(address in network for network in allowed):
            raise NotPublic(f"{origin.host} leads into a private network")
    return found[0]


def is_public(address: Address) -> bool:
    """Whether it is an address of the internet; what carries an IPv4 address inside is judged by that one."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not address.is_multicast and not address.is_reserved and not address.is_unspecified


def networks(text: str) -> list[Network]:
    """`10.0.0.0/8, 127.0.0.1`; raises ValueError."""
    return [ipaddress.ip_network(one.strip()) for one in text.split(",") if one.strip()]


def signature(secret: bytes, now: int, body: bytes) -> str:
    digest = hmac.new(secret, b"%d." % now + body, hashlib.sha256).hexdigest()
    return f"t={now},v1={digest}"
