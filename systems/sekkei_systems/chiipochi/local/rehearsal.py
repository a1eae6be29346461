"""A rehearsal: the strict LINE and the strict Stripe, and somebody who types what donors and payers do.

`sekkei chiipochi rehearse` serves both and prints the settings for the bot. What is typed is said by a donor; what
begins with a slash is what the payer, the shop or the bank does (`local/stripe/payer.py`). A donor who is to pay
follows the newest payment link first.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import urlsplit

from sekkei.clock import Clock
from sekkei.runtime.counterparts.line import DATA, LineCounterpart
from sekkei.runtime.counterparts.line_friend import USER, FriendAtTerminal
from sekkei_systems.chiipochi.local.stripe.ledger import Ledger
from sekkei_systems.chiipochi.local.stripe.payer import PayerAtTerminal
from sekkei_systems.chiipochi.local.stripe.server import KEY

__all__ = ["USER", "Rehearsal", "settings"]

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
