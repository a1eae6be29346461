"""What people look at."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.web import Given
from sekkei_systems.chiipochi.pages import appeals, books, dashboard, mine, operator, receipts

FILES = (dashboard, mine, receipts, operator, books, appeals)


def routes(given: Given) -> list[BaseRoute]:
    return [route for file in FILES for route in file.pages.routes(given)]
