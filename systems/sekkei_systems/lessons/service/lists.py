"""What somebody has to do with lessons: one lesson as they see it, their list, their history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from sekkei.design import ConditionFailed
from sekkei_systems.days import JST
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    Lesson,
    Status,
    TieKind,
    UserLesson,
    all_of_user,
    lesson,
    of_user_and_kind,
    of_user_between,
    of_user_to_lesson,
)
from sekkei_systems.lessons.rules.places import free_places
from sekkei_systems.lessons.rules.policy import Policy
from sekkei_systems.lessons.rules.slots import (
    FIRST_DAY,
    LAST_DAY,
    NOTE_LENGTH_MAX,
    Slot,
    overlapping,
    slot_of,
    with_own,
)
from sekkei_systems.lessons.rules.waitlist import holds_offer
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.ties import Ties
from sekkei_systems.lessons.service.timetable import Timetable

# Attendance out of a user's history.


@dataclass(frozen=True, slots=True)
class Statistics:
    """Attendance: how often, by month, studio, instructor and lesson, the most frequent first; months in order."""

    lessons: int
    absences: int
    late_cancels: int
    months: list[tuple[str, int]]
    studios: list[tuple[str, int]]
    instructors: list[tuple[str, int]]
    names: list[tuple[str, int]]


def statistics(history: Iterable[UserLesson], late_cancels: int = 0) -> Statistics:
    """Out of history; who did not come was not there."""
    all_of_it = list(history)
    came = [tie for tie in all_of_it if tie.attended is not False]

    def ranked(counts: Counter[str]) -> list[tuple[str, int]]:
        return sorted(counts.items(), key=lambda one: (-one[1], one[0]))

    return Statistics(
        lessons=len(came),
        absences=len(all_of_it) - len(came),
        late_cancels=late_cancels,
        months=sorted(Counter(f"{tie.lesson_date:%Y-%m}" for tie in came).items()),
        studios=ranked(Counter(tie.studio_code for tie in came)),
        instructors=ranked(Counter(tie.instructor for tie in came)),
        names=ranked(Counter(tie.lesson_name for tie in came)),
    )


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
    """What is free is held for others, to whom it was offered."""


@dataclass
class Lists:
    ties: Ties
    timetable: Timetable

    async def policy(self, studio_code: str) -> Policy:
        return await self.ties.policy(studio_code)

    async def view(self, member: Member, slot: Slot) -> LessonView:
        found, user_id = await self.timetable.get(slot), member.user_id
        to_lesson = of_user_to_lesson(user_id, slot.studio_code, slot.lesson_date, slot.start_time)
        ties = await self.ties.db.all(to_lesson.consistent())
        active = {tie.kind: tie for tie in ties if tie.status is Status.ACTIVE}
        waiting = active.get(TieKind.WAITLIST)
        queue = with_own(await self.ties.queue(slot), user_id, waiting)
        position = next((place for place, tie in enumerate(queue, 1) if tie.user_id == user_id), None)
        offers = 0
        if not holds_offer(waiting, self.ties.now()):
            offers = await self.ties.offers_to_others(slot, user_id, queue)
        held = 0 < (free_places(found) or 0) <= offers
        return LessonView(found, active, len(queue), position, held)

    async def all(
        self, member: Member, kind: TieKind | None = None, first: date | None = None, last: date | None = None
    ) -> list[UserLesson]:
        """A user's ties in the order of the lessons, across studios."""
        first, last = max(first or FIRST_DAY, FIRST_DAY), min(last or LAST_DAY, LAST_DAY)
        if last < first:
            return []
        if kind is not None:
            begin, end = datetime.combine(first, time.min, JST), datetime.combine(last, time(23, 59, 59), JST)
            return await self.ties.db.all(of_user_between(member.user_id, kind, begin, end))
        everything = await self.ties.db.all(all_of_user(member.user_id).consistent())
        found = [tie for tie in everything if first <= tie.lesson_date <= last]
        return sorted(found, key=lambda tie: (tie.starts_at, tie.studio_code, tie.kind.value))

    async def statistics(self, member: Member) -> Statistics:
        history = await self.ties.db.all(of_user_and_kind(member.user_id, TieKind.HISTORY))
        bookings = await self.ties.db.all(of_user_and_kind(member.user_id, TieKind.BOOKING))
        return statistics(history, sum(1 for tie in bookings if tie.cancelled_late))

    async def overlaps(self, member: Member, wanted: Lesson) -> list[Lesson]:
        """What the user has booked that takes place at the same time."""
        day = timedelta(days=1)
        start = slot_of(wanted).starts_at
        near = await self.ties.db.all(of_user_between(member.user_id, TieKind.BOOKING, start - day, start + day))
        found = await self.lessons_of([tie for tie in near if tie.status is Status.ACTIVE])
        return overlapping(wanted, found.values())

    async def lessons_of(self, ties: Sequence[UserLesson]) -> dict[Slot, Lesson]:
        """The lessons that ties are to, as the timetable has them."""
        refs = [lesson(tie.studio_code, tie.lesson_date, tie.start_time) for tie in ties]
        return {slot_of(one): one for one in await self.ties.db.get_many(refs) if one is not None}

    async def positions(self, waiting: Sequence[UserLesson]) -> dict[Slot, int]:
        """Everyone's place in the queue of their lesson, from 1."""
        found: dict[Slot, int] = {}
        for tie in waiting:
            queue = with_own(await self.ties.queue(slot_of(tie)), tie.user_id, tie)
            found[slot_of(tie)] = 1 + next(at for at, one in enumerate(queue) if one.user_id == tie.user_id)
        return found

    async def tie_of_link(self, member: Member, slot: Slot, tie_id: str) -> UserLesson:
        """The waitlist entry or booking that a link was made for; when there is another one now, the link is over."""
        to_lesson = of_user_to_lesson(member.user_id, slot.studio_code, slot.lesson_date, slot.start_time)
        for tie in await self.ties.db.all(to_lesson.consistent()):
            if tie.kind is not TieKind.HISTORY and tie_id and tie_id in (tie.waitlist_id, tie.reservation_id):
                return tie
        raise refusals.LinkOver()


# Lessons that somebody likes, with a note.


@dataclass
class Favorites:
    ties: Ties
    timetable: Timetable

    async def add(self, member: Member, slot: Slot, notes: str | None = None) -> UserLesson:
        """Not of a lesson that is called off: it would end with the next look at it."""
        lesson = await self.timetable.upcoming(slot)
        _check_note(notes)
        if lesson.called_off:
            raise refusals.Closed()
        liked = self.ties.made(member.user_id, lesson, TieKind.FAVORITE, notes=notes or None)
        return await self.ties.register(liked, lesson)

    async def save(self, member: Member, slot: Slot, notes: str | None) -> UserLesson:
        """A favourite with this note, whether it was one before or not."""
        try:
            return await self.add(member, slot, notes)
        except refusals.AlreadyRegistered:
            return await self.change_note(member, slot, notes)

    async def change_note(self, member: Member, slot: Slot, notes: str | None) -> UserLesson:
        _check_note(notes)
        update = self.ties.update(member.user_id, slot, TieKind.FAVORITE).set(UserLesson.updated_at, self.ties.now())
        update = update.set(UserLesson.notes, notes) if notes else update.remove(UserLesson.notes)
        try:
            return await self.ties.db.write(update.when(UserLesson.status == Status.ACTIVE))
        except ConditionFailed:
            raise refusals.NoSuchTie() from None

    async def remove(self, member: Member, slot: Slot) -> None:
        await self.ties.end(await self.ties.active(member.user_id, slot, TieKind.FAVORITE), Status.CANCELLED)


def _check_note(notes: str | None) -> None:
    if notes is not None and len(notes) > NOTE_LENGTH_MAX:
        raise refusals.NoteTooLong(field="notes", limit=NOTE_LENGTH_MAX)
