"""What users do with lessons. Every change is one write or one transaction; who may do what is decided here."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, Field, Ref, TransactionFailed, replace
from sekkei.runtime import days
from sekkei.runtime.identifiers import uuid7
from sekkei.runtime.refusals import Changed
from systems.lessons import refusals
from systems.lessons.design import (
    Contact,
    Kind,
    Lesson,
    Status,
    UserLesson,
    all_of_user,
    change_status,
    contact,
    contacts,
    give_place_back,
    lesson,
    lessons,
    of_studio_on,
    of_user_and_kind,
    of_user_to_lesson,
    queue_of,
    register,
    take_place,
    timetable,
    user_lesson,
    user_lessons,
)
from systems.lessons.rules import (
    FIRST_DAY,
    LAST_DAY,
    NOTE_LENGTH_MAX,
    Fairness,
    Policy,
    Slot,
    free_places,
    holds_offer,
    is_available,
    overlapping,
    slot_of,
    statistics,
    ttl_of,
    with_own,
)

LIST_DAYS_MAX = 31
LESSON_KEPT = timedelta(days=90)
_COMES = (Status.ACTIVE, Status.COMPLETED)


Also = Callable[[UserLesson], Action[Any, Any]]
"""Something to be written in the same transaction, such as that a request has been carried out."""


class AlreadyDone(Exception):
    """What was to be written beside is there already: this request has been carried out before."""


@dataclass(frozen=True, slots=True)
class LessonView:
    """A lesson as one user sees it."""

    lesson: Lesson
    ties: dict[Kind, UserLesson]
    """The user's active ties to it."""
    waiting: int
    position: int | None
    """The user's place in the queue, from 1."""


@dataclass(frozen=True, slots=True)
class Roll:
    """A lesson as its studio sees it."""

    lesson: Lesson
    booked: list[UserLesson]
    """In the order of booking; those who came, when it is over."""
    queue: list[UserLesson]
    names: dict[str, str]

    def name(self, tie: UserLesson) -> str:
        return self.names.get(tie.user_id, tie.user_id)


class Service:
    """The operations; `policy` is how the studios handle waitlists."""

    def __init__(self, db: Database, clock: Clock, policy: Policy) -> None:
        self._db = db
        self._clock = clock
        self.policy = policy

    # Looking

    async def timetable(self, studio_code: str, first: date, last: date) -> list[Lesson]:
        if last < first:
            return []
        if (last - first).days >= LIST_DAYS_MAX:
            last = first + timedelta(days=LIST_DAYS_MAX - 1)
        return await self._db.all(timetable(studio_code, first, last))

    async def lesson(self, slot: Slot) -> Lesson:
        return await self._lesson(slot)

    async def view(self, user_id: str, slot: Slot) -> LessonView:
        found = await self._lesson(slot)
        to_lesson = of_user_to_lesson(user_id, slot.studio_code, slot.lesson_date, slot.start_time)
        ties = await self._db.all(to_lesson.consistent())
        active = {tie.kind: tie for tie in ties if tie.status is Status.ACTIVE}
        queue = with_own(await self.queue(slot), user_id, active.get(Kind.WAITLIST))
        position = next((place for place, tie in enumerate(queue, 1) if tie.user_id == user_id), None)
        return LessonView(found, active, len(queue), position)

    async def queue(self, slot: Slot) -> list[UserLesson]:
        """Everyone who waits, first come first; by the index, which may be behind."""
        return await self._db.all(queue_of(slot.studio_code, slot.lesson_date, slot.start_time))

    async def my_list(
        self, user_id: str, kind: Kind | None = None, first: date | None = None, last: date | None = None
    ) -> list[UserLesson]:
        """A user's ties in the order of the lessons, across studios."""
        query = all_of_user(user_id).consistent() if kind is None else of_user_and_kind(user_id, kind)
        found = [
            tie
            for tie in await self._db.all(query)
            if (first is None or tie.lesson_date >= first) and (last is None or tie.lesson_date <= last)
        ]
        return sorted(found, key=lambda tie: (tie.starts_at, tie.studio_code, tie.kind.value))

    async def statistics(self, user_id: str) -> dict[str, dict[str, int]]:
        return statistics(await self._db.all(of_user_and_kind(user_id, Kind.HISTORY)))

    async def overlaps(self, user_id: str, slot: Slot) -> list[Lesson]:
        """What the user has booked that takes place at the same time."""
        wanted = await self._lesson(slot)
        booked = await self._db.all(of_user_and_kind(user_id, Kind.BOOKING))
        refs = [
            lesson(tie.studio_code, tie.lesson_date, tie.start_time)
            for tie in booked
            if tie.status is Status.ACTIVE and abs(tie.starts_at - slot.starts_at) < timedelta(days=1)
        ]
        others = [found for found in await self._db.get_many(refs) if found is not None]
        return overlapping(wanted, others)

    # Favourites

    async def add_favorite(self, user_id: str, slot: Slot, notes: str | None = None) -> UserLesson:
        found = await self._upcoming(slot)
        if notes is not None and len(notes) > NOTE_LENGTH_MAX:
            raise refusals.NoteTooLong(field="notes", limit=NOTE_LENGTH_MAX)
        return await self._register(self._tie(user_id, found, Kind.FAVORITE, notes=notes or None))

    async def change_note(self, user_id: str, slot: Slot, notes: str | None) -> UserLesson:
        if notes is not None and len(notes) > NOTE_LENGTH_MAX:
            raise refusals.NoteTooLong(field="notes", limit=NOTE_LENGTH_MAX)
        update = user_lessons.update(user_id, slot.studio_code, slot.lesson_date, slot.start_time, Kind.FAVORITE)
        update = update.set(UserLesson.notes, notes) if notes else update.remove(UserLesson.notes)
        try:
            return await self._db.write(
                update.set(UserLesson.updated_at, self._now()).when(UserLesson.status == Status.ACTIVE)
            )
        except ConditionFailed:
            raise refusals.NoSuchTie() from None

    async def remove_favorite(self, user_id: str, slot: Slot) -> None:
        await self._end(await self._active(user_id, slot, Kind.FAVORITE), Status.CANCELLED)

    # The waitlist

    async def join_waitlist(self, user_id: str, slot: Slot, also: Also | None = None) -> UserLesson:
        found = await self._upcoming(slot)
        if not found.is_open:
            raise refusals.Closed()
        if is_available(found) and not await self._is_held(found, user_id):
            raise refusals.NotFull()
        booked = await self._db.get(self._ref(user_id, slot, Kind.BOOKING))
        if booked is not None and booked.status is Status.ACTIVE:
            raise refusals.AlreadyRegistered()
        waiting = self._tie(
            user_id,
            found,
            Kind.WAITLIST,
            waitlist_id=f"wl_{secrets.token_hex(8)}",
            notification_sent=False,
            queue_key=uuid7(self._clock),
        )
        return await self._register(waiting, also)

    async def leave_waitlist(self, user_id: str, slot: Slot) -> None:
        await self._end(await self._active(user_id, slot, Kind.WAITLIST), Status.CANCELLED)

    # Bookings

    async def book(self, user_id: str, slot: Slot, also: Also | None = None) -> UserLesson:
        """Take a place; a waitlist entry for the lesson ends with it, all in one transaction."""
        found = await self._upcoming(slot)
        waiting = await self._db.get(self._ref(user_id, slot, Kind.WAITLIST))
        if waiting is not None and waiting.status is not Status.ACTIVE:
            waiting = None
        if not holds_offer(waiting, self._now()) and await self._is_held(found, user_id):
            raise refusals.Held()
        now = self._now()
        booking = self._tie(user_id, found, Kind.BOOKING, reservation_id=self._reservation_id(user_id, slot, now))
        registered, taken = register(booking), take_place(booking, now)
        actions: list[Action[object, object]] = [registered, taken]
        if waiting is not None:
            actions.append(change_status(waiting, Status.COMPLETED, now).remove(UserLesson.offer_until))
        once = also(booking) if also else None
        try:
            await self._db.transact(*actions, *([once] if once else []))
        except TransactionFailed as failed:
            if once and failed.failed(once):
                raise AlreadyDone from None
            if failed.failed(registered):
                raise refusals.AlreadyRegistered() from None
            if failed.failed(taken):
                raise refusals.Full() if found.is_open else refusals.Closed() from None
            raise Changed() from None
        return booking

    async def cancel_booking(self, user_id: str, slot: Slot) -> None:
        booking = await self._active(user_id, slot, Kind.BOOKING)
        now = self._now()
        if now > booking.starts_at - self.policy.cancel_until:
            hours = self.policy.cancel_until.total_seconds() / 3600
            raise refusals.TooLateToCancel(hours=f"{hours:g}")
        ended = change_status(booking, Status.CANCELLED, now)
        try:
            await self._db.transact(ended, give_place_back(booking, now))
        except TransactionFailed as failed:
            if failed.failed(ended):
                raise refusals.NoSuchTie() from None
            raise

    # How to be told

    async def contact(self, user_id: str) -> Contact | None:
        return await self._db.get(contact(user_id))

    async def save_contact(self, found: Contact) -> Contact:
        return await self._db.write(contacts.put(found))

    # For the studios

    async def roll(self, slot: Slot) -> Roll:
        """Who comes to a lesson and who waits for it, by name."""
        found = await self._lesson(slot)
        ties = await self._db.all(of_studio_on(slot.studio_code, slot.lesson_date))
        booked = [tie for tie in ties if slot_of(tie) == slot and tie.kind is Kind.BOOKING and tie.status in _COMES]
        queue = await self.queue(slot)
        people = await self._db.get_many([contact(tie.user_id) for tie in (*booked, *queue)])
        names = {person.user_id: person.name for person in people if person is not None}
        return Roll(found, sorted(booked, key=lambda tie: tie.created_at), queue, names)

    def check_lesson(self, found: Lesson, there: Lesson | None) -> None:
        """Refuses what may not be put into the timetable where `there` stands now."""
        if found.capacity is not None and not 0 <= found.capacity <= 10_000:
            raise refusals.BadLesson(field="capacity")
        if not found.lesson_name.strip() or len(found.lesson_name) > 200:
            raise refusals.BadLesson(field="lesson_name")
        if not FIRST_DAY <= found.lesson_date <= LAST_DAY:
            raise refusals.BadLesson(field="lesson_date")
        if slot_of(found).starts_at <= self._now():
            raise refusals.LessonOver()
        if there is not None and found.lesson_id and there.lesson_id and found.lesson_id != there.lesson_id:
            raise refusals.SlotTaken()

    async def save_lesson(self, found: Lesson) -> Lesson:
        """Put a lesson into the timetable, or change it; what is booked stays booked."""
        there = await self._db.get(lesson(found.studio_code, found.lesson_date, found.start_time))
        self.check_lesson(found, there)
        if there is None:
            return await self._add_lesson(replace(found, is_open=found.is_open and not found.called_off))
        update = (
            lessons.update(found.studio_code, found.lesson_date, found.start_time)
            .set(Lesson.lesson_name, found.lesson_name)
            .set(Lesson.instructor, found.instructor)
            .set(Lesson.is_open, found.is_open and not found.called_off)
            .set(Lesson.called_off, found.called_off)
            .set(Lesson.updated_at, self._now())
        )
        changes: list[tuple[Field[Lesson, Any], Any]] = [
            (Lesson.capacity, found.capacity),
            (Lesson.end_time, found.end_time),
            (Lesson.program, found.program or there.program),
            (Lesson.lesson_id, found.lesson_id or there.lesson_id),
        ]
        for attribute, value in changes:
            update = update.remove(attribute) if value is None else update.set(attribute, value)
        try:
            return await self._db.write(update.when(Lesson.studio_code.exists()))
        except ConditionFailed:
            raise refusals.NoSuchLesson() from None

    async def _add_lesson(self, found: Lesson) -> Lesson:
        try:
            return await self._db.write(lessons.create(replace(found, ttl=slot_of(found).starts_at + LESSON_KEPT)))
        except ConditionFailed:
            raise refusals.SlotTaken() from None

    async def call_off(self, slot: Slot) -> Lesson:
        """It does not take place. Those concerned are told, and their bookings end, as a reaction to this."""
        found = await self._upcoming(slot)
        return await self.save_lesson(replace(found, called_off=True))

    # Parts

    def _now(self) -> datetime:
        return days.now(self._clock)

    async def _lesson(self, slot: Slot) -> Lesson:
        found = await self._db.get(lesson(slot.studio_code, slot.lesson_date, slot.start_time))
        if found is None:
            raise refusals.NoSuchLesson()
        return found

    async def _upcoming(self, slot: Slot) -> Lesson:
        found = await self._lesson(slot)
        if slot.starts_at <= self._now():
            raise refusals.LessonOver()
        return found

    def _ref(self, user_id: str, slot: Slot, kind: Kind) -> Ref[UserLesson]:
        return user_lesson(user_id, slot.studio_code, slot.lesson_date, slot.start_time, kind)

    async def _active(self, user_id: str, slot: Slot, kind: Kind) -> UserLesson:
        found = await self._db.get(self._ref(user_id, slot, kind))
        if found is None or found.status is not Status.ACTIVE:
            raise refusals.NoSuchTie()
        return found

    def _tie(self, user_id: str, found: Lesson, kind: Kind, **more: object) -> UserLesson:
        now = self._now()
        starts_at = slot_of(found).starts_at
        return UserLesson(
            user_id=user_id,
            studio_code=found.studio_code,
            lesson_date=found.lesson_date,
            start_time=found.start_time,
            lesson_name=found.lesson_name,
            instructor=found.instructor,
            lesson_id=found.lesson_id,
            kind=kind,
            created_at=now,
            updated_at=now,
            ttl=ttl_of(kind, starts_at),
            **more,  # type: ignore[arg-type]
        )

    async def _register(self, tie: UserLesson, also: Also | None = None) -> UserLesson:
        registered, once = register(tie), also(tie) if also else None
        try:
            if once is None:
                return await self._db.write(registered)
            await self._db.transact(registered, once)
            return tie
        except TransactionFailed as failed:
            raise AlreadyDone if once and failed.failed(once) else refusals.AlreadyRegistered from None
        except ConditionFailed:
            # When the answer to a write was lost and it is sent again, it is its own effect that stands in its way.
            if await self._db.get(self._ref(tie.user_id, slot_of(tie), tie.kind)) == tie:
                return tie
            raise refusals.AlreadyRegistered() from None

    async def _end(self, tie: UserLesson, status: Status) -> None:
        now = self._now()
        try:
            await self._db.write(change_status(tie, status, now).remove(UserLesson.offer_until))
        except ConditionFailed:
            there = await self._db.get(self._ref(tie.user_id, slot_of(tie), tie.kind))
            if there is None or (there.status, there.updated_at) != (status, now):
                raise refusals.NoSuchTie() from None

    async def _is_held(self, found: Lesson, user_id: str) -> bool:
        """Whether every free place is held for others who were offered it."""
        now, slot = self._now(), slot_of(found)
        places = free_places(found)
        if places is None or self.policy.mode(slot.starts_at, now) is not Fairness.FIRST_IN_LINE:
            return False
        # The index may not show the last offers yet: what is decided is decided on the items themselves.
        refs = [self._ref(tie.user_id, slot, tie.kind) for tie in await self.queue(slot) if tie.user_id != user_id]
        offers = [tie for tie in await self._db.get_many(refs) if holds_offer(tie, now)]
        return 0 < places <= len(offers)

    def _reservation_id(self, user_id: str, slot: Slot, now: datetime) -> str:
        return f"rsv_{uuid5(NAMESPACE_URL, f'{user_id}/{slot}/{now.isoformat()}').hex[:20]}"
