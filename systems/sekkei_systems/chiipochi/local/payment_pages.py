"""The local provider's page: pay or decline."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import NotThere
from sekkei.web import Html, Pages, Redirect
from sekkei_systems.chiipochi.design.models import Outcome
from sekkei_systems.chiipochi.local.payments import LocalProvider, store_until

OUTCOMES = {"approve": Outcome.PAID, "decline": Outcome.FAILED, "store": Outcome.WAITING}

pages = Pages()


class DecisionForm(Struct):
    decision: Literal["approve", "decline", "store"]


@pages.get("/local-pay/{tx_id}", name="local-pay")
async def show(provider: LocalProvider, tx_id: str) -> Html:
    payment = await provider.payment(tx_id)
    if payment is None:
        raise NotThere()
    until = store_until(payment) if payment.outcome is Outcome.WAITING else None
    over = provider.is_over(payment)
    return Html("chiipochi/local_pay.html", payment=payment, until=until, over=over)


@pages.post("/local-pay/{tx_id}", name="local-pay-decide")
async def decide(provider: LocalProvider, outbox: Outbox, tx_id: str, form: DecisionForm) -> Redirect:
    payment = await provider.decide(tx_id, OUTCOMES[form.decision])
    if payment is None:
        raise NotThere()
    await outbox.put("chiipochi.callback", tx_id, {}, id=f"callback/{tx_id}/{payment.outcome.value}")
    return Redirect(payment.return_url.removeprefix(provider.public_url) or "/chiipochi/")
