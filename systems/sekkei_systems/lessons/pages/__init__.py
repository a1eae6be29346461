"""What people and studios look at, one noun a file."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.web import Given
from sekkei_systems.lessons.design import Contact
from sekkei_systems.lessons.pages import contacts, desk, lesson, mine, passes, rules, searches, staff, timetable, weekly
from sekkei_systems.lessons.pages.view import View, contact_of, slot_at, staff_at, view_of
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.access import Member, Staff, member_of


def routes(given: Given) -> list[BaseRoute]:
    given.per_request(Member, member_of).per_request(View, view_of).per_request(Contact, contact_of)
    given.per_request(Slot, slot_at).per_request(Staff, staff_at).per_request(lesson.Tapped, lesson.tapped)
    for page in (lesson, contacts, searches, desk, rules, weekly, staff):
        given.per_request(page.Shown, page.Shown)
    for made in (lesson.Actions, desk.ShownLesson, staff.ShownConnection):
        given.per_request(made, made)
    files = (timetable, lesson, mine, contacts, searches, desk, rules, passes, weekly, staff)
    return [route for file in files for route in file.pages.routes(given)]
