"""A donor's own page, behind the link that the bot gave: stamps, history, a spreadsheet, being forgotten."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from starlette.responses import Response

from sekkei.clock import Clock
from sekkei.kit.typed import Token
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.refusals import NotThere
from sekkei.web import Html, Pages, Redirect, download
from sekkei_systems import days
from sekkei_systems.chiipochi.design.models import Donation, Status, is_by_hand
from sekkei_systems.chiipochi.pages.dashboard import tiles
from sekkei_systems.chiipochi.rules.organisation import Organisation
from sekkei_systems.chiipochi.rules.recipients import recipient_of
from sekkei_systems.chiipochi.service.access import Donor, Links
from sekkei_systems.chiipochi.service.donations import Orders, donation_key, order_id_of
from sekkei_systems.chiipochi.service.mine import Mine
from sekkei_systems.chiipochi.service.payments import Settling
from sekkei_systems.chiipochi.service.receipts import FIRST_YEAR
from sekkei_systems.chiipochi.service.reports import Sum, as_csv
from sekkei_systems.chiipochi.texts import t

_CSV_ROWS_MAX = 5_000
_HISTORY_SHOWN = 10

pages = Pages()


class PageQuery(Struct):
    after: Token | None = None


@pages.get("/u/{token}", name="mine")
async def show(token: str, donor: Donor, mine: Mine, links: Links, query: PageQuery) -> Html:
    found, stamps = await mine.overview(donor), await mine.stamps(donor)
    year = found.year
    return Html(
        "chiipochi/mine.html",
        token=token,
        history=await mine.history(donor, query.after, size=_HISTORY_SHOWN),
        today=found.today,
        year=year,
        favourites=[(year.names[code], amount) for code, amount in year.favourites[:3]],
        streak=found.streak,
        pledge=await mine.pledge(donor),
        stamps=stamps,
        tiles=tiles({code: Sum(count, count) for code, count in stamps.items()}),
        thousands=[amount / 1000 for amount in year.months],
        month_names=[t("mine.month", n=month) for month in range(1, 13)],
        recipient_of=recipient_of,
        order_id_of=order_id_of,
        order_token=links.order_token,
    )


@pages.get("/u/{token}/donations.csv", name="mine-csv")
async def spreadsheet(donor: Donor, mine: Mine, language: str) -> Response:
    found: list[Donation] = []
    async for donation in mine.all(donor):
        found.append(donation)
        if len(found) == _CSV_ROWS_MAX:
            break
    return download("donations.csv", as_csv(found, language))


@pages.post("/u/{token}/forget", name="forget")
async def forget(donor: Donor, jobs: Jobs, clock: Clock) -> Redirect:
    await jobs.start("forget", {"user_id": donor.user_id}, id=f"forget/{donor.user_id}/{clock.uuid()}")
    return Redirect("chiipochi:dashboard").flash("mine.forgetting")


# The way to the provider, and the way back.


_LOOKS_MAX = 30
"""Every two seconds: a provider that has not told us after a minute takes its time."""


class Looks(Struct):
    looks: Annotated[int, Meta(ge=0)] = 0


@pages.get("/pay/{token}", name="pay")
async def pay(token: str, settling: Settling) -> Response:
    return Response(None, 303, {"Location": await settling.start(token), "Cache-Control": "no-store"})


@pages.get("/pay/{token}/back", name="unpaid")
async def unpaid(token: str, orders: Orders, organisation: Organisation) -> Html | Redirect:
    """For whoever cancelled at the provider: pay after all, or go back to the chat."""
    donation = await orders.of_link(token)
    if donation.status is not Status.PENDING or donation.waiting_for is not None:
        return Redirect("chiipochi:paid", token=token)
    return Html(
        "chiipochi/unpaid.html",
        donation=donation,
        prefecture=recipient_of(donation),
        organisation=organisation,
        token=token,
    )


@pages.get("/pay/{token}/done", name="paid")
async def paid(token: str, orders: Orders, organisation: Organisation, query: Looks) -> Html:
    """Looks again for a little while; whoever comes later sees how it stands and can go on paying."""
    donation = await orders.of_link(token)
    looks = min(query.looks, _LOOKS_MAX)
    again = donation.status is Status.PENDING and not donation.pay_url and looks < _LOOKS_MAX
    return Html(
        "chiipochi/done.html",
        donation=donation,
        prefecture=recipient_of(donation),
        organisation=organisation,
        token=token,
        state=_state(donation, again),
        by_hand=is_by_hand(donation.refund_id),
        again=looks + 1 if again else None,
    )


def _state(donation: Donation, again: bool) -> str:
    """Which words are true of it now. Money that came too late was charged, and the page that waits no longer does not
    say that it renews itself."""
    if donation.paid_late_at is not None:
        return "late-refunded" if donation.refunded >= donation.amount else "late"
    if donation.status is Status.PENDING and donation.standing != "waiting" and not again:
        return "unconfirmed"
    if donation.status is Status.SUCCEEDED and donation.standing != "succeeded":
        return donation.standing
    return "waiting" if donation.standing == "waiting" else donation.status.value


# What donors print: a receipt, a year.


@pages.get("/u/{token}/year/{year}", name="year")
async def one_year(token: str, donor: Donor, mine: Mine, clock: Clock, organisation: Organisation, year: int) -> Html:
    """A year on one sheet, to be printed."""
    this_year = days.today(clock).year
    if not FIRST_YEAR <= year <= this_year:
        raise NotThere()
    found = await mine.year(donor, year)
    return Html(
        "chiipochi/year.html",
        year=found,
        rows=[(found.names[code], amount) for code, amount in found.favourites],
        token=token,
        organisation=organisation,
        this_year=this_year,
        first_year=FIRST_YEAR,
    )


@pages.get("/u/{token}/receipt/{created_at}", name="receipt")
async def receipt(token: str, donor: Donor, mine: Mine, organisation: Organisation, created_at: str) -> Html:
    key = donation_key(f"{donor.user_id}|{created_at}")
    donation = None if key is None else await mine.receipt(donor, key[1])
    if donation is None:
        raise NotThere()
    return Html(
        "chiipochi/receipt.html",
        donation=donation,
        prefecture=recipient_of(donation),
        organisation=organisation,
        back=f"/chiipochi/u/{token}",
        created_at=created_at,
    )
