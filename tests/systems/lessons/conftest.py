"""Lessons on every kind of store: embedded, in bad weather, and on an implementation that is not ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database, tables
from sekkei.runtime import days
from sekkei.runtime.design import Message, newest_messages
from sekkei.runtime.design import design as runtime_design
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.schedules import StoredSchedules
from sekkei.store import Store
from sekkei.web.identity.accounts import email_of
from sekkei_systems.lessons.alerts import Alerts
from sekkei_systems.lessons.contacts import Contacts
from sekkei_systems.lessons.design import Lesson, UserLesson, design, lessons
from sekkei_systems.lessons.jobs import LessonJobs
from sekkei_systems.lessons.links import Links
from sekkei_systems.lessons.monitor import Monitor
from sekkei_systems.lessons.notices import Notices
from sekkei_systems.lessons.people import Contact
from sekkei_systems.lessons.people import contacts as contacts_rows
from sekkei_systems.lessons.providers import ByStudio, Catalogue
from sekkei_systems.lessons.rules import Policy, Slot
from sekkei_systems.lessons.searches import Searches
from sekkei_systems.lessons.service import Actor, Service
from sekkei_systems.lessons.studios import Staff, Studio
from tests.browser import browser, serve, shots
from tests.systems.conftest import LATEST_INDEX_SECONDS

__all__ = ["browser", "serve", "shots"]

NOON = 1_753_758_000.0  # 2025-07-29 12:00 in Japan
STUDIOS = [Studio("gnz", "銀座"), Studio("sby", "渋谷")]
STAFF = Actor("staff", "staff@example.com")
LESSON = Slot("gnz", date(2025, 7, 30), time(19, 30))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


def notice(person: Contact | None, tie: UserLesson, lesson: Lesson) -> Mapping[str, Mapping[str, Any]]:
    return {"mail": {"to": f"{tie.user_id}@example.com", "subject": "空きが出ました", "text": lesson.lesson_name}}


@dataclass(frozen=True, slots=True)
class World:
    db: Database
    runtime: Database
    clock: ManualClock
    service: Service
    monitor: Monitor
    alerts: Alerts
    jobs: LessonJobs
    contacts: Contacts
    searches: Searches

    async def lesson(self, slot: Slot = LESSON, capacity: int | None = 1, **more: Any) -> Lesson:
        return await self.db.write(
            lessons.put(
                Lesson(
                    studio_code=slot.studio_code,
                    lesson_date=slot.lesson_date,
                    start_time=slot.start_time,
                    lesson_name="BSL House 1",
                    instructor="YUKI",
                    capacity=capacity,
                    updated_at=days.now(self.clock),
                    **more,
                )
            )
        )

    async def lesson_now(self, slot: Slot = LESSON) -> Lesson:
        return await self.service.timetable.get(slot)

    def settle(self) -> None:
        """Until the indexes have caught up."""
        self.clock.advance(LATEST_INDEX_SECONDS + 0.1)

    async def watch(self) -> int:
        """A pass of the monitor when the indexes have caught up."""
        self.settle()
        return await self.monitor.run()

    async def person(self, user_id: str, **more: Any) -> Contact:
        """Somebody who can be reached by mail, unless told otherwise."""
        given = {"name": user_id, "email": f"{user_id}@example.com", "channels": frozenset({"mail"}), **more}
        return await self.db.write(contacts_rows.put(Contact(user_id=user_id, **given)))

    async def notices(self) -> list[Message]:
        self.settle()
        return await self.runtime.all(newest_messages())


async def open_world(store: Store, clock: ManualClock, policy: Policy) -> World:
    for one in (design, runtime_design):
        await tables.create(store, one, "test", clock)
    db = design.open(store, env="test", clock=clock)
    runtime = runtime_design.open(store, env="test", clock=clock)
    outbox, schedules = Outbox(runtime, clock, "lessons"), StoredSchedules(runtime, clock, "lessons")
    provider = ByStudio({}, Catalogue(db))
    links = Links(b"a key of the tests")
    notices = Notices(links, "https://lessons.example/lessons", STUDIOS, clock)
    monitor = Monitor(db, clock, outbox, provider, policy, notice)
    alerts = Alerts(db, clock, outbox, notices, policy)
    searches = Searches(db, clock, outbox, schedules, notices)
    contacts = Contacts(db, clock, outbox, notices, links, b"codes", email_of)
    service = Service(db, clock, policy, STUDIOS, Staff({"": frozenset({STAFF.email})}))
    jobs = LessonJobs(db, clock, schedules, monitor, alerts, searches, provider, STUDIOS)
    return World(db, runtime, clock, service, monitor, alerts, jobs, contacts, searches)


@pytest.fixture
async def world(store: Store, clock: ManualClock) -> World:
    return await open_world(store, clock, Policy())
