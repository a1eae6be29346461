"""What people look at."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.web import Given
from sekkei_systems.chiipochi.pages import (
    appeals,
    books,
    dashboard,
    mine,
    operator,
    organisation,
    paying,
    rankings,
    receipts,
    sheets,
    wordings,
)

FILES = (dashboard, paying, mine, sheets, receipts, organisation, rankings, operator, books, appeals, wordings)


def routes(given: Given) -> list[BaseRoute]:
    return [route for file in FILES for route in file.pages.routes(given)]
