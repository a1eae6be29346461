"""The JSON API for clients and studios.

A lesson is named by studio, day and time: `gnz/2025-07-30/19:30`; in a path it may be written with %2F.
"""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.runtime.system import Context
from sekkei.web import Api
from sekkei_systems.lessons.api import bookings, desk, mine, preferences, searches, timetable, waitlist
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.webhooks import availability


def routes(service: Service, context: Context) -> list[BaseRoute]:
    api = Api("lessons", title="Studio lessons", about="Timetables, favourites, waitlists, bookings, notices.")
    for part in (timetable, availability, mine, waitlist, bookings, preferences, searches, desk):
        part.declare(api, service, context)
    return api.routes
