"""Every client of a provider reads `Retry-After` in the same way."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from ipaddress import ip_network
from typing import Any

import pytest

from sekkei.clock import Clock, ManualClock
from sekkei.runtime.design import Message
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import TryAgain
from sekkei.runtime.transports.expo import Expo
from sekkei.runtime.transports.line import LineApi
from sekkei.runtime.transports.web_push import Vapid, WebPush, make_key
from sekkei.runtime.transports.webhook import Sender, Webhook
from sekkei.testing import make
from sekkei_systems.eventbot.ports.discord.rest import RateLimited, Rest, over_http
from tests.kit.test_retries import AN_HOUR, CASES, NOON
from tests.runtime.servers import http_server
from tests.runtime.test_web_push import AUTH, UA_PUBLIC

LOOPBACK = [ip_network("127.0.0.0/8")]
Ask = Callable[[str, Clock], Awaitable[object]]


def message(to: str = "U1", **body: Any) -> Message:
    return make(Message, id="tasks/invite/1", kind="mail", to=to, body=body)


async def expo(url: str, clock: Clock) -> object:
    return await Expo(url, "", Http(), clock).send(message("ExponentPushToken[x]", title="Q."))


async def line(url: str, clock: Clock) -> object:
    return await LineApi("secret", Http(), clock, url).send(message(messages="[]"))


async def web_push(url: str, clock: Clock) -> object:
    vapid = Vapid(make_key(), "mailto:a@example.jp", clock)
    body = {"keys": {"p256dh": UA_PUBLIC, "auth": AUTH}, "payload": {}}
    return await WebPush(vapid, Http(), url.removeprefix("http://")).send(message(f"{url}/x", **body))


async def webhook(url: str, clock: Clock) -> object:
    return await Webhook(Sender(clock, LOOPBACK), [b"s"]).send(message(url, x=1))


async def discord(url: str, clock: Clock) -> object:
    async def sleep(seconds: float) -> None:
        raise AssertionError("it waits itself")

    try:
        return await Rest(over_http(Http(), url), "token", "42", "https://a.example", clock, sleep, 0.0).post("7", {})
    except RateLimited as limited:
        raise TryAgain(limited.retry_after, "") from None


@pytest.mark.parametrize("client", [expo, line, web_push, webhook, discord])
@pytest.mark.parametrize(("header", "seconds"), CASES)
async def test_every_client(client: Ask, header: str, seconds: float | None) -> None:
    clock = ManualClock(NOON)
    async with http_server((429, {"Retry-After": header}, {})) as server:
        with pytest.raises((TryAgain, ConnectionError)) as raised:
            await client(server.url, clock)
    if seconds is not None:
        assert isinstance(raised.value, TryAgain)
        assert raised.value.seconds == pytest.approx(max(1.0, seconds))
    elif isinstance(raised.value, TryAgain):
        assert 0 < raised.value.seconds <= AN_HOUR
