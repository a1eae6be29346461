"""The operator's pages: payments that wait, money to give back, totals beside a recount, files for analysis."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute

from sekkei.runtime import days
from sekkei.runtime.refusals import NotThere
from sekkei.runtime.system import Context
from sekkei.web import Pages, flash, language_of, page, redirect, t
from sekkei_systems.chiipochi.pages.view import asked_day, csv_file
from sekkei_systems.chiipochi.refusals import NoDate
from sekkei_systems.chiipochi.rules.prefectures import PREFECTURES
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.exports import Exports, as_csv
from sekkei_systems.chiipochi.service.links import donation_key, order_id_of

PENDING_SHOWN = 100
FIND_LENGTH_MAX = 120


def routes(context: Context, service: Service, exports: Exports) -> list[BaseRoute]:
    return [*_looking(context, service, exports), *_acting(context, service), *_files(context, service, exports)]


def _must_operate(request: Request, service: Service) -> Operator:
    user = request.state.user
    return service.access.operator(user.id if user else None, request.app.state.shell.is_operator(request))


def _looking(context: Context, service: Service, exports: Exports) -> Sequence[BaseRoute]:
    pages = Pages()

    @pages.get("/operator", name="operator")
    async def operator(request: Request) -> Response:
        _must_operate(request, service)
        day = asked_day(request, context)
        wanted = request.query_params.get("find", "").strip()[:FIND_LENGTH_MAX]
        return page(
            request,
            "chiipochi/operator.html",
            day=day,
            check=await service.reports.check(day),
            donors=len(await service.reports.donors_on(day)),
            pending=await service.reconciliation.pending(PENDING_SHOWN),
            owed=await service.refunds.owed(),
            given_back=await service.refunds.given_back(),
            wanted=wanted,
            found=await service.orders.search(wanted) if wanted else [],
            quota=await service.channel.quota(),
            exports=exports.written(),
            prefectures=PREFECTURES,
            provider=service.settling.provider.name,
            order_id_of=order_id_of,
        )

    return pages.routes


def _acting(context: Context, service: Service) -> Sequence[BaseRoute]:
    pages = Pages()

    @pages.post("/operator/reconcile", name="reconcile")
    async def reconcile(request: Request) -> Response:
        _must_operate(request, service)
        done = await service.reconciliation.run()
        flash(request, t(request, "operator.reconciled", settled=done.settled, open=done.open, given_up=done.given_up))
        return redirect(request, "chiipochi:operator")

    @pages.post("/operator/repair", name="repair")
    async def repair(request: Request) -> Response:
        _must_operate(request, service)
        day = _form_day(str((await request.form()).get("day", "")))
        found = await service.reports.repair(day)
        flash(request, t(request, "operator.agrees" if found.agrees else "operator.differs"))
        return redirect(request, f"/chiipochi/operator?day={day}")

    @pages.post("/operator/ask", name="ask-provider")
    async def ask(request: Request) -> Response:
        _must_operate(request, service)
        donation = await service.orders.find(*await _order(request))
        result = await service.reconciliation.look_at(donation, days.now(context.clock))
        flash(request, t(request, f"operator.result.{result}"))
        return redirect(request, "chiipochi:operator")

    @pages.post("/operator/refund", name="refund")
    async def refund(request: Request) -> Response:
        _must_operate(request, service)
        await service.refunds.refund(*await _order(request), by=_who(request))
        flash(request, t(request, "operator.refund-asked"))
        return redirect(request, "chiipochi:operator")

    @pages.post("/operator/refunded", name="refunded")
    async def refunded(request: Request) -> Response:
        _must_operate(request, service)
        await service.refunds.mark_refunded(*await _order(request), by=_who(request))
        flash(request, t(request, "operator.marked"))
        return redirect(request, "chiipochi:operator")

    return pages.routes


def _files(context: Context, service: Service, exports: Exports) -> Sequence[BaseRoute]:
    pages = Pages()

    @pages.post("/operator/export", name="export")
    async def export(request: Request) -> Response:
        _must_operate(request, service)
        day = _form_day(str((await request.form()).get("day", "")))
        await exports.write(day)
        flash(request, t(request, "operator.exported", day=f"{day}"))
        return redirect(request, f"/chiipochi/operator?day={day}")

    @pages.get("/operator/donations.csv", name="operator-csv")
    async def all_csv(request: Request) -> Response:
        _must_operate(request, service)
        day = asked_day(request, context)
        found = [donation async for donation in service.reports.donations_on(day)]
        return csv_file(as_csv(found, language_of(request)), f"donations-{day}.csv")

    @pages.get("/operator/donations.ndjson", name="operator-ndjson")
    async def all_ndjson(request: Request) -> Response:
        _must_operate(request, service)
        day = asked_day(request, context)
        headers = {"Content-Disposition": f'attachment; filename="donations-{day}.ndjson"'}
        return StreamingResponse(exports.lines(day), media_type="application/x-ndjson", headers=headers)

    return pages.routes


def _who(request: Request) -> str:
    return str(request.state.user.id)


async def _order(request: Request) -> tuple[str, datetime]:
    key = donation_key(str((await request.form()).get("order", "")))
    if key is None:
        raise NotThere()
    return key


def _form_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise NoDate(field="day") from None
