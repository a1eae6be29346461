"""Requests to addresses that a studio's manager typed: they lead to the internet, never into our own network.

A name is resolved once, every address that it stands for must be public (or be named in `SEKKEI_WEBHOOK_ALLOW`), and
the connection goes to one of those very addresses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from sekkei.runtime.http import Http
from sekkei.runtime.transports.webhook import Network, Resolve, public_address, resolved
from sekkei.store.http import Answer


@dataclass
class PublicHttp:
    """As much of `Http` as feeds and booking systems need."""

    http: Http
    allowed: Sequence[Network] = ()
    resolve: Resolve = resolved

    async def json(
        self, method: str, url: str, content: Any = None, *, headers: Mapping[str, str] | None = None
    ) -> Answer:
        body = b"" if content is None else orjson.dumps(content)
        fields = {
            "Accept": "application/json",
            **({"Content-Type": "application/json"} if body else {}),
            **(headers or {}),
        }
        address = await public_address(url, self.allowed, self.resolve)
        return await self.http.request(method, url, headers=fields, body=body, address=address)
