"""What the staff of a studio does: its timetable, who comes, who waits, who was there."""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from sekkei.design import Action, Database, TransactionFailed, replace
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import Changed, Refusal
from sekkei.runtime.schedules import Schedules
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    Contact,
    DeskAct,
    DeskVerb,
    Lesson,
    Status,
    TieKind,
    UserLesson,
    contact,
    contacts,
    of_studio_between,
    of_studio_on,
    waits,
)
from sekkei_systems.lessons.rules.notices import Messages, Notices, reaches
from sekkei_systems.lessons.rules.places import NAME_MAX
from sekkei_systems.lessons.rules.slots import Slot, parse_slot, slot_of
from sekkei_systems.lessons.rules.timetable import LessonDraft, read
from sekkei_systems.lessons.service.access import Access, Member, Staff
from sekkei_systems.lessons.service.acts import Acts
from sekkei_systems.lessons.service.bookings import Bookings
from sekkei_systems.lessons.service.moves import Moves
from sekkei_systems.lessons.service.passes import Entitlements
from sekkei_systems.lessons.service.restoring import Restoring
from sekkei_systems.lessons.service.ties import Ties
from sekkei_systems.lessons.service.timetable import Taken, Timetable, take_in

ATTENDANCE_BEFORE = timedelta(minutes=30)
_GUEST = "guest-"
"""How ids of those begin who have no account."""
_WORDS_LENGTH_MAX = 500
_COMES = (Status.ACTIVE, Status.COMPLETED)


@dataclass(frozen=True, slots=True)
class Roll:
    """A lesson as its studio sees it."""

    lesson: Lesson
    booked: list[UserLesson]
    """In the order of booking; those who came, when it is over."""
    queue: list[UserLesson]
    people: dict[str, Contact]

    def can_hear(self, tie: UserLesson) -> bool:
        """Whether somebody who waits can be told that a place is free."""
        return reaches(self.people.get(tie.user_id), "opening")

    def name(self, tie: UserLesson) -> str:
        person = self.people.get(tie.user_id)
        return tie.guest_name or (person.name if person else tie.user_id)


@dataclass
class Desk:
    ties: Ties
    timetable: Timetable
    access: Access
    bookings: Bookings
    outbox: Outbox
    notices: Notices
    acts: Acts
    entitlements: Entitlements

    async def add(self, staff: Staff, draft: LessonDraft) -> Lesson:
        staff.own(draft.slot)
        return await self.timetable.add(draft)

    async def change(self, staff: Staff, draft: LessonDraft) -> Lesson:
        """One that is called off stays so, unless it is said that it takes place after all."""
        staff.own(draft.slot)
        return await self.timetable.change(draft)

    async def call_off(self, staff: Staff, slot: Slot, words: str = "") -> Lesson:
        """Everybody concerned is told, with these words."""
        if len(words) > _WORDS_LENGTH_MAX:
            raise refusals.BadWords(field="words", limit=_WORDS_LENGTH_MAX)
        act = self.acts.act(staff, staff.own(slot), DeskVerb.CALLED_OFF, words=words.strip() or None)
        return await self.timetable.call_off(slot, act.words, self.acts.noted(act))

    async def take_in(self, staff: Staff, name: str, content: bytes) -> tuple[Taken, list[str]]:
        """A studio's timetable out of a file; what could not be used is said line by line. Raises Unreadable."""
        found = read(name, content, self.access.studios)
        own = [one for one in found.lessons if one.slot.studio_code == staff.studio.code]
        taken = await take_in(self.timetable, own)
        elsewhere = len(found.lessons) - len(own)
        strangers = [f"{elsewhere} lessons of other studios"] if elsewhere else []
        return taken, [*found.problems, *taken.refused, *strangers]

    async def roll(self, staff: Staff, slot: Slot) -> Roll:
        """Who comes to a lesson and who waits for it, by name."""
        lesson = await self.timetable.get(staff.own(slot))
        ties = await self.ties.db.all(of_studio_on(slot.studio_code, slot.lesson_date))
        booked = [tie for tie in ties if slot_of(tie) == slot and tie.kind is TieKind.BOOKING and tie.status in _COMES]
        queue = await self.ties.queue(slot)
        people = await self.ties.db.get_many([contact(tie.user_id) for tie in (*booked, *queue)])
        by_id = {person.user_id: person for person in people if person is not None}
        return Roll(lesson, sorted(booked, key=lambda tie: tie.created_at), queue, by_id)

    async def waiting(self, staff: Staff, first: date, last: date) -> dict[Slot, int]:
        """How many wait for each lesson of these days."""
        found = await self.ties.db.all(of_studio_between(staff.studio.code, first, last))
        return dict(Counter(slot_of(tie) for tie in found if waits(tie.kind, tie.status)))

    async def book_for(self, staff: Staff, slot: Slot, user_id: str, *, undoes: DeskAct | None = None) -> UserLesson:
        """A place for a member, out of the queue or at the counter, or the one that a mistake took; they are told."""
        await self.timetable.upcoming(staff.own(slot))
        person = await self.ties.db.get(contact(user_id))
        if person is None:
            raise refusals.NoSuchTie()
        act = self.acts.act(staff, slot, DeskVerb.BOOKED, user_id=user_id, name=person.name)

        def told(booking: UserLesson) -> list[Action[Any, Any]]:
            messages = self._told(self.notices.booked_by_desk(person, booking), f"desk/{booking.reservation_id}")
            beside = [*messages, contacts.must_exist(user_id)]  # they may be leaving
            if undoes is not None:
                return [*beside, self.acts.undone(undoes, booking.reservation_id)]
            return [*beside, self.acts.noted(replace(act, made=booking.reservation_id))]

        return await self.bookings.book(Member(user_id), slot, told=told, by_desk=True)

    async def walk_in(self, staff: Staff, slot: Slot, name: str) -> UserLesson:
        """Somebody at the door, who has no account."""
        name = name.strip()
        if not 1 <= len(name) <= NAME_MAX:
            raise refusals.BadWords(field="name", limit=NAME_MAX)
        guest = f"{_GUEST}{secrets.token_hex(8)}"
        act = self.acts.act(staff, staff.own(slot), DeskVerb.WALK_IN, user_id=guest, name=name)
        noted = self.acts.noted(act)
        return await self.bookings.book(Member(guest), slot, told=lambda booking: [noted], guest_name=name)

    async def cancel_for(self, staff: Staff, slot: Slot, user_id: str, *, undoes: DeskAct | None = None) -> None:
        """A booking ends, at the member's wish or the studio's; they are told."""
        lesson = await self.timetable.running(staff.own(slot))
        booking = await self.ties.active(user_id, slot, TieKind.BOOKING)
        person = await self.ties.db.get(contact(user_id))
        moment = f"{self.ties.now().timestamp():.3f}"
        messages = self.notices.cancelled_by_desk(person, lesson) if person else {}
        told = self._told(messages, f"desk/off/{slot}/{user_id}/{moment}")
        if undoes is not None:
            if undoes.made not in (None, booking.reservation_id):
                raise refusals.CannotUndo()  # they have booked anew since
            told.append(self.acts.undone(undoes))
        elif not booking.guest_name:
            name = person.name if person else user_id
            told.append(self.acts.noted(self.acts.act(staff, slot, DeskVerb.CANCELLED, user_id=user_id, name=name)))
        await self.bookings.cancel(Member(user_id), slot, told)

    def _told(self, messages: Messages, reason: str) -> list[Action[Any, Any]]:
        return [
            self.outbox.message(kind, str(body["to"]), body, id=f"{reason}/{kind}") for kind, body in messages.items()
        ]

    async def mark_attendance(self, staff: Staff, slot: Slot, user_id: str, came: bool) -> None:
        """Whether somebody who booked came; in the booking, and in the history when it is there already."""
        now = self.ties.now()
        if now < staff.own(slot).starts_at - ATTENDANCE_BEFORE:
            raise refusals.TooEarly(minutes=ATTENDANCE_BEFORE // timedelta(minutes=1))
        history = await self.ties.db.get(self.ties.ref(user_id, slot, TieKind.HISTORY))
        status = Status.ACTIVE if history is None else Status.COMPLETED
        actions = [self.ties.update(user_id, slot, TieKind.BOOKING).when(UserLesson.status == status)]
        if history is not None:
            actions.append(self.ties.update(user_id, slot, TieKind.HISTORY).when(UserLesson.user_id.exists()))
        marks = [one.set(UserLesson.attended, came).set(UserLesson.updated_at, now) for one in actions]
        try:
            await self.ties.db.transact(*marks, *await self.entitlements.missed(user_id, slot, came))
        except TransactionFailed as failed:
            raise (refusals.NoSuchTie() if failed.failed(marks[0]) else Changed()) from None


# What a studio says to those who come to a lesson, and if it likes to those who wait.


_MESSAGE_LENGTH_MAX = 1000
_FINISHED_AFTER = timedelta(minutes=1)


@dataclass
class ClassMessages:
    db: Database
    timetable: Timetable
    acts: Acts
    outbox: Outbox
    notices: Notices
    schedules: Schedules

    async def send(self, staff: Staff, slot: Slot, words: str, *, to_waiting: bool = False) -> int:
        """Returns how many people could be reached. What is left when this process dies is sent by the schedule."""
        await self.timetable.get(staff.own(slot))
        if not 1 <= len(words.strip()) <= _MESSAGE_LENGTH_MAX:
            raise refusals.BadWords(field="words", limit=_MESSAGE_LENGTH_MAX)
        act = self.acts.act(staff, slot, DeskVerb.MESSAGE, words=words.strip(), to_waiting=to_waiting)
        payload = {"slot": str(slot), "act": act.act_id}
        await self.schedules.put(f"lessons/message/{act.act_id}", "message", payload, at=act.done_at + _FINISHED_AFTER)
        await self.db.transact(self.acts.noted(act))
        return await self._deliver(act, slot)

    async def finish(self, slot: Slot, act_id: str) -> int:
        """There is one message for one act and person, however often this is done."""
        return await self._deliver(await self.acts.get(slot, act_id), slot)

    async def _deliver(self, act: DeskAct, slot: Slot) -> int:
        lesson = await self.timetable.get(slot)
        ties = await self.db.all(of_studio_on(slot.studio_code, slot.lesson_date))
        users = sorted({tie.user_id for tie in ties if slot_of(tie) == slot and _hears(tie, act)})
        people = await self.db.get_many(contact(user) for user in users)
        reached = 0
        for person in people:
            bodies = self.notices.message(person, lesson, act.words or "") if person is not None else {}
            for kind, body in bodies.items():
                reason = f"class/{act.act_id}/{body['to']}/{kind}"
                await self.outbox.put(kind, str(body["to"]), body, id=reason)
            reached += bool(bodies)
        return reached


def _hears(tie: UserLesson, act: DeskAct) -> bool:
    if tie.kind is TieKind.BOOKING:
        return tie.status in (Status.ACTIVE, Status.COMPLETED)
    return act.to_waiting and tie.kind is TieKind.WAITLIST and tie.status is Status.ACTIVE


# Taking back what the desk did, shortly after: everybody who was told is told again.


@dataclass
class Undoing:
    acts: Acts
    desk: Desk
    moves: Moves
    restoring: Restoring

    async def undo(self, staff: Staff, slot: Slot, act_id: str) -> Slot:
        """Returns where the lesson is then. Refuses what was undone before, is too long ago, or cannot be."""
        act = await self.acts.get(staff.own(slot), act_id)
        if not self.acts.may_undo(act):
            raise refusals.CannotUndo()
        try:
            return await self._undo(staff, slot, act)
        except Refusal:
            if not self.acts.may_undo(await self.acts.get(slot, act_id)):
                raise refusals.CannotUndo() from None  # another click was quicker
            raise

    async def _undo(self, staff: Staff, slot: Slot, act: DeskAct) -> Slot:
        """Each marks the act in its own transaction: it is never marked and not undone."""
        if act.verb in (DeskVerb.BOOKED, DeskVerb.WALK_IN):
            await self.desk.cancel_for(staff, slot, act.user_id or "", undoes=act)
        elif act.verb is DeskVerb.CANCELLED:
            await self.desk.book_for(staff, slot, act.user_id or "", undoes=act)
        elif act.verb is DeskVerb.CALLED_OFF:
            await self.restoring.bring_back(slot, self.acts.undone(act))
        elif act.verb is DeskVerb.MOVED:
            await self.moves.settle(slot)  # what still stands in the old slot would be in the way
            await self.moves.move(staff, parse_slot(act.target or ""), slot, self.acts.undone(act))
        return slot
