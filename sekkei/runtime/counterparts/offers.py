"""Counterparts that can be served by themselves: `sekkei counterpart NAME`.

A package offers one by an entry point of the group `sekkei.counterparts`: a function of a clock that gives an `Offer`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from sekkei.clock import Clock
from sekkei.runtime.counterparts import Counterpart
from sekkei.runtime.counterparts.line import LineCounterpart
from sekkei.runtime.counterparts.served import serve
from sekkei.runtime.counterparts.smtp import Mail, SmtpCounterpart

GROUP = "sekkei.counterparts"


@dataclass(frozen=True, slots=True)
class Offer:
    opened: Callable[[int], AbstractAsyncContextManager[str]]
    """On a port (0: a free one), with its address."""
    settings: Callable[[str], Mapping[str, str]]
    """What a system is told to use it, given its address: names as in SEKKEI_…, in lower case."""


def over_http(counterpart: Counterpart, settings: Callable[[str], Mapping[str, str]]) -> Offer:
    @asynccontextmanager
    async def opened(port: int) -> AsyncIterator[str]:
        async with serve(counterpart, port=port) as found:
            yield found.url

    return Offer(opened, settings)


def line(clock: Clock) -> Offer:
    found = LineCounterpart(clock)
    return over_http(found, lambda url: {"line_api_url": url, "line_channel_token": "line-token"})


def smtp(clock: Clock) -> Offer:
    """Without TLS and password, because no program trusts a certificate made up on the spot."""
    found = SmtpCounterpart(clock, heard=_tell)
    return Offer(
        lambda port: found.serve(port=port), lambda url: {"smtp_url": url, "mail_from": "sekkei@localhost.example"}
    )


def _tell(mail: Mail) -> None:
    body = mail.message.get_body(("plain",))
    words = body.get_content() if body is not None else ""
    print(f"\nto {', '.join(mail.recipients)}: {mail.message['Subject']}\n{words}", flush=True)


OFFERS: Mapping[str, Callable[[Clock], Offer]] = {"line": line, "smtp": smtp}
"""Beside those of other packages."""
