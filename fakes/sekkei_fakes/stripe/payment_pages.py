"""The local Stripe's page: pay by card, take a slip to a convenience store and pay days later, or let it run out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from sekkei.runtime.refusals import NotThere
from sekkei.web import Html, Pages, Redirect
from sekkei_fakes.stripe.account import LocalAccount, outcome_of, slip_until
from sekkei_fakes.stripe.ledger import Ledger, Thing

pages = Pages()


class DecisionForm(Struct):
    decision: Literal["approve", "decline", "store", "transfer"]


def _approve(ledger: Ledger, session: Thing) -> None:
    if session["status"] == "open":
        ledger.pay_by_card(session)
    else:
        ledger.pay_later(session)


DEEDS: dict[str, Callable[[Ledger, Thing], object]] = {
    "approve": _approve,
    "decline": Ledger.expire,
    "store": Ledger.choose_konbini,
    "transfer": Ledger.choose_transfer,
}


@pages.get("/local-pay/{tx_id}", name="local-pay")
async def show(account: LocalAccount, tx_id: str) -> Html:
    found = await account.session(tx_id)
    if found is None:
        raise NotThere()
    payment, ledger = found
    session = ledger.sessions[tx_id]
    return Html(
        "chiipochi/local_pay.html",
        payment=payment,
        outcome=outcome_of(ledger, session).value,
        methods=session["payment_method_types"],
        until=slip_until(ledger, session),
    )


@pages.post("/local-pay/{tx_id}", name="local-pay-decide")
async def decide(account: LocalAccount, tx_id: str, form: DecisionForm) -> Redirect:
    payment = await account.act(tx_id, DEEDS[form.decision])
    if payment is None:
        raise NotThere()
    return Redirect(payment.return_url.removeprefix(account.public_url) or "/chiipochi/")
