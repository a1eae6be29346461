"""Lessons on every kind of store: embedded, in bad weather, and on an implementation that is not ours."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from sekkei.clock import ManualClock
from sekkei.design import Database, tables
from sekkei.runtime import days
from sekkei.runtime.design import Message, newest_messages
from sekkei.runtime.design import design as runtime_design
from sekkei.runtime.idempotency import Also, nothing
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.schedules import StoredSchedules
from sekkei.runtime.settings import Secrets, Settings
from sekkei.runtime.wiring import Wiring
from sekkei.store import Store
from sekkei_systems.lessons.design import Contact, Lesson, UserLesson, design, lessons
from sekkei_systems.lessons.design import contacts as contact_rows
from sekkei_systems.lessons.jobs import LessonJobs
from sekkei_systems.lessons.ports.booking import BookingPorts
from sekkei_systems.lessons.ports.timetable import ByStudio, Catalogue
from sekkei_systems.lessons.rules.notices import Messages, Notices
from sekkei_systems.lessons.rules.policy import Policy
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.studios import Sellers, Studio, Studios
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import Member, Staff, StaffList
from sekkei_systems.lessons.service.alerts import Alerts
from sekkei_systems.lessons.service.bookings import Bookings
from sekkei_systems.lessons.service.contacts import Contacts
from sekkei_systems.lessons.service.lists import LessonView, Statistics
from sekkei_systems.lessons.service.monitor import Monitor
from sekkei_systems.lessons.service.searches import Searches
from sekkei_systems.lessons.service.ties import Ties
from tests.systems.conftest import LATEST_INDEX_SECONDS

NOON = 1_753_758_000.0  # 2025-07-29 12:00 in Japan
STUDIOS = [Studio("gnz", "銀座"), Studio("sby", "渋谷")]
STAFF = Staff("staff", STUDIOS[0])
LESSON = Slot("gnz", date(2025, 7, 30), time(19, 30))


class Mailed(Notices):
    """Everybody can be reached, also those without a contact."""

    def opening(self, person: Contact | None, tie: UserLesson, lesson: Lesson) -> Messages:
        return {"mail": {"to": f"{tie.user_id}@example.com", "subject": "空きが出ました", "text": lesson.lesson_name}}


@dataclass(frozen=True, slots=True)
class World:
    db: Database
    runtime: Database
    clock: ManualClock
    service: Service
    ties: Ties
    jobs: LessonJobs

    @property
    def monitor(self) -> Monitor:
        return self.service.monitor

    @property
    def alerts(self) -> Alerts:
        return self.service.alerts

    @property
    def contacts(self) -> Contacts:
        return self.service.contacts

    @property
    def searches(self) -> Searches:
        return self.service.searches

    # What somebody does, by their id

    async def book(self, user_id: str, slot: Slot, also: Also[UserLesson] = nothing) -> UserLesson:
        return await self.service.bookings.book(Member(user_id), slot, also)

    async def cancel(self, user_id: str, slot: Slot) -> None:
        await self.service.bookings.cancel(Member(user_id), slot)

    async def join(self, user_id: str, slot: Slot, also: Also[UserLesson] = nothing) -> UserLesson:
        return await self.service.waitlist.join(Member(user_id), slot, also)

    async def leave(self, user_id: str, slot: Slot) -> None:
        await self.service.waitlist.leave(Member(user_id), slot)

    async def like(self, user_id: str, slot: Slot, notes: str | None = None) -> UserLesson:
        return await self.service.favorites.add(Member(user_id), slot, notes)

    async def view(self, user_id: str, slot: Slot) -> LessonView:
        return await self.service.lists.view(Member(user_id), slot)

    async def list_of(self, user_id: str, *about: Any, **more: Any) -> list[UserLesson]:
        return await self.service.lists.all(Member(user_id), *about, **more)

    async def statistics(self, user_id: str) -> Statistics:
        return await self.service.lists.statistics(Member(user_id))

    async def queue(self, slot: Slot) -> list[UserLesson]:
        return await self.ties.queue(slot)

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
                    **{"booked_here": 0, **more},
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
        return await self.db.write(contact_rows.put(Contact(user_id=user_id, **given)))

    async def notices(self) -> list[Message]:
        self.settle()
        return await self.runtime.all(newest_messages())


def wiring_on(db: Database, runtime: Database, clock: ManualClock, policy: Policy) -> Wiring:
    outbox, schedules = Outbox(runtime, clock, "lessons"), StoredSchedules(runtime, clock, "lessons")
    values = (
        policy,
        outbox,
        schedules,
        Sellers(),
        StaffList(),
        ByStudio({}, Catalogue(db)),
        Secrets(b"a secret of the tests"),
    )
    settings = Settings(public_url="https://lessons.example")
    wiring = Wiring(*values, settings, clock=clock, store=db.store, db=db, runtime=runtime)
    return wiring.value(Studios, STUDIOS).value(BookingPorts, {})


def bookings_on(db: Database, clock: ManualClock, policy: Policy) -> Bookings:
    return wiring_on(db, db, clock, policy).build(Bookings)


async def open_world(store: Store, clock: ManualClock, policy: Policy) -> World:
    for one in (design, runtime_design):
        await tables.create(store, one, "test", clock)
    db = design.open(store, env="test", clock=clock)
    runtime = runtime_design.open(store, env="test", clock=clock)
    wiring = wiring_on(db, runtime, clock, policy)
    service, everybody = wiring.build(Service), wiring.build(Mailed)
    service = dataclasses.replace(service, monitor=dataclasses.replace(service.monitor, notices=everybody))
    jobs = wiring.value(Service, service).build(LessonJobs)
    return World(db, runtime, clock, service, wiring.build(Ties), jobs)
