"""What people do with lessons. Every change is one write or one transaction; who may do what is decided here."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from sekkei.clock import Clock
from sekkei.design import Action, Check, ConditionFailed, Database, Ref, TransactionFailed, Update
from sekkei.runtime import days
from sekkei.runtime.days import JST
from sekkei.runtime.identifiers import uuid7
from sekkei.runtime.refusals import Changed, Refusal
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    Lesson,
    Status,
    TieKind,
    UserLesson,
    all_of_user,
    change_status,
    give_place_back,
    lesson,
    of_reservation_id,
    of_studio_on,
    of_user_and_kind,
    of_user_between,
    of_user_to_lesson,
    of_waitlist_id,
    queue_of,
    register,
    take_place,
    user_lesson,
    user_lessons,
)
from sekkei_systems.lessons.people import contact
from sekkei_systems.lessons.rules import (
    FIRST_DAY,
    LAST_DAY,
    NOTE_LENGTH_MAX,
    Fairness,
    Policy,
    Slot,
    Statistics,
    free_places,
    holds_offer,
    is_available,
    overlapping,
    slot_of,
    statistics,
    ttl_of,
    with_own,
)
from sekkei_systems.lessons.studios import Staff, Studio
from sekkei_systems.lessons.timetable import Timetable
from sekkei_systems.lessons.timetable_files import Taken, read, take_in

TRIES = 5
ATTENDANCE_BEFORE = timedelta(minutes=30)
_COMES = (Status.ACTIVE, Status.COMPLETED)

Also = Callable[[UserLesson], Action[Any, Any]]
"""Something to be written in the same transaction, such as that a request has been carried out."""


class AlreadyDone(Exception):
    """What was to be written beside is there already: this request has been carried out before."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who asks, when it matters who it is."""

    id: str
    email: str
    """Proven to be theirs; empty when it is not."""


@dataclass(frozen=True, slots=True)
class LessonView:
    """A lesson as one user sees it."""

    lesson: Lesson
    ties: dict[TieKind, UserLesson]
    """The user's active ties to it."""
    waiting: int
    position: int | None
    """The user's place in the queue, from 1."""
    held: bool
    """What is free is held for others, who waited longer."""


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

    def __init__(
        self, db: Database, clock: Clock, policy: Policy, studios: Sequence[Studio] = (), staff: Staff | None = None
    ) -> None:
        self._db = db
        self._clock = clock
        self.policy = policy
        self.timetable = Timetable(db, clock)
        self.studios = list(studios)
        self._staff = staff or Staff()

    # Looking

    def studio(self, code: str) -> Studio:
        found = next((studio for studio in self.studios if studio.code == code), None)
        if found is None:
            raise refusals.NoSuchStudio()
        return found

    async def view(self, user_id: str, slot: Slot) -> LessonView:
        found = await self.timetable.get(slot)
        to_lesson = of_user_to_lesson(user_id, slot.studio_code, slot.lesson_date, slot.start_time)
        ties = await self._db.all(to_lesson.consistent())
        active = {tie.kind: tie for tie in ties if tie.status is Status.ACTIVE}
        waiting = active.get(TieKind.WAITLIST)
        queue = with_own(await self.queue(slot), user_id, waiting)
        position = next((place for place, tie in enumerate(queue, 1) if tie.user_id == user_id), None)
        offers = 0 if holds_offer(waiting, self.now()) else await self._offers_to_others(found, user_id)
        held = 0 < (free_places(found) or 0) <= offers
        return LessonView(found, active, len(queue), position, held)

    async def queue(self, slot: Slot) -> list[UserLesson]:
        """Everyone who waits, first come first; by the index, which may be behind."""
        return await self._db.all(queue_of(slot.studio_code, slot.lesson_date, slot.start_time))

    async def my_list(
        self, user_id: str, kind: TieKind | None = None, first: date | None = None, last: date | None = None
    ) -> list[UserLesson]:
        """A user's ties in the order of the lessons, across studios."""
        first, last = max(first or FIRST_DAY, FIRST_DAY), min(last or LAST_DAY, LAST_DAY)
        if last < first:
            return []
        if kind is not None:
            begin, end = datetime.combine(first, time.min, JST), datetime.combine(last, time(23, 59, 59), JST)
            return await self._db.all(of_user_between(user_id, kind, begin, end))
        everything = await self._db.all(all_of_user(user_id).consistent())
        found = [tie for tie in everything if first <= tie.lesson_date <= last]
        return sorted(found, key=lambda tie: (tie.starts_at, tie.studio_code, tie.kind.value))

    async def statistics(self, user_id: str) -> Statistics:
        history = await self._db.all(of_user_and_kind(user_id, TieKind.HISTORY))
        bookings = await self._db.all(of_user_and_kind(user_id, TieKind.BOOKING))
        return statistics(history, sum(1 for tie in bookings if tie.cancelled_late))

    async def overlaps(self, user_id: str, wanted: Lesson) -> list[Lesson]:
        """What the user has booked that takes place at the same time."""
        day = timedelta(days=1)
        start = slot_of(wanted).starts_at
        near = await self._db.all(of_user_between(user_id, TieKind.BOOKING, start - day, start + day))
        refs = [lesson(tie.studio_code, tie.lesson_date, tie.start_time) for tie in near if tie.status is Status.ACTIVE]
        return overlapping(wanted, [found for found in await self._db.get_many(refs) if found is not None])

    async def lessons_of(self, ties: Sequence[UserLesson]) -> dict[Slot, Lesson]:
        """The lessons that ties are to, as the timetable has them."""
        found = await self._db.get_many(lesson(tie.studio_code, tie.lesson_date, tie.start_time) for tie in ties)
        return {slot_of(one): one for one in found if one is not None}

    async def positions(self, waiting: Sequence[UserLesson]) -> dict[Slot, int]:
        """Everyone's place in the queue of their lesson, from 1."""
        found: dict[Slot, int] = {}
        for tie in waiting:
            queue = with_own(await self.queue(slot_of(tie)), tie.user_id, tie)
            found[slot_of(tie)] = 1 + next(at for at, one in enumerate(queue) if one.user_id == tie.user_id)
        return found

    async def tie_of_link(self, user_id: str, slot: Slot, tie_id: str) -> UserLesson:
        """The waitlist entry or booking that a link was made for; when there is another one now, the link is over."""
        to_lesson = of_user_to_lesson(user_id, slot.studio_code, slot.lesson_date, slot.start_time)
        for tie in await self._db.all(to_lesson.consistent()):
            if tie.kind is not TieKind.HISTORY and tie_id and tie_id in (tie.waitlist_id, tie.reservation_id):
                return tie
        raise refusals.LinkOver()

    async def by_waitlist_id(self, user_id: str, waitlist_id: str) -> UserLesson:
        """The user's own entry of that id."""
        return await self._own(user_id, await self._db.all(of_waitlist_id(waitlist_id)))

    async def by_reservation_id(self, user_id: str, reservation_id: str) -> UserLesson:
        """The user's own booking of that id; what became of it, when it is over."""
        found = await self._db.all(of_reservation_id(reservation_id))
        return await self._own(user_id, sorted(found, key=lambda tie: tie.kind is not TieKind.HISTORY))

    # Favourites

    async def add_favorite(self, user_id: str, slot: Slot, notes: str | None = None) -> UserLesson:
        found = await self.timetable.upcoming(slot)
        _check_note(notes)
        return await self._register(self._tie(user_id, found, TieKind.FAVORITE, notes=notes or None))

    async def save_favorite(self, user_id: str, slot: Slot, notes: str | None) -> UserLesson:
        """A favourite with this note, whether it was one before or not."""
        try:
            return await self.add_favorite(user_id, slot, notes)
        except refusals.AlreadyRegistered:
            return await self.change_note(user_id, slot, notes)

    async def change_note(self, user_id: str, slot: Slot, notes: str | None) -> UserLesson:
        _check_note(notes)
        update = self._update(user_id, slot, TieKind.FAVORITE).set(UserLesson.updated_at, self.now())
        update = update.set(UserLesson.notes, notes) if notes else update.remove(UserLesson.notes)
        try:
            return await self._db.write(update.when(UserLesson.status == Status.ACTIVE))
        except ConditionFailed:
            raise refusals.NoSuchTie() from None

    async def remove_favorite(self, user_id: str, slot: Slot) -> None:
        await self._end(await self._active(user_id, slot, TieKind.FAVORITE), Status.CANCELLED)

    # The waitlist

    async def join_waitlist(self, user_id: str, slot: Slot, also: Also | None = None) -> UserLesson:
        found = await self.timetable.upcoming(slot)
        if not found.is_open:
            raise refusals.Closed()
        if is_available(found):
            free, offers = free_places(found), await self._offers_to_others(found, user_id)
            if free is None or free > offers:
                raise refusals.NotFull()
        booked = await self._db.get(self._ref(user_id, slot, TieKind.BOOKING))
        if booked is not None and booked.status is Status.ACTIVE:
            raise refusals.AlreadyRegistered()
        waiting = self._tie(
            user_id,
            found,
            TieKind.WAITLIST,
            waitlist_id=f"wl_{secrets.token_hex(8)}",
            notification_sent=False,
            queue_key=uuid7(self._clock),
        )
        return await self._register(waiting, also, self._as_seen(user_id, slot, TieKind.BOOKING, booked))

    async def leave_waitlist(self, user_id: str, slot: Slot) -> None:
        await self._end(await self._active(user_id, slot, TieKind.WAITLIST), Status.CANCELLED)

    # Bookings

    async def book(self, user_id: str, slot: Slot, also: Also | None = None) -> UserLesson:
        """Take a place; a waitlist entry for the lesson ends with it, all in one transaction."""
        for _ in range(TRIES - 1):
            try:
                return await self._book(user_id, slot, also)
            except Changed:
                continue  # an offer was made, or the waitlist entry changed, between the look and the step
        return await self._book(user_id, slot, also)

    async def _book(self, user_id: str, slot: Slot, also: Also | None) -> UserLesson:
        found = await self.timetable.upcoming(slot)
        kinds = (TieKind.WAITLIST, TieKind.BOOKING)
        waiting, booked = await self._db.get_many(self._ref(user_id, slot, kind) for kind in kinds)
        if booked is not None and booked.status is Status.ACTIVE:
            raise refusals.AlreadyRegistered()
        if not is_available(found):
            raise _why_not(found)
        now = self.now()
        booking = self._tie(user_id, found, TieKind.BOOKING, reservation_id=self._reservation_id(user_id, slot, now))
        registered, taken = register(booking), take_place(booking, now)
        holds = waiting is not None and waiting.status is Status.ACTIVE and holds_offer(waiting, now)
        if not holds and found.capacity is not None and self._mode(slot) is Fairness.FIRST_IN_LINE:
            offers = await self._offers_to_others(found, user_id)
            if 0 < (free_places(found) or 0) <= offers:
                raise refusals.Held()
            taken = taken.when(
                Lesson.offers == found.offers,
                Lesson.capacity == found.capacity,
                Lesson.booked < found.capacity - offers,
            )
        if waiting is not None and waiting.status is Status.ACTIVE:
            ended: Action[Any, Any] = change_status(waiting, Status.COMPLETED, now).remove(UserLesson.offer_until)
        else:
            ended = self._as_seen(user_id, slot, TieKind.WAITLIST, waiting)
        once = also(booking) if also else None
        try:
            await self._db.transact(registered, taken, ended, *([once] if once else []))
        except TransactionFailed as failed:
            if once and failed.failed(once):
                raise AlreadyDone from None
            if failed.failed(registered):
                raise refusals.AlreadyRegistered() from None
            if failed.failed(taken):
                raise _why_not(failed.old(taken)) from None
            raise Changed() from None
        return booking

    async def cancel_booking(self, user_id: str, slot: Slot) -> None:
        """Give the place back. Who had it from the waitlist may wait again."""
        booking = await self._active(user_id, slot, TieKind.BOOKING)
        now = self.now()
        if not self.policy.may_cancel(booking.starts_at, now):
            raise refusals.TooLateToCancel(hours=f"{self.policy.cancel_until / timedelta(hours=1):g}")
        waited = await self._db.get(self._ref(user_id, slot, TieKind.WAITLIST))
        ended = change_status(booking, Status.CANCELLED, now)
        if self.policy.is_late(booking.starts_at, now):
            ended = ended.set(UserLesson.cancelled_late, True)
        actions: list[Action[Any, Any]] = [ended]
        found = await self.timetable.find(slot)
        if found is not None and found.booked > 0:  # a studio may count anew and not know of this one
            actions.append(give_place_back(booking, now))
        if waited is not None and waited.status is Status.COMPLETED:
            actions.append(change_status(waited, Status.CANCELLED, now))
        try:
            await self._db.transact(*actions)
        except TransactionFailed as failed:
            if failed.failed(ended):
                raise refusals.NoSuchTie() from None
            raise Changed() from None

    # For the studios

    def runs(self, actor: Actor, studio_code: str) -> bool:
        return self._staff.runs(actor.email, studio_code)

    def must_run(self, actor: Actor, studio_code: str) -> Studio:
        if not self.runs(actor, studio_code):
            raise refusals.NotStaff()
        return self.studio(studio_code)

    def runs_any(self, actor: Actor) -> Studio | None:
        """The first studio that somebody runs."""
        return next((studio for studio in self.studios if self.runs(actor, studio.code)), None)

    async def add_lesson(self, actor: Actor, found: Lesson) -> Lesson:
        self.must_run(actor, found.studio_code)
        return await self.timetable.add(found)

    async def change_lesson(self, actor: Actor, found: Lesson, *, bring_back: bool = False) -> Lesson:
        """One that is called off stays so, unless it is to be brought back."""
        self.must_run(actor, found.studio_code)
        return await self.timetable.change(found, bring_back=bring_back)

    async def call_off(self, actor: Actor, slot: Slot) -> Lesson:
        self.must_run(actor, slot.studio_code)
        return await self.timetable.call_off(slot)

    async def take_in(self, actor: Actor, studio_code: str, name: str, content: bytes) -> tuple[Taken, list[str]]:
        """A studio's timetable out of a file; what could not be used is said line by line. Raises Unreadable."""
        studio = self.must_run(actor, studio_code)
        found = read(name, content, self.studios, self.now())
        own = [one for one in found.lessons if one.studio_code == studio.code]
        taken = await take_in(self.timetable, own)
        elsewhere = len(found.lessons) - len(own)
        strangers = [f"{elsewhere} lessons of other studios"] if elsewhere else []
        return taken, [*found.problems, *taken.refused, *strangers]

    async def roll(self, actor: Actor, slot: Slot) -> Roll:
        """Who comes to a lesson and who waits for it, by name."""
        self.must_run(actor, slot.studio_code)
        found = await self.timetable.get(slot)
        ties = await self._db.all(of_studio_on(slot.studio_code, slot.lesson_date))
        booked = [tie for tie in ties if slot_of(tie) == slot and tie.kind is TieKind.BOOKING and tie.status in _COMES]
        queue = await self.queue(slot)
        people = await self._db.get_many([contact(tie.user_id) for tie in (*booked, *queue)])
        names = {person.user_id: person.name for person in people if person is not None}
        return Roll(found, sorted(booked, key=lambda tie: tie.created_at), queue, names)

    async def mark_attendance(self, actor: Actor, slot: Slot, user_id: str, came: bool) -> None:
        """Whether somebody who booked came; in the booking, and in the history when it is there already."""
        self.must_run(actor, slot.studio_code)
        now = self.now()
        if now < slot.starts_at - ATTENDANCE_BEFORE:
            raise refusals.TooEarly(minutes=ATTENDANCE_BEFORE // timedelta(minutes=1))
        history = await self._db.get(self._ref(user_id, slot, TieKind.HISTORY))
        status = Status.ACTIVE if history is None else Status.COMPLETED
        actions = [self._update(user_id, slot, TieKind.BOOKING).when(UserLesson.status == status)]
        if history is not None:
            actions.append(self._update(user_id, slot, TieKind.HISTORY).when(UserLesson.user_id.exists()))
        marks = [one.set(UserLesson.attended, came).set(UserLesson.updated_at, now) for one in actions]
        try:
            await self._db.transact(*marks)
        except TransactionFailed:
            raise refusals.NoSuchTie() from None

    # Parts

    def now(self) -> datetime:
        return days.now(self._clock)

    def _mode(self, slot: Slot) -> Fairness:
        return self.policy.mode(slot.starts_at, self.now())

    def _ref(self, user_id: str, slot: Slot, kind: TieKind) -> Ref[UserLesson]:
        return user_lesson(user_id, slot.studio_code, slot.lesson_date, slot.start_time, kind)

    def _update(self, user_id: str, slot: Slot, kind: TieKind) -> Update[UserLesson]:
        return user_lessons.update(user_id, slot.studio_code, slot.lesson_date, slot.start_time, kind)

    def _as_seen(self, user_id: str, slot: Slot, kind: TieKind, seen: UserLesson | None) -> Check[UserLesson]:
        """A condition of a transaction: this tie is still what it was when it was read."""
        key = (user_id, slot.studio_code, slot.lesson_date, slot.start_time, kind)
        if seen is None:
            return user_lessons.must_not_exist(*key)
        return user_lessons.must_exist(*key).when(UserLesson.status == seen.status)

    async def _own(self, user_id: str, found: Sequence[UserLesson]) -> UserLesson:
        """The first of them, as it is now, if it is the user's."""
        fresh = await self._db.get(user_lessons.ref_of(found[0]).consistent()) if found else None
        if fresh is None or fresh.user_id != user_id:
            raise refusals.NoSuchTie()
        return fresh

    async def _active(self, user_id: str, slot: Slot, kind: TieKind) -> UserLesson:
        found = await self._db.get(self._ref(user_id, slot, kind))
        if found is None or found.status is not Status.ACTIVE:
            raise refusals.NoSuchTie()
        return found

    def _tie(self, user_id: str, found: Lesson, kind: TieKind, **more: object) -> UserLesson:
        now = self.now()
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
            ttl=ttl_of(kind, slot_of(found).starts_at),
            **more,  # type: ignore[arg-type]
        )

    async def _register(self, tie: UserLesson, also: Also | None = None, *checks: Check[UserLesson]) -> UserLesson:
        registered, once = register(tie), also(tie) if also else None
        try:
            # As a transaction, because a write that is repeated after a lost answer would stand in its own way.
            await self._db.transact(registered, *checks, *([once] if once else []))
        except TransactionFailed as failed:
            if once and failed.failed(once):
                raise AlreadyDone from None
            raise refusals.AlreadyRegistered() if failed.failed(registered) else Changed() from None
        return tie

    async def _end(self, tie: UserLesson, status: Status) -> None:
        try:
            await self._db.transact(change_status(tie, status, self.now()).remove(UserLesson.offer_until))
        except TransactionFailed:
            raise refusals.NoSuchTie() from None

    async def _offers_to_others(self, found: Lesson, user_id: str) -> int:
        """How many places are held for others who were offered one."""
        slot, now = slot_of(found), self.now()
        if self._mode(slot) is not Fairness.FIRST_IN_LINE:
            return 0
        # The index may not show the last offers yet: what is decided is decided on the items themselves.
        refs = [self._ref(tie.user_id, slot, tie.kind) for tie in await self.queue(slot) if tie.user_id != user_id]
        return sum(
            tie is not None and tie.status is Status.ACTIVE and holds_offer(tie, now)
            for tie in await self._db.get_many(refs)
        )

    def _reservation_id(self, user_id: str, slot: Slot, now: datetime) -> str:
        return f"rsv_{uuid5(NAMESPACE_URL, f'{user_id}/{slot}/{now.isoformat()}').hex[:20]}"


def _why_not(found: Lesson | None) -> Refusal:
    """Why a lesson had no place to take."""
    if found is None:
        return refusals.NoSuchLesson()
    if not found.is_open:
        return refusals.Closed()
    return Changed() if is_available(found) else refusals.Full()


def _check_note(notes: str | None) -> None:
    if notes is not None and len(notes) > NOTE_LENGTH_MAX:
        raise refusals.NoteTooLong(field="notes", limit=NOTE_LENGTH_MAX)
