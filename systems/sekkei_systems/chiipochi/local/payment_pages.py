"""The local provider's page: pay or decline."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from sekkei.runtime.refusals import Invalid, NotThere
from sekkei.runtime.system import Context
from sekkei.web import Pages, page, redirect
from sekkei_systems.chiipochi.design.models import Outcome
from sekkei_systems.chiipochi.local.payments import LocalProvider


def routes(context: Context, provider: LocalProvider) -> list[BaseRoute]:
    pages = Pages()

    @pages.get("/local-pay/{tx_id}", name="local-pay")
    async def show(request: Request) -> Response:
        payment = await provider.payment(request.path_params["tx_id"])
        if payment is None:
            raise NotThere()
        return page(request, "chiipochi/local_pay.html", payment=payment)

    @pages.post("/local-pay/{tx_id}", name="local-pay-decide")
    async def decide(request: Request) -> Response:
        tx_id = request.path_params["tx_id"]
        outcomes = {"approve": Outcome.PAID, "decline": Outcome.FAILED}
        outcome = outcomes.get(str((await request.form()).get("decision")))
        if outcome is None:
            raise Invalid(field="decision")
        payment = await provider.decide(tx_id, outcome)
        if payment is None:
            raise NotThere()
        await context.outbox.put("chiipochi.callback", tx_id, {}, id=f"callback/{tx_id}/{payment.outcome.value}")
        return redirect(request, payment.return_url.removeprefix(context.settings.public_url) or "/chiipochi/")

    return pages.routes
