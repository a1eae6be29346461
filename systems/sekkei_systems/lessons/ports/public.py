"""Requests to addresses that a studio's manager typed: they lead to the internet, never into our own network.

A name is resolved once, every address that it stands for must be public (or be named in `SEKKEI_WEBHOOK_ALLOW`), and
the connection goes to one of those very addresses.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from sekkei.errors import ConfigurationError
from sekkei.runtime.http import Http
from sekkei.runtime.transports.webhook import Network, Resolve, is_public, resolved
from sekkei.store.http import Answer, Origin


class PublicHttp:
    """As much of `Http` as feeds and booking systems need."""

    def __init__(self, http: Http, allowed: Sequence[Network] = (), resolve: Resolve = resolved) -> None:
        self._http, self._allowed, self._resolve = http, allowed, resolve

    async def json(
        self, method: str, url: str, content: Any = None, *, headers: Mapping[str, str] | None = None
    ) -> Answer:
        body = b"" if content is None else orjson.dumps(content)
        fields = {
            "Accept": "application/json",
            **({"Content-Type": "application/json"} if body else {}),
            **(headers or {}),
        }
        address = await self._address(url)
        return await self._http.request(method, url, headers=fields, body=body, address=address)

    async def _address(self, url: str) -> str:
        try:
            origin = Origin.of(url)
        except ConfigurationError as error:
            raise ConnectionError(str(error)) from None
        found = await self._resolve(origin.host, origin.port)
        for text in found:
            address = ipaddress.ip_address(text.partition("%")[0])
            if not is_public(address) and not any(address in network for network in self._allowed):
                raise ConnectionError(f"{origin.host} leads into a private network")
        if not found:
            raise ConnectionError(f"{origin.host} has no address")
        return found[0]
