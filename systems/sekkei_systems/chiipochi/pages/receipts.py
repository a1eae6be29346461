"""Receipts for the tax office: whom they are for, issuing them, and the sheet itself."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Struct
from starlette.responses import Response

from sekkei.clock import Clock
from sekkei.kit.sheets import write
from sekkei.kit.typed import NameLine, Token
from sekkei.runtime.refusals import NotThere
from sekkei.web import Html, Pages, Redirect, download
from sekkei_systems import days
from sekkei_systems.chiipochi.design.models import Receipt
from sekkei_systems.chiipochi.refusals import DetailsMissing
from sekkei_systems.chiipochi.rules.receipts import receipt_pdf
from sekkei_systems.chiipochi.service.access import Donor, Operator
from sekkei_systems.chiipochi.service.donations import donation_key
from sekkei_systems.chiipochi.service.letters import spoken
from sekkei_systems.chiipochi.service.receipts import FIRST_YEAR, Details, Receipts
from sekkei_systems.chiipochi.texts import say

_REGISTER = ("number", "issued", "amount", "what", "name", "cancelled", "replaced-by")

pages = Pages()


class DetailsForm(Struct):
    name: Annotated[str, NameLine(400, 0)] = ""
    address: Annotated[str, NameLine(400, 0)] = ""
    what: Literal["keep", "forget"] = "keep"


class IssueForm(Struct):
    year: int | None = None
    donation: Token = ""


class WantedYear(Struct):
    year: int | None = None


@pages.get("/u/{token}/receipts", name="receipts")
async def show(token: str, donor: Donor, receipts: Receipts, details: Details, clock: Clock) -> Html:
    this_year = days.today(clock).year
    return Html(
        "chiipochi/receipts.html",
        token=token,
        person=await details.of(donor),
        found=await receipts.mine(donor),
        years=range(this_year, FIRST_YEAR - 1, -1),
    )


@pages.post("/u/{token}/details", name="details")
async def keep(token: str, donor: Donor, details: Details, form: DetailsForm) -> Redirect:
    if form.what == "forget":
        await details.forget(donor)
        return Redirect("chiipochi:receipts", token=token).flash("receipts.forgotten")
    await details.keep(donor, form.name, form.address)
    return Redirect("chiipochi:receipts", token=token).flash("receipts.kept")


@pages.post("/u/{token}/receipts", name="issue-receipt")
async def issue(token: str, donor: Donor, receipts: Receipts, clock: Clock, form: IssueForm) -> Redirect:
    back = Redirect("chiipochi:receipts", token=token)
    try:
        issued = await _issued(donor, receipts, clock, form)
    except DetailsMissing:
        return back.flash("receipts.details-first")
    return back.flash("receipts.issued", number=issued.code)


async def _issued(donor: Donor, receipts: Receipts, clock: Clock, form: IssueForm) -> Receipt:
    if form.year is not None:
        if not FIRST_YEAR <= form.year <= days.today(clock).year:
            raise NotThere()
        return await receipts.issue_year(donor, form.year)
    key = donation_key(f"{donor.user_id}|{form.donation}")
    if key is None:
        raise NotThere()
    return await receipts.issue(donor, key[1])


@pages.get("/u/{token}/receipts/{number}.pdf", name="receipt-pdf")
async def sheet(donor: Donor, receipts: Receipts, number: str, language: str) -> Response:
    found = await receipts.get(donor, number)
    name, address = (found.person.name, found.person.address) if found.person else ("", "")
    body = receipt_pdf(found.receipt, name, address, spoken(language))
    return download(f"receipt-{found.receipt.code}.pdf", body, shown=True)


@pages.get("/operator/receipts.csv", name="receipts-csv")
async def register(operator: Operator, receipts: Receipts, clock: Clock, query: WantedYear, language: str) -> Response:
    """The register of a year: every number, without a gap."""
    year = query.year or days.today(clock).year
    rows: list[list[object]] = [[say(language, f"receipts.csv-{column}") for column in _REGISTER]]
    for one in await receipts.register(operator, year):
        found = one.receipt
        cancelled = days.day_of(found.cancelled_at) if found.cancelled_at else None
        name = one.person.name if one.person else ""
        issued = days.day_of(found.issued_at)
        rows.append([found.code, issued, found.amount, found.what, name, cancelled, found.replaced_by])
    return download(f"receipts-{year}.csv", write(rows))
