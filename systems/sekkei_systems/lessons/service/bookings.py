"""Taking a place and giving it back. Every precondition is part of the transaction."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sekkei.design import Action, Condition, ConditionFailed, TransactionFailed, Update
from sekkei.runtime.idempotency import AlreadyDone, Also, nothing
from sekkei.runtime.refusals import Changed, Refusal
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    Lesson,
    Status,
    TieKind,
    UserLesson,
    change_status,
    lessons,
    of_reservation_id,
    register,
    take_place,
    take_reserved,
)
from sekkei_systems.lessons.rules.places import free_places, is_available
from sekkei_systems.lessons.rules.policy import Fairness
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.rules.waitlist import books_itself, holds_offer
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.passes import Entitled, Entitlements
from sekkei_systems.lessons.service.reservations import Reservations
from sekkei_systems.lessons.service.ties import Ties
from sekkei_systems.lessons.service.timetable import Timetable

_TRIES = 5
_Told = Callable[[UserLesson], Sequence[Action[Any, Any]]]


@dataclass
class Bookings:
    ties: Ties
    timetable: Timetable
    sellers: Sellers
    reservations: Reservations
    entitlements: Entitlements

    async def book(
        self,
        member: Member,
        slot: Slot,
        also: Also[UserLesson] = nothing,
        told: _Told = lambda booking: (),
        guest_name: str | None = None,
        *,
        by_desk: bool = False,
        as_wished: bool = False,
    ) -> UserLesson:
        """Take a place; a waitlist entry for the lesson ends with it, all in one transaction. `told` are messages that
        go out with it. A guest has no account and stands at the door, perhaps after the start. What is booked
        `as_wished` by somebody who waits is refused (NoSuchTie) when they wish it no longer."""
        for _ in range(_TRIES - 1):
            try:
                return await self._book(member.user_id, slot, also, told, guest_name, by_desk, as_wished)
            except Changed:
                continue  # an offer was made, or the waitlist entry changed, between the look and the step
        return await self._book(member.user_id, slot, also, told, guest_name, by_desk, as_wished)

    async def _book(
        self,
        user_id: str,
        slot: Slot,
        also: Also[UserLesson],
        told: _Told,
        guest_name: str | None,
        by_desk: bool,
        as_wished: bool,
    ) -> UserLesson:
        await self.sellers.fresh()
        lesson = await (self.timetable.running(slot) if guest_name else self.timetable.upcoming(slot))
        kinds = (TieKind.WAITLIST, TieKind.BOOKING)
        waiting, booked = await self.ties.db.get_many(self.ties.ref(user_id, slot, kind) for kind in kinds)
        if booked is not None and booked.status is Status.ACTIVE:
            raise refusals.AlreadyRegistered()
        if as_wished and not _wishes_it(waiting, self.ties.now()):
            raise refusals.NoSuchTie()
        if not self.sellers.sells_here(lesson):
            raise refusals.BookedElsewhere()
        if not is_available(lesson):
            raise _why_not(lesson)
        now = self.ties.now()
        # Of each try its own: what is given up at the studio must not be the place of somebody's other device.
        more = {"reservation_id": f"rsv_{secrets.token_hex(10)}", "guest_name": guest_name}
        booking = self.ties.made(user_id, lesson, TieKind.BOOKING, **more)
        entitled = Entitled(booking)
        if guest_name is None:
            entitled = await self.entitlements.entitled(booking, by_desk=by_desk)
        if self.sellers.by_port(lesson):
            return await self._book_there(lesson, entitled, waiting, also, told)
        taken, booking = await self._taken(lesson, booking, waiting, now), entitled.booking
        ended = self._ended(booking, waiting, now)
        return await self._commit(entitled, taken, ended, also(booking), *told(booking))

    async def _book_there(
        self, lesson: Lesson, entitled: Entitled, waiting: UserLesson | None, also: Also[UserLesson], told: _Told
    ) -> UserLesson:
        """Reserve in the studio's system, book here, confirm there."""
        booking = entitled.booking
        try:
            reserved, now = await self.reservations.begin(booking), self.ties.now()
        except refusals.Full:
            await self._sold_out(lesson)
            raise
        marks, ended = also(booking), self._ended(booking, waiting, now)
        beside, others = self.reservations.booked(reserved), told(booking)
        try:
            await self._commit(entitled, take_reserved(lesson, now), ended, marks, beside, *others)
        except (Refusal, AlreadyDone):
            await self.reservations.drop(reserved)
            raise
        await self.reservations.confirm(reserved, tell=bool(others))
        return booking

    async def _sold_out(self, lesson: Lesson) -> None:
        """The studio has sold what we thought was free: people may wait for it, until it says that a place is free."""
        if lesson.capacity is None or not self.sellers.tells(lesson):
            return
        update = lessons.update(lesson.studio_code, lesson.lesson_date, lesson.start_time)
        now = self.ties.now()
        update = update.set(Lesson.booked, lesson.capacity).set(Lesson.sold_out_at, now).set(Lesson.updated_at, now)
        with contextlib.suppress(ConditionFailed):
            await self.ties.db.write(update.when(Lesson.booked == lesson.booked, Lesson.capacity == lesson.capacity))

    def _ended(self, booking: UserLesson, waiting: UserLesson | None, now: datetime) -> Action[Any, Any]:
        """What becomes of the waitlist entry."""
        if waiting is not None and waiting.status is Status.ACTIVE:
            ended = change_status(waiting, Status.COMPLETED, now).remove(UserLesson.offer_until)
            return ended.when(*_same_wishes(waiting))
        return self.ties.as_seen(booking.user_id, slot_of(booking), TieKind.WAITLIST, waiting)

    async def _taken(
        self, lesson: Lesson, booking: UserLesson, waiting: UserLesson | None, now: datetime
    ) -> Update[Lesson]:
        """One place less; what is held for others is not to be taken."""
        taken, slot = take_place(lesson, now), slot_of(lesson)
        holds = waiting is not None and waiting.status is Status.ACTIVE and holds_offer(waiting, now)
        if holds or lesson.capacity is None or await self.ties.mode(slot) is not Fairness.FIRST_IN_LINE:
            return taken
        offers = await self.ties.offers_to_others(slot, booking.user_id)
        if 0 < (free_places(lesson) or 0) <= offers:
            raise refusals.Held()
        return taken.when(
            Lesson.offers == lesson.offers,
            Lesson.capacity == lesson.capacity,
            Lesson.booked < lesson.capacity - offers,
        )

    async def _commit(
        self,
        entitled: Entitled,
        taken: Update[Lesson],
        ended: Action[Any, Any],
        marks: Sequence[Action[Any, Any]],
        *beside: Action[Any, Any],
    ) -> UserLesson:
        registered = register(entitled.booking)
        rest = [*marks, *beside, *entitled.actions]
        try:
            await self.ties.db.transact(registered, taken, ended, *rest)
        except TransactionFailed as failed:
            if any(failed.failed(mark) for mark in marks):
                raise AlreadyDone from None
            if failed.failed(registered):
                raise refusals.AlreadyRegistered() from None
            if failed.failed(taken):
                raise _why_not(failed.old(taken)) from None
            for action, refusal in entitled.takes:
                if refusal is not None and failed.failed(action):
                    raise refusal from None
            raise Changed() from None
        return entitled.booking

    async def cancel(self, member: Member, slot: Slot, told: Sequence[Action[Any, Any]] | None = None) -> None:
        """Give the place back. Who had it from the waitlist may wait again. The desk may do it later than the member,
        and has them `told` in the same transaction."""
        for _ in range(_TRIES - 1):
            with contextlib.suppress(Changed):  # booked anew, or what it took has changed since it was read
                await self._cancel(member.user_id, slot, told)
                return
        await self._cancel(member.user_id, slot, told)

    async def _cancel(self, user_id: str, slot: Slot, told: Sequence[Action[Any, Any]] | None) -> None:
        by_desk = told is not None
        policy = await self.ties.policy(slot.studio_code)
        booking = await self.ties.active(user_id, slot, TieKind.BOOKING)
        now = self.ties.now()
        if not by_desk and not policy.may_cancel(booking.starts_at, now):
            raise refusals.TooLateToCancel(hours=f"{policy.cancel_until / timedelta(hours=1):g}")
        waited = await self.ties.db.get(self.ties.ref(user_id, slot, TieKind.WAITLIST))
        ended = change_status(booking, Status.CANCELLED, now)
        late = policy.is_late(booking.starts_at, now) and not by_desk
        if late:
            ended = ended.set(UserLesson.cancelled_late, True)
        actions: list[Action[Any, Any]] = [ended, *(told or ())]
        actions += await self.entitlements.returned(booking, late=late)
        if waited is not None and waited.status is Status.COMPLETED:
            actions.append(change_status(waited, Status.CANCELLED, now))
        actions += filter(None, await self.reservations.cancelling(booking, await self.timetable.find(slot)))
        try:
            await self.ties.db.transact(*actions)
        except TransactionFailed as failed:
            old = failed.old(ended) if failed.failed(ended) else booking
            if old is None or old.status is not Status.ACTIVE:
                raise refusals.NoSuchTie() from None
            raise Changed() from None
        await self.reservations.cancelled(booking)

    async def booking(self, member: Member, reservation_id: str) -> UserLesson:
        """The user's own booking of that id; what became of it, when it is over."""
        found = await self.ties.db.all(of_reservation_id(reservation_id))
        return await self.ties.own(member.user_id, sorted(found, key=lambda tie: tie.kind is not TieKind.HISTORY))


def _wishes_it(waiting: UserLesson | None, now: datetime) -> bool:
    return waiting is not None and waiting.status is Status.ACTIVE and books_itself(waiting, now)


def _same_wishes(waiting: UserLesson) -> list[Condition[UserLesson]]:
    """They may have said since it was read that they do not want to be booked."""
    until, paused = waiting.auto_book_until, waiting.paused_until
    return [
        UserLesson.auto_book_until.absent() if until is None else UserLesson.auto_book_until == until,
        UserLesson.paused_until.absent() if paused is None else UserLesson.paused_until == paused,
    ]


def _why_not(lesson: Lesson | None) -> Refusal:
    """Why a lesson had no place to take."""
    if lesson is None:
        return refusals.NoSuchLesson()
    if not lesson.is_open:
        return refusals.Closed()
    return Changed() if is_available(lesson) else refusals.Full()
