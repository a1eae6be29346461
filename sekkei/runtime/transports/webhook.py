"""Webhooks: JSON to an address that a user gave, signed so that the receiver can tell it is from us.

SEKKEI_WEBHOOK_SECRET            signs (`sekkei.kit.webhooks`): whsec_ and base64 of 24 to 64 random bytes
SEKKEI_WEBHOOK_SECRET_PREVIOUS   signs too, while receivers change to the new one
SEKKEI_WEBHOOK_ALLOW             networks of ours that addresses may lead into, such as 10.1.0.0/16 (default: none)

A user who gives an address must not learn or change anything inside our network. So a name is resolved once, every
address that it stands for must be public, and the connection goes to one of those very addresses: a name that is
resolved anew could stand for another. Redirects are not followed, and little of an answer is read.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlsplit

import orjson

from sekkei.clock import Clock
from sekkei.errors import ConfigurationError
from sekkei.kit.webhooks import SECRET_BYTES_MIN, message_id, secret_of, signed
from sekkei.runtime.design import Message
from sekkei.runtime.failures import error_line
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Undeliverable, busy
from sekkei.runtime.settings import Settings
from sekkei.store.http import Answer, Limits, Origin

LIMITS = Limits(connections=4, connect_seconds=5.0, answer_seconds=10.0, idle_seconds=5.0, answer_bytes=64 * 1024)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve = Callable[[str, int], Awaitable[list[str]]]

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


async def resolved(host: str, port: int) -> list[str]:
    """Every address that a name stands for."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


class Sender:
    """Posts signed JSON. `allowed` are networks of ours that users' addresses may lead into after all."""

    def __init__(
        self, clock: Clock, allowed: Sequence[Network] = (), resolve: Resolve = resolved, http: Http | None = None
    ) -> None:
        self._clock = clock
        self._allowed, self._resolve = allowed, resolve
        self._http = http or Http(LIMITS)

    async def post(self, url: str, id: str, body: bytes, secrets: Sequence[bytes]) -> Answer:
        """Send one message. Raises Undeliverable for an address that may not be called, NoAnswer and OSError."""
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Sekkei",
            **signed(secrets, id, int(self._clock.now()), body),
        }
        try:
            address = await public_address(url, self._allowed, self._resolve)
            return await self._http.request("POST", url, headers=headers, body=body, address=address)
        except (NotPublic, ConfigurationError) as error:
            raise Undeliverable(error_line(error)) from None

    def problem(self, answer: Answer) -> Exception | None:
        """Return what to raise for an answer: Undeliverable for one that will never be another, None for a good one."""
        if 200 <= answer.status < 300:
            return None
        if 300 <= answer.status < 400:
            return Undeliverable("redirects are not followed")
        if answer.status == 410:
            return Undeliverable("the receiver is gone")
        words = f"the receiver answered {answer.status}"
        return busy(answer, self._clock, words, everywhere=False) or ConnectionError(words)


class Webhook:
    """The outbox's webhooks, signed with the secrets of the installation, the one in force first."""

    timeout_seconds = 15.0

    def __init__(self, sender: Sender, secrets: Sequence[bytes]) -> None:
        self._sender, self._secrets = sender, secrets

    @staticmethod
    def configured(settings: Settings, clock: Clock) -> Webhook | None:
        texts = [settings.get(name) for name in ("webhook_secret", "webhook_secret_previous")]
        if not texts[0]:
            return None
        secrets = [secret_of(text) for text in texts if text]
        if any(len(secret) < SECRET_BYTES_MIN for secret in secrets):
            raise ValueError(f"SEKKEI_WEBHOOK_SECRET and the one before have at least {SECRET_BYTES_MIN} bytes.")
        return Webhook(Sender(clock, allowed_networks(settings)), secrets)

    def destination(self, message: Message) -> str:
        """One call at a time to a host, so that one that hangs takes one place."""
        return urlsplit(message.to).netloc

    async def send(self, message: Message) -> str:
        answer = await self._sender.post(message.to, message_id(message.id), orjson.dumps(message.body), self._secrets)
        problem = self._sender.problem(answer)
        if problem is not None:
            raise problem
        return str(answer.status)


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


def allowed_networks(settings: Settings) -> list[Network]:
    """The networks of ours that addresses may lead into, such as `10.0.0.0/8, 127.0.0.1`."""
    try:
        return [ipaddress.ip_network(one.strip()) for one in settings.get("webhook_allow").split(",") if one.strip()]
    except ValueError as error:
        raise ValueError(f"SEKKEI_WEBHOOK_ALLOW: {error}; give networks such as 10.1.0.0/16.") from None
