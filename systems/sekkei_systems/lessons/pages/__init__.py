"""What people and studios look at, one page a file."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.runtime.system import Context
from sekkei.web import Pages
from sekkei_systems.lessons.pages import desk, lesson, mine, offer, people, searches, settings, timetable
from sekkei_systems.lessons.service import Service


def routes(service: Service, context: Context) -> list[BaseRoute]:
    pages = Pages()
    for page in (timetable, lesson, mine, offer, settings, searches, desk, people):
        page.declare(pages, service, context)
    return pages.routes
