"""The operator's pages: payments that wait, money to refund, totals beside a recount, files for analysis."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import Struct
from starlette.responses import Response

from sekkei.clock import Clock
from sekkei.kit.typed import Line, Token
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.refusals import NotThere
from sekkei.runtime.transports.line import Quota, TokenRefused
from sekkei.web import Html, Pages, Redirect, download
from sekkei_systems.chiipochi.pages.dashboard import Asked
from sekkei_systems.chiipochi.rules.recipients import recipient_of
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.donations import donation_key, order_id_of
from sekkei_systems.chiipochi.service.letters import Channel
from sekkei_systems.chiipochi.service.payments import Reconciliation
from sekkei_systems.chiipochi.service.refunds import Refunds, Surpluses
from sekkei_systems.chiipochi.service.reports import Exports, Reports, as_csv

_PENDING_SHOWN = 100
_FIND_LENGTH_MAX = 120

pages = Pages()


class Wanted(Struct):
    find: Annotated[str, Line(_FIND_LENGTH_MAX, 0)] = ""


class DayForm(Struct):
    day: date


class OrderForm(Struct):
    order: Token

    @property
    def key(self) -> tuple[str, datetime]:
        found = donation_key(self.order)
        if found is None:
            raise NotThere()
        return found


class TwiceForm(Struct):
    payment: Token
    what: Literal["refund", "refunded"] = "refund"


@pages.get("/operator", name="operator")
async def show(
    operator: Operator, asked: Asked, service: Service, channel: Channel, exports: Exports, query: Wanted
) -> Html:
    wanted = query.find.strip()[:_FIND_LENGTH_MAX]
    quota = await channel.quota()
    return Html(
        "chiipochi/operator.html",
        day=asked.day,
        check=await service.reports.check(asked.day),
        pending=await service.reconciliation.pending(_PENDING_SHOWN),
        owed=await service.refunds.owed(operator),
        surplus=await service.surpluses.owed(operator),
        given_back=await service.refunds.given_back(operator),
        wanted=wanted,
        found=await service.orders.search(operator, wanted) if wanted else [],
        quota=quota if isinstance(quota, Quota) else None,
        refused=isinstance(quota, TokenRefused),
        exports=exports.written(),
        recipient_of=recipient_of,
        provider=service.settling.provider.name,
        order_id_of=order_id_of,
    )


@pages.post("/operator/reconcile", name="reconcile")
async def reconcile(operator: Operator, jobs: Jobs, clock: Clock) -> Redirect:
    await jobs.start("reconcile", {}, id=f"reconcile/{int(clock.now())}")
    return Redirect("chiipochi:operator").flash("operator.asking")


@pages.post("/operator/repair", name="repair")
async def repair(operator: Operator, reports: Reports, form: DayForm) -> Redirect:
    found = await reports.repair(form.day)
    return _to_day(form.day).flash("operator.agrees" if found.agrees else "operator.differs")


@pages.post("/operator/ask", name="ask-provider")
async def ask(operator: Operator, reconciliation: Reconciliation, form: OrderForm) -> Redirect:
    await reconciliation.ask(operator, *form.key)
    return Redirect("chiipochi:operator").flash("operator.asking")


@pages.post("/operator/refund", name="refund")
async def refund(operator: Operator, refunds: Refunds, form: OrderForm) -> Redirect:
    await refunds.refund(operator, *form.key)
    return Redirect("chiipochi:operator").flash("operator.refund-asked")


@pages.post("/operator/refunded", name="refunded")
async def refunded(operator: Operator, refunds: Refunds, form: OrderForm) -> Redirect:
    await refunds.mark_refunded(operator, *form.key)
    return Redirect("chiipochi:operator").flash("operator.marked")


@pages.post("/operator/twice", name="paid-twice")
async def twice(operator: Operator, surpluses: Surpluses, form: TwiceForm) -> Redirect:
    """A second payment for one donation: give it back, or say that it was given back by hand."""
    if form.what == "refunded":
        await surpluses.mark_refunded(operator, form.payment)
        return Redirect("chiipochi:operator").flash("operator.marked")
    await surpluses.refund(operator, form.payment)
    return Redirect("chiipochi:operator").flash("operator.refund-asked")


@pages.post("/operator/export", name="export")
async def export(operator: Operator, exports: Exports, form: DayForm) -> Redirect:
    await exports.write(form.day)
    return _to_day(form.day).flash("operator.exported", day=f"{form.day}")


@pages.get("/operator/donations.csv", name="operator-csv")
async def spreadsheet(operator: Operator, asked: Asked, reports: Reports, language: str) -> Response:
    found = [donation async for donation in reports.donations_on(asked.day)]
    return download(f"donations-{asked.day}.csv", as_csv(found, language))


@pages.get("/operator/donations.ndjson", name="operator-ndjson")
async def ndjson(operator: Operator, asked: Asked, exports: Exports) -> Response:
    return download(f"donations-{asked.day}.ndjson", exports.lines(asked.day))


def _to_day(day: date) -> Redirect:
    return Redirect("chiipochi:operator").query(day=f"{day}")
