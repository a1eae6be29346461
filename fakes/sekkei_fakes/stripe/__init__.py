"""A strict local Stripe: the ledger of an account, and a server that answers as Stripe does, by HTTP.

It refuses what Stripe refuses, forgets nothing, and tells its news late, twice and in any order when it is asked to.

    ledger = Ledger(clock)
    async with serve(ledger) as stripe:         # stripe.url goes into SEKKEI_STRIPE_API_URL
        session = ledger.sessions["cs_…"]
        ledger.choose_konbini(session)          # what payers, banks and the Dashboard do
        ledger.pay_konbini(session)
        for body, signature in ledger.news("whsec"): …
"""

from __future__ import annotations

from sekkei_fakes.stripe.ledger import Ledger
from sekkei_fakes.stripe.server import Faults, LocalStripe, serve

__all__ = ["Faults", "Ledger", "LocalStripe", "serve"]
