"""The address that LINE calls: set, told, tried. It takes a minute until a new one is called.

LINE takes an HTTPS address of at most 500 characters. On this machine, where nobody has a certificate, plain HTTP to
loopback is taken too.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from sekkei.clock import Clock
from sekkei.errors import ConfigurationError, NoAnswer
from sekkei.runtime.http import Http
from sekkei.store.http import Origin
from sekkei_fakes.line_menus import Hourly
from sekkei_fakes.line_refused import Refused

URL_MAX = 500
TESTS_HOURLY = 60
CACHED_SECONDS = 60.0
ANSWER_SECONDS = 2.0
"""LINE waits this long for a webhook's answer."""

Post = Callable[[str, bytes, Mapping[str, str]], Awaitable[int]]
"""URL, body and headers of a delivery; the status of its answer."""


async def over_network(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    http = Http()
    try:
        return (await http.request("POST", url, headers=headers, body=body)).status
    finally:
        http.close()


class WebhookEndpoint:
    def __init__(self, clock: Clock, post: Post = over_network) -> None:
        self._clock, self.post = clock, post
        self.url = ""
        """As it was set last."""
        self._before, self._until = "", 0.0
        self.active = True
        """The switch "Use webhook" of LINE's console."""
        self._tests = Hourly(clock, TESTS_HOURLY)

    @property
    def used(self) -> str:
        """The one that LINE calls: for a minute still that of before."""
        return self._before if self._clock.now() < self._until else self.url

    def set(self, content: Mapping[str, Any]) -> dict[str, Any]:
        url, before = _checked(content.get("endpoint")), self.used
        if before:
            self._before, self._until = before, self._clock.now() + CACHED_SECONDS
        self.url = url
        return {}

    def told(self) -> dict[str, Any]:
        return {"endpoint": _known(self.url), "active": self.active}

    async def test(self, content: Mapping[str, Any], body: bytes, headers: Mapping[str, str]) -> dict[str, Any]:
        """A delivery without events, to the address that is given or in use."""
        self._tests.take()
        url = _checked(content["endpoint"]) if "endpoint" in content else _known(self.used)
        await _resolve(Origin.of(url))
        status, reason, detail = await self._tried(url, body, headers)
        at = datetime.fromtimestamp(self._clock.now(), UTC).isoformat(timespec="milliseconds")
        return {
            "success": reason == "OK",
            "timestamp": at.replace("+00:00", "Z"),
            "statusCode": status,
            "reason": reason,
            "detail": detail,
        }

    async def _tried(self, url: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, str, str]:
        try:
            status = await asyncio.wait_for(self.post(url, body, headers), ANSWER_SECONDS)
        except TimeoutError:
            return 0, "REQUEST_TIMEOUT", "Request timeout"
        except (OSError, NoAnswer) as error:
            return 0, "COULD_NOT_CONNECT", f"Failure to connect: {error or url}"
        return status, "OK" if 200 <= status < 300 else "ERROR_STATUS_CODE", str(status)


def _known(url: str) -> str:
    if not url:
        raise Refused(404, "Webhook endpoint not found")
    return url


def _checked(url: object) -> str:
    try:
        origin = Origin.of(str(url))
    except ConfigurationError:
        raise Refused(400, "Invalid webhook endpoint URL") from None
    if not isinstance(url, str) or len(url) > URL_MAX or not (origin.secure or origin.loopback):
        raise Refused(400, "Invalid webhook endpoint URL")
    return url


async def _resolve(origin: Origin) -> None:
    try:
        await asyncio.get_running_loop().getaddrinfo(origin.host, origin.port, type=socket.SOCK_STREAM)
    except OSError:
        raise Refused(400, "Invalid webhook endpoint URL") from None
