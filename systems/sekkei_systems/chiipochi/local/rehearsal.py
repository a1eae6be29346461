"""A rehearsal before going live: LINE and Stripe as strict counterparts over HTTP, and somebody who types.

What is typed reaches the bot as a signed webhook of LINE's; what the bot answers is printed. A line that begins with a
slash is what the payer, the shop or the bank does:

    /pay       follow the newest payment link, and pay by card
    /konbini   follow it, and take a slip to a convenience store
    /paid      pay that slip at the till
    /refund    have the newest payment refunded at Stripe's Dashboard
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from sekkei.clock import Clock
from sekkei.runtime.counterparts.line import LineCounterpart
from sekkei_systems.chiipochi.local.stripe.errors import Refused
from sekkei_systems.chiipochi.local.stripe.ledger import Ledger, Thing
from sekkei_systems.chiipochi.local.stripe.server import KEY

USER = "U" + "7" * 32
SECRETS = {"line_channel_secret": "rehearsal", "line_channel_token": "line-token"}
WEBHOOK_SECRET = "whsec_rehearsal"
LOOKS, LOOK_SECONDS = 40, 0.1

Ask = Callable[[str, str, bytes, dict[str, str]], Awaitable[int]]
"""Method, path, body and headers of a request to the bot; the status of its answer."""


def settings(line_url: str, stripe_url: str) -> dict[str, str]:
    """What the bot must be started with."""
    return {
        **SECRETS,
        "line_api_url": line_url,
        "line_data_url": line_url,
        "stripe_secret_key": KEY,
        "stripe_webhook_secret": WEBHOOK_SECRET,
        "stripe_api_url": stripe_url,
        "stripe_payment_methods": "card,konbini",
    }


class Rehearsal:
    def __init__(self, clock: Clock, ask: Ask, write: Callable[[str], None]) -> None:
        self.line, self.ledger = LineCounterpart(clock), Ledger(clock, seed=int(clock.now()))
        self._clock, self._ask, self._write = clock, ask, write
        self._shown = 0

    async def start(self) -> None:
        await self._deliver(self.line.befriend(USER))

    async def take(self, typed: str) -> None:
        """One line of what somebody types."""
        deeds = {"/pay": self._card, "/konbini": self._konbini, "/paid": self._till, "/refund": self._refund}
        if not typed.startswith("/"):
            await self._deliver(self.line.text(USER, typed))
            return
        if typed not in deeds:
            self._write(f"? {', '.join(deeds)}")
            return
        try:
            await deeds[typed]()
        except (Refused, LookupError) as error:
            self._write(f"! {error}")
        await self.tell()

    async def _deliver(self, event: dict[str, Any]) -> None:
        # Unlike any of another rehearsal: the bot remembers for a week what it has heard.
        event["webhookEventId"] = self._clock.uuid().replace("-", "")[:26].upper()
        body, headers = self.line.webhook([event], SECRETS["line_channel_secret"])
        status = await self._ask("POST", "/chiipochi/webhook", body, headers)
        if status != 200:
            self._write(f"! the webhook answered {status}")
        await self.listen()

    async def listen(self) -> None:
        """Print what the bot has said since; it answers behind its 200."""
        for _ in range(LOOKS):
            found = self.line.received(USER)[self._shown :]
            if found:
                break
            await asyncio.sleep(LOOK_SECONDS)
        for sent in found:
            self._shown += 1
            for message in sent.messages:
                self._write(f"{sent.way}: {message.get('text') or message.get('altText')}")

    async def tell(self) -> None:
        """Stripe's news, signed, until the bot has taken them."""
        self.ledger.pass_time()
        for body, signature in self.ledger.news(WEBHOOK_SECRET):
            headers = {"Content-Type": "application/json", "Stripe-Signature": signature}
            status = await self._ask("POST", "/chiipochi/payments/stripe", body, headers)
            self._write(f"Stripe's news: {status}")
        await self.listen()

    # What payers, shops and banks do

    async def _checkout(self) -> Thing:
        links = [uri for sent in self.line.received(USER) for uri in _links(sent.messages) if "/pay/" in uri]
        if not links:
            raise LookupError("there is no payment link yet")
        await self._ask("GET", urlsplit(links[-1]).path, b"", {})
        return list(self.ledger.sessions.values())[-1]

    async def _card(self) -> None:
        self.ledger.pay_by_card(await self._checkout())

    async def _konbini(self) -> None:
        self.ledger.choose_konbini(await self._checkout())

    async def _till(self) -> None:
        self.ledger.pay_later(list(self.ledger.sessions.values())[-1])

    async def _refund(self) -> None:
        self.ledger.refund(list(self.ledger.charges.values())[-1])


def _links(messages: list[dict[str, Any]]) -> list[str]:
    buttons = [part for one in messages for part in one.get("contents", {}).get("footer", {}).get("contents", [])]
    return [str(part["action"]["uri"]) for part in buttons if part["action"]["type"] == "uri"]
