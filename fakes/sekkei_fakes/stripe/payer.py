"""Whoever pays at Stripe, by what is typed at a terminal; Stripe's news of it go to the bot, signed.

/pay            pay the newest checkout by card
/konbini        take its slip to a convenience store
/paid           pay that slip at the till
/expire         let the newest checkout run out
/refund [yen]   refund the newest payment, or a part of it, at Stripe's Dashboard
/account        name an account for the refund of what was paid in cash, as Stripe's mail asks the payer to
/fail           have the payer's bank send that refund back
/dispute        have the payer dispute the newest payment; /won and /lost decide it
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from sekkei.errors import NoAnswer
from sekkei_fakes.line_webhook import over_network
from sekkei_fakes.stripe.errors import Refused
from sekkei_fakes.stripe.ledger import Ledger, Thing

Deliver = Callable[[bytes, Mapping[str, str]], Awaitable[int]]
"""Body and headers of Stripe's news; the status of the answer."""


class PayerAtTerminal:
    hint = (
        "Follow the link that the bot sent, then type /pay or /konbini. "
        "There are also /paid, /expire, /refund, /account, /fail, /dispute, /won and /lost."
    )

    def __init__(
        self, ledger: Ledger, secret: str, write: Callable[[str], None], deliver: Deliver | None = None
    ) -> None:
        self._ledger, self._secret, self._write = ledger, secret, write
        self._deliver = deliver or self._over_network
        self.webhook = ""
        self.deeds: Mapping[str, Callable[[], object]] = {
            "/pay": lambda: ledger.pay_by_card(self._checkout()),
            "/konbini": lambda: ledger.choose_konbini(self._checkout()),
            "/paid": lambda: ledger.pay_later(self._checkout()),
            "/expire": lambda: ledger.expire(self._checkout()),
            "/refund": lambda: ledger.refund(self._charge()),
            "/account": lambda: ledger.name_account(_newest(ledger.refunds, "refund")),
            "/fail": lambda: ledger.fail_refund(_newest(ledger.refunds, "refund")),
            "/dispute": lambda: ledger.dispute(self._charge()),
            "/won": lambda: ledger.close_dispute(_newest(ledger.disputes, "dispute"), won=True),
            "/lost": lambda: ledger.close_dispute(_newest(ledger.disputes, "dispute"), won=False),
        }

    async def start(self) -> None:
        """Nobody pays before there is something to pay."""

    async def take(self, typed: str) -> None:
        what, _, yen = typed.partition(" ")
        if what not in self.deeds:
            self._write(f"? {', '.join(self.deeds)}")
            return
        try:
            if what == "/refund" and yen:
                self._ledger.refund(self._charge(), int(yen))
            else:
                self.deeds[what]()
        except (Refused, LookupError, ValueError) as error:
            self._write(f"! {error}")
        await self.tell()

    def _checkout(self) -> Thing:
        return _newest(self._ledger.sessions, "checkout")

    def _charge(self) -> Thing:
        return _newest(self._ledger.charges, "payment")

    async def tell(self) -> None:
        """Stripe's news, signed."""
        self._ledger.pass_time()
        for body, signature in self._ledger.news(self._secret):
            headers = {"Content-Type": "application/json", "Stripe-Signature": signature}
            self._write(f"Stripe's news: {await self._deliver(body, headers) or 'no answer'}")

    async def _over_network(self, body: bytes, headers: Mapping[str, str]) -> int:
        try:
            return await over_network(self.webhook, body, headers)
        except (OSError, NoAnswer) as error:
            self._write(f"! {self.webhook}: {error!r}")
            return 0


def _newest(things: Mapping[str, Thing], what: str) -> Thing:
    if not things:
        raise LookupError(f"there is no {what} yet")
    return list(things.values())[-1]
