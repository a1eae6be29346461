"""The books, for whoever keeps them: a month by recipient, payouts, closing it, and a file for the accountant."""

from __future__ import annotations

import re

from msgspec import Struct
from starlette.responses import Response

from sekkei.clock import Clock
from sekkei.kit.sheets import write
from sekkei.kit.typed import Token
from sekkei.runtime.jobs import Jobs
from sekkei.web import Html, Pages, Redirect, download
from sekkei_systems import days
from sekkei_systems.chiipochi.refusals import NoDate
from sekkei_systems.chiipochi.rules.recipients import recipient_name, recipient_of
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.appeals import Appeals
from sekkei_systems.chiipochi.service.books import OTHER, Books, Posting
from sekkei_systems.chiipochi.service.letters import spoken
from sekkei_systems.chiipochi.texts import say

COLUMNS = ("at", "kind", "recipient", "gross", "fee", "net", "donor", "name", "payment", "movement", "payout")
_MONTH = re.compile(r"20[0-9]{2}-(?:0[1-9]|1[0-2])")

pages = Pages()


class Wanted(Struct):
    month: Token = ""


class MonthForm(Struct):
    month: Token


def _month(given: str, clock: Clock) -> str:
    if given and not _MONTH.fullmatch(given):
        raise NoDate(field="month")
    return given or f"{days.today(clock):%Y-%m}"


@pages.get("/operator/books", name="books")
async def show(operator: Operator, books: Books, appeals: Appeals, clock: Clock, query: Wanted, language: str) -> Html:
    found = await books.month(operator, _month(query.month, clock))
    return Html(
        "chiipochi/books.html",
        found=found,
        this_month=f"{days.today(clock):%Y-%m}",
        other=OTHER,
        recipient_name=recipient_name,
        names=await appeals.names(language),
    )


@pages.get("/operator/books.csv", name="books-csv")
async def spreadsheet(operator: Operator, books: Books, clock: Clock, query: Wanted, language: str) -> Response:
    month = _month(query.month, clock)
    rows: list[list[object]] = [[say(language, f"books.csv-{column}") for column in COLUMNS]]
    rows += [_row(posting, language) async for posting in books.postings(operator, month)]
    return download(f"books-{month}.csv", write(rows))


def _row(posting: Posting, language: str) -> list[object]:
    entry = posting.entry
    other = entry.recipient == OTHER
    return [
        f"{entry.at.astimezone(days.JST):%Y-%m-%d %H:%M:%S}",
        say(spoken(language), f"books.kind-{entry.kind}"),
        None if other else recipient_of(posting.donation).name(language) if posting.donation else entry.recipient,
        entry.amount,
        entry.fee,
        entry.net,
        posting.donation.user_id if posting.donation else None,
        posting.name,
        entry.payment_ref,
        entry.movement,
        entry.payout_id,
    ]


@pages.post("/operator/books/sync", name="books-sync")
async def sync(operator: Operator, jobs: Jobs, clock: Clock) -> Redirect:
    await jobs.start("books", {}, id=f"books/{int(clock.now())}")
    return Redirect("chiipochi:books").flash("books.syncing")


@pages.post("/operator/books/close", name="books-close")
async def close(operator: Operator, books: Books, clock: Clock, form: MonthForm) -> Redirect:
    month = _month(form.month, clock)
    await books.close(operator, month)
    return Redirect("chiipochi:books").query(month=month).flash("books.closed", month=month)
