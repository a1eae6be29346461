"""The organisers' pages. Whoever may do what, the service decides."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.web import Given
from sekkei_systems.eventbot.pages import event, guild, links


def routes(given: Given) -> list[BaseRoute]:
    files = (links, guild, event)
    return [route for file in files for route in file.pages.routes(given)]
