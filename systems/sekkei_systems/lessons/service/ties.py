"""What ties a user to a lesson, read and written one at a time; shared by favourites, waitlist and bookings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from sekkei.clock import Clock
from sekkei.design import Check, Database, Ref, TransactionFailed, Update
from sekkei.runtime import days
from sekkei.runtime.idempotency import AlreadyDone, Also, nothing
from sekkei.runtime.refusals import Changed
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    Lesson,
    Status,
    TieKind,
    UserLesson,
    change_status,
    copies_of,
    lessons,
    queue_of,
    register,
    user_lesson,
    user_lessons,
)
from sekkei_systems.lessons.rules.policy import Fairness, Policy
from sekkei_systems.lessons.rules.slots import Slot, slot_of, ttl_of
from sekkei_systems.lessons.rules.waitlist import holds_offer
from sekkei_systems.lessons.service.rulebook import Rulebook

GOES_WITH_LESSON = (TieKind.FAVORITE, TieKind.WAITLIST, TieKind.BOOKING)


@dataclass
class Ties:
    """The rows behind favourites, waitlist entries and bookings; the rulebook says how studios handle waitlists."""

    db: Database
    clock: Clock
    rulebook: Rulebook

    def now(self) -> datetime:
        return days.now(self.clock)

    async def policy(self, studio_code: str) -> Policy:
        return await self.rulebook.policy(studio_code)

    async def mode(self, slot: Slot) -> Fairness:
        return (await self.policy(slot.studio_code)).mode(slot.starts_at, self.now())

    def ref(self, user_id: str, slot: Slot, kind: TieKind) -> Ref[UserLesson]:
        return user_lesson(user_id, slot.studio_code, slot.lesson_date, slot.start_time, kind)

    def update(self, user_id: str, slot: Slot, kind: TieKind) -> Update[UserLesson]:
        return user_lessons.update(user_id, slot.studio_code, slot.lesson_date, slot.start_time, kind)

    def as_seen(self, user_id: str, slot: Slot, kind: TieKind, seen: UserLesson | None) -> Check[UserLesson]:
        """A condition of a transaction: this tie is still what it was when it was read."""
        key = (user_id, slot.studio_code, slot.lesson_date, slot.start_time, kind)
        if seen is None:
            return user_lessons.must_not_exist(*key)
        return user_lessons.must_exist(*key).when(UserLesson.status == seen.status)

    async def own(self, user_id: str, found: Sequence[UserLesson]) -> UserLesson:
        """The first of them, as it is now, if it is the user's."""
        fresh = await self.db.get(user_lessons.ref_of(found[0]).consistent()) if found else None
        if fresh is None or fresh.user_id != user_id:
            raise refusals.NoSuchTie()
        return fresh

    async def active(self, user_id: str, slot: Slot, kind: TieKind) -> UserLesson:
        found = await self.db.get(self.ref(user_id, slot, kind))
        if found is None or found.status is not Status.ACTIVE:
            raise refusals.NoSuchTie()
        return found

    def made(self, user_id: str, lesson: Lesson, kind: TieKind, **more: object) -> UserLesson:
        now = self.now()
        return UserLesson(
            user_id=user_id,
            studio_code=lesson.studio_code,
            lesson_date=lesson.lesson_date,
            start_time=lesson.start_time,
            **copies_of(lesson),
            lesson_id=lesson.lesson_id,
            kind=kind,
            created_at=now,
            updated_at=now,
            ttl=ttl_of(kind, slot_of(lesson).starts_at),
            **more,  # type: ignore[arg-type]
        )

    async def register(
        self, tie: UserLesson, lesson: Lesson, also: Also[UserLesson] = nothing, *checks: Check[UserLesson]
    ) -> UserLesson:
        """`lesson` as it was read: what was called off or moved since has been told to everybody who was there."""
        registered, marks = register(tie), also(tie)
        try:
            # As a transaction, because a write that is repeated after a lost answer would stand in its own way.
            await self.db.transact(registered, _still_there(lesson), *checks, *marks)
        except TransactionFailed as failed:
            if any(failed.failed(mark) for mark in marks):
                raise AlreadyDone from None
            raise refusals.AlreadyRegistered() if failed.failed(registered) else Changed() from None
        return tie

    async def end(self, tie: UserLesson, status: Status) -> None:
        try:
            await self.db.transact(change_status(tie, status, self.now()).remove(UserLesson.offer_until))
        except TransactionFailed:
            raise refusals.NoSuchTie() from None

    async def queue(self, slot: Slot) -> list[UserLesson]:
        """Everyone who waits, first come first; by the index, which may be behind."""
        return await self.db.all(queue_of(slot.studio_code, slot.lesson_date, slot.start_time))

    async def offers_to_others(self, slot: Slot, user_id: str, queue: Sequence[UserLesson] | None = None) -> int:
        """How many places are held for others who were offered one."""
        if await self.mode(slot) is not Fairness.FIRST_IN_LINE:
            return 0
        now, queue = self.now(), await self.queue(slot) if queue is None else queue
        # The index may not show the last offers yet: what is decided is decided on the items themselves.
        refs = [self.ref(tie.user_id, slot, tie.kind) for tie in queue if tie.user_id != user_id]
        return sum(
            tie is not None and tie.status is Status.ACTIVE and holds_offer(tie, now)
            for tie in await self.db.get_many(refs)
        )


def _still_there(lesson: Lesson) -> Check[Lesson]:
    to = Lesson.moving_to.absent() if lesson.moving_to is None else Lesson.moving_to == lesson.moving_to
    there = lessons.must_exist(lesson.studio_code, lesson.lesson_date, lesson.start_time)
    return there.when(~Lesson.called_off.is_(True), to)


async def all_active(db: Database, listed: Iterable[UserLesson], slot: Slot) -> list[list[UserLesson]]:
    """What each of those whom an index lists has to do with a lesson, ties included that it does not show yet: one that
    is found later would be told of as if nobody had heard."""
    key = slot.studio_code, slot.lesson_date, slot.start_time
    users = sorted({tie.user_id for tie in listed if slot_of(tie) == slot})
    found = await db.get_many(user_lesson(user, *key, kind) for user in users for kind in GOES_WITH_LESSON)
    active = [tie for tie in found if tie is not None and tie.status is Status.ACTIVE]
    return [list(own) for _, own in groupby(active, key=lambda tie: tie.user_id)]
