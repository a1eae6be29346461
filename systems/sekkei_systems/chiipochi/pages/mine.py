"""A donor's own page, behind the link that the bot gave: stamps, history, a spreadsheet, being forgotten."""

from __future__ import annotations

from msgspec import Struct
from starlette.responses import Response

from sekkei.clock import Clock
from sekkei.kit.typed import Token
from sekkei.runtime.jobs import Jobs
from sekkei.web import Html, Pages, Redirect, download
from sekkei_systems.chiipochi.design.models import Donation
from sekkei_systems.chiipochi.pages.view import tiles
from sekkei_systems.chiipochi.rules.recipients import recipient_of
from sekkei_systems.chiipochi.service.access import Donor, Links
from sekkei_systems.chiipochi.service.donations import order_id_of
from sekkei_systems.chiipochi.service.mine import Mine
from sekkei_systems.chiipochi.service.reports import Sum, as_csv
from sekkei_systems.chiipochi.texts import t

CSV_ROWS_MAX = 5_000
HISTORY_SHOWN = 10

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
        history=await mine.history(donor, query.after, size=HISTORY_SHOWN),
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
        if len(found) == CSV_ROWS_MAX:
            break
    return download("donations.csv", as_csv(found, language))


@pages.post("/u/{token}/forget", name="forget")
async def forget(donor: Donor, jobs: Jobs, clock: Clock) -> Redirect:
    await jobs.start("forget", {"user_id": donor.user_id}, id=f"forget/{donor.user_id}/{clock.uuid()}")
    return Redirect("chiipochi:dashboard").flash("mine.forgetting")
