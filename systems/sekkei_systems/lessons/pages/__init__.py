"""What people and studios look at, one page a file."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.web import Given
from sekkei_systems.lessons.design import Contact
from sekkei_systems.lessons.pages import (
    connection,
    desk,
    lesson,
    mine,
    offer,
    passes,
    people,
    rules,
    searches,
    settings,
    staff,
    timetable,
    verbs,
    weekly,
)
from sekkei_systems.lessons.pages.view import View, contact_of, slot_at, staff_at, view_of
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.access import Member, Staff, member_of


def routes(given: Given) -> list[BaseRoute]:
    given.per_request(Member, member_of).per_request(View, view_of).per_request(Contact, contact_of)
    given.per_request(Slot, slot_at).per_request(Staff, staff_at).per_request(offer.Tapped, offer.tapped)
    for page in (lesson, settings, searches, desk, people, rules, weekly, staff, connection):
        given.per_request(page.Shown, page.Shown)
    given.per_request(lesson.Actions, lesson.Actions)
    files = (timetable, lesson, mine, offer, settings, searches, desk, people, verbs, rules, passes, weekly, staff)
    return [route for file in (*files, connection) for route in file.pages.routes(given)]
