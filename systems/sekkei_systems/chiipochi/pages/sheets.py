"""What donors print: a receipt, a year."""

from __future__ import annotations

from sekkei.clock import Clock
from sekkei.runtime.refusals import NotThere
from sekkei.web import Html, Pages
from sekkei_systems import days
from sekkei_systems.chiipochi.rules.organisation import Organisation
from sekkei_systems.chiipochi.rules.recipients import recipient_of
from sekkei_systems.chiipochi.service.access import Donor
from sekkei_systems.chiipochi.service.donations import donation_key
from sekkei_systems.chiipochi.service.mine import Mine
from sekkei_systems.chiipochi.service.receipts import FIRST_YEAR

pages = Pages()


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
