"""Webhooks: JSON to an address that a user gave, signed so that the receiver can tell it is from us.

`Sekkei-Signature: t=<seconds>,v1=<hex>` is HMAC-SHA256 over `<seconds>.<body>`, as many receivers know it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import socket

import orjson

from sekkei.clock import Clock
from sekkei.runtime.design import Message
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Undeliverable
from sekkei.store.http import Origin


class Webhook:
    """Users' addresses must not lead into our own network, so an address that is not public is refused."""

    def __init__(self, secret: bytes, http: Http, clock: Clock, *, public_only: bool = True) -> None:
        self._secret = secret
        self._http = http
        self._clock = clock
        self._public_only = public_only

    async def send(self, message: Message) -> str:
        if self._public_only:
            await self._check_public(message.to)
        body = orjson.dumps(message.body)
        headers = {
            "Content-Type": "application/json",
            "Sekkei-Signature": signature(self._secret, int(self._clock.now()), body),
            "Sekkei-Message": message.id,
        }
        answer = await self._http.request("POST", message.to, headers=headers, body=body)
        if 200 <= answer.status < 300:
            return str(answer.status)
        if answer.status == 410:
            raise Undeliverable("the receiver says that it is gone")
        raise ConnectionError(f"the receiver answered {answer.status}")

    async def _check_public(self, url: str) -> None:
        origin = Origin.of(url)
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(origin.host, origin.port, type=socket.SOCK_STREAM)
        for _, _, _, _, address in found:
            if not ipaddress.ip_address(address[0]).is_global:
                raise Undeliverable("the address leads into a private network")


def signature(secret: bytes, now: int, body: bytes) -> str:
    digest = hmac.new(secret, b"%d." % now + body, hashlib.sha256).hexdigest()
    return f"t={now},v1={digest}"
