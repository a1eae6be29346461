"""A rehearsal: the strict LINE and the strict Stripe, and somebody who types what donors and payers do.

`sekkei chiipochi rehearse` serves both and prints the settings for the bot. What is typed is said by a donor; what
begins with a slash is what the payer, the shop or the bank does (`sekkei_fakes/stripe/payer.py`). A donor who is to pay
follows the newest payment link first.
"""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import urlsplit

from sekkei.clock import SYSTEM, Clock
from sekkei.commands import CouldNotRun
from sekkei.runtime.http import Http
from sekkei.store import NoAnswer
from sekkei_fakes.line import DATA, LineCounterpart
from sekkei_fakes.line_friend import FriendAtTerminal
from sekkei_fakes.line_refused import Refused
from sekkei_fakes.served import serve
from sekkei_fakes.stripe.ledger import Ledger
from sekkei_fakes.stripe.payer import PayerAtTerminal
from sekkei_fakes.stripe.server import KEY, StripeEnd

SECRETS = {"line_channel_secret": "rehearsal", "line_channel_token": "line-token"}
WEBHOOK_SECRET = "whsec_rehearsal"

Ask = Callable[[str, str, bytes, Mapping[str, str]], Awaitable[int]]
"""Method, path, body and headers of a request to the bot; the status of its answer."""


def settings(line_url: str, stripe_url: str) -> dict[str, str]:
    """What the bot must be started with."""
    return {
        **SECRETS,
        "line_api_url": line_url,
        "line_data_url": line_url + DATA,
        "stripe_secret_key": KEY,
        "stripe_webhook_secret": WEBHOOK_SECRET,
        "stripe_api_url": stripe_url,
        "stripe_payment_methods": "card,konbini",
    }


class Rehearsal:
    def __init__(self, clock: Clock, ask: Ask, write: Callable[[str], None]) -> None:
        self.line = LineCounterpart(clock, secret=SECRETS["line_channel_secret"])
        self.ledger = Ledger(clock, seed=int(clock.now()))
        self._ask, self._write = ask, write
        self._friend = FriendAtTerminal(self.line, clock, write, self._to("/chiipochi/webhook"))
        self._payer = PayerAtTerminal(self.ledger, WEBHOOK_SECRET, write, self._to("/chiipochi/payments/stripe"))

    def _to(self, path: str) -> Callable[[bytes, Mapping[str, str]], Awaitable[int]]:
        return lambda body, headers: self._ask("POST", path, body, headers)

    async def start(self) -> None:
        await self._friend.start()

    async def take(self, typed: str) -> None:
        """One line of what somebody types."""
        if typed.partition(" ")[0] not in self._payer.deeds:
            await self._friend.take(typed)
            return
        if typed in ("/pay", "/konbini") and not await self._follow():
            return
        await self._payer.take(typed)
        await self._friend.listen()

    async def _follow(self) -> bool:
        """The newest payment link, to Stripe's page."""
        links = [link for link in self._friend.links() if "/pay/" in link]
        if not links:
            self._write("! there is no payment link yet")
            return False
        await self._ask("GET", urlsplit(links[-1]).path, b"", {})
        return True


async def run(bot: str, line_port: int, stripe_port: int) -> None:
    """`sekkei chiipochi rehearse`, until there is no more to read."""
    http = Http()

    async def ask(method: str, path: str, body: bytes, headers: Mapping[str, str]) -> int:
        try:
            return (await http.request(method, bot + path, headers=headers, body=body)).status
        except (OSError, NoAnswer) as error:
            tell(f"! the bot does not answer at {bot}: {error!r}")
            return 0

    tell = functools.partial(print, flush=True)
    found = Rehearsal(SYSTEM, ask, tell)
    try:
        found.line.endpoint.set({"endpoint": f"{bot.rstrip('/')}/chiipochi/webhook"})
    except Refused as refused:
        raise CouldNotRun(f"--bot {bot}: {refused}") from refused
    async with (
        serve(found.line, port=line_port) as line,
        serve(StripeEnd(found.ledger), port=stripe_port) as stripe,
    ):
        tell("Start the bot in another terminal, with these settings:\n")
        for name, value in settings(line.url, stripe.url).items():
            tell(f"export SEKKEI_{name.upper()}={value}")
        tell("sekkei serve chiipochi\n\nThen press Enter, and write to it: ピーナッツ 500, はい, /pay")
        try:
            if await _typed() is not None:
                await found.start()
                while (words := await _typed()) is not None:
                    await found.take(words.strip())
        finally:
            http.close()


async def _typed() -> str | None:
    """A line of the terminal; None when there are no more."""
    return await asyncio.to_thread(sys.stdin.readline) or None
