"""The organisers' pages. Whoever may do what, the service decides."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.web import Given
from sekkei_systems.eventbot.pages import calendar, discord, edit, event, guild, links, members, notice, settings


def routes(given: Given) -> list[BaseRoute]:
    files = (links, discord, calendar, guild, settings, edit, event, members, notice)
    return [route for file in files for route in file.pages.routes(given)]
