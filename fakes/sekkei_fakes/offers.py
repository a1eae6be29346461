"""Fakes that are served by themselves: `sekkei counterpart NAME`.

A package offers one by an entry point of the group `sekkei.counterparts`: a function of a clock that gives an `Offer`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from sekkei.clock import Clock
from sekkei.runtime.fakes import Counterpart
from sekkei_fakes.expo import PATH as EXPO_PATH
from sekkei_fakes.expo import ExpoCounterpart, Phone
from sekkei_fakes.line import DATA, LineCounterpart
from sekkei_fakes.line_friend import FriendAtTerminal
from sekkei_fakes.served import Faults, Served, serve
from sekkei_fakes.smtp import Mail, SmtpCounterpart

tell = partial(print, flush=True)


class Terminal(Protocol):
    """Somebody outside, who acts by what is typed; the service tells a system of it."""

    webhook: str
    """Where the system takes the service's events."""
    hint: str
    """What may be typed."""

    async def start(self) -> None: ...
    async def take(self, typed: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Offer:
    opened: Callable[[int], AbstractAsyncContextManager[str]]
    """On a port (0: a free one), with its address."""
    settings: Callable[[str], Mapping[str, str]]
    """What a system is told to use it, given its address: names as in SEKKEI_…, in lower case."""
    terminal: Terminal | None = None
    """For services that send events to a system."""
    faults: Faults = field(default_factory=Faults)


def over_http(
    counterpart: Counterpart,
    settings: Callable[[str], Mapping[str, str]],
    terminal: Terminal | None = None,
    *,
    listens: Callable[[str], None] = lambda url: None,
) -> Offer:
    """`listens` is told the address as soon as there is one."""
    faults = Faults()

    @asynccontextmanager
    async def opened(port: int) -> AsyncIterator[str]:
        async with serve(counterpart, Served(faults=faults), port=port) as found:
            listens(found.url)
            yield found.url

    return Offer(opened, settings, terminal, faults)


def line(clock: Clock) -> Offer:
    found = LineCounterpart(clock)
    secrets = {"line_channel_token": "line-token", "line_channel_secret": found.secret}
    return over_http(
        found,
        lambda url: {"line_api_url": url, "line_data_url": url + DATA, **secrets},
        FriendAtTerminal(found, clock, tell),
    )


def smtp(clock: Clock) -> Offer:
    """Without TLS and password, because no program trusts a certificate made up on the spot."""
    found = SmtpCounterpart(clock, heard=_tell)
    return Offer(
        lambda port: found.serve(port=port), lambda url: {"smtp_url": url, "mail_from": "sekkei@localhost.example"}
    )


def expo(clock: Clock) -> Offer:
    found = ExpoCounterpart(clock, "expo-token", phones_are_real=True)
    found.heard = _show
    return over_http(found, lambda url: {"expo_url": url + EXPO_PATH, "expo_token": "expo-token"})


def _show(phone: Phone, message: dict[str, Any]) -> None:
    print(f"\n{phone.token}: {message.get('title', '')}\n{message.get('body', '')}", flush=True)


def _tell(mail: Mail) -> None:
    body = mail.message.get_body(("plain",))
    words = body.get_content() if body is not None else ""
    print(f"\nto {', '.join(mail.recipients)}: {mail.message['Subject']}\n{words}", flush=True)
