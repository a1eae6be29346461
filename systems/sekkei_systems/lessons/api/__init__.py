"""The JSON API for clients and studios.

A lesson is named by studio, day and time: `gnz/2025-07-30/19:30`; in a path it may be written with %2F.
"""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.web import Api, Given
from sekkei_systems.lessons.api import contacts, desk, mine, passes, searches, staff, timetable, weekly
from sekkei_systems.lessons.api.shapes import contact_of, slot_named, staff_of_lesson
from sekkei_systems.lessons.design import Contact
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.access import Member, Staff, member_of
from sekkei_systems.lessons.webhooks import availability

api = Api(
    "lessons", title="Studio lessons", about="Timetables, favourites, waitlists, bookings, notices.", repeatable_in=""
)
api.include(timetable.operations, availability.operations, mine.operations, contacts.operations)
api.include(searches.operations, desk.operations, passes.operations, weekly.operations, staff.operations)


def routes(given: Given) -> list[BaseRoute]:
    given.per_request(Member, member_of).per_request(Contact, contact_of)
    given.per_request(Slot, slot_named).per_request(Staff, staff_of_lesson)
    given.per_request(availability.Push, availability.push_of)
    return api.routes(given)
