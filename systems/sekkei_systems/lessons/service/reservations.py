"""Places that a studio's own system sells: reserve there, book here, confirm there; undo what could not be finished.

A reservation is written down before the studio is asked, with a schedule that settles it should this process die:

    RESERVING   asked for; settled by releasing it
    BOOKED      booked here, in the transaction that took the place; settled by confirming it, or by undoing the booking
    RELEASING   no longer wanted; settled by releasing it
    (gone)      confirmed or released

Every step has the same key and can be sent again. Without an answer nothing is believed: the key is released, and a
studio that hears of the release first refuses the reservation.
"""

from __future__ import annotations

import contextlib
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sekkei.backoff import backoff_seconds
from sekkei.clock import Clock
from sekkei.design import Action, Check, ConditionFailed, Database, Delete, TransactionFailed, Update
from sekkei.runtime import days
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import Refusal
from sekkei.runtime.schedules import Schedules
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    Lesson,
    Reservation,
    ReservationState,
    Status,
    TieKind,
    UserLesson,
    change_status,
    contact,
    free_place,
    give_place_back,
    leave_place,
    lesson,
    lessons,
    reservations,
    user_lesson,
)
from sekkei_systems.lessons.ports.booking import BookingPort, BookingPorts, NoWord, StudioRefused
from sekkei_systems.lessons.rules.notices import Notices, quiet_pause
from sekkei_systems.lessons.rules.places import is_available
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.service.acts import Acts
from sekkei_systems.lessons.service.passes import Entitlements

_SETTLED_AFTER = timedelta(seconds=60)
_PAUSE_SECONDS_MAX = 3600.0
_KEPT = timedelta(days=30)

log = logging.getLogger("sekkei.lessons.reservations")


@dataclass
class Reservations:
    db: Database
    clock: Clock
    schedules: Schedules
    ports: BookingPorts
    outbox: Outbox
    notices: Notices
    entitlements: Entitlements
    acts: Acts

    def port(self, studio_code: str) -> BookingPort | None:
        """Those of the table are kept in step by `Connections`."""
        return self.ports.get(studio_code, self.ports.get(""))

    def _reached(self, made: Reservation) -> BookingPort:
        """Its connection may have been removed since: nothing is heard from it until it is there again."""
        port = self.port(made.studio_code)
        if port is None:
            raise NoWord("no connection")
        return port

    async def begin(self, booking: UserLesson) -> Reservation:
        """A place is held at the studio; raises Full, Closed or StudioSilent."""
        slot, port = slot_of(booking), self.port(booking.studio_code)
        assert booking.reservation_id is not None
        if port is None:
            raise refusals.StudioSilent()
        now = days.now(self.clock)
        made = Reservation(
            reservation_id=booking.reservation_id,
            user_id=booking.user_id,
            studio_code=slot.studio_code,
            lesson_date=slot.lesson_date,
            start_time=slot.start_time,
            state=ReservationState.RESERVING,
            updated_at=now,
            ttl=slot.starts_at + _KEPT,
        )
        await self._plan(made, _SETTLED_AFTER)
        await self.db.transact(reservations.put(made))
        try:
            await port.reserve(made.reservation_id, slot)
        except StudioRefused as refused:
            await self._done(made, ReservationState.RESERVING)
            raise _why(refused) from None
        except NoWord as silence:
            log.warning("a studio's system gave no answer", extra={"slot": str(slot), "why": str(silence)[:200]})
            await self._release(made)
            raise refusals.StudioSilent() from None
        return made

    def booked(self, made: Reservation) -> Action[Any, Any]:
        """For the transaction that books: the place is taken here too, if nobody has settled it meanwhile."""
        return self._step(made, ReservationState.RESERVING, ReservationState.BOOKED)

    async def confirm(self, made: Reservation, *, tell: bool = False) -> None:
        """After that transaction. Without an answer it is asked again later; raises Full when the hold had lapsed.
        `tell` whoever was told of the booking, which somebody else made for them: the refusal does not reach them."""
        try:
            await self._confirm(made)
        except NoWord:
            return  # the schedule settles it
        except StudioRefused:
            await self._undo(made, tell=tell)
            raise refusals.Full() from None

    async def drop(self, made: Reservation) -> None:
        """The transaction did not happen: nobody wants the place."""
        await self._release(made)

    async def cancelling(
        self, booking: UserLesson, there: Lesson | None
    ) -> tuple[Update[Lesson] | Check[Lesson], Action[Any, Any] | None]:
        """For the transaction that cancels: a place more, or one that is free when the studio has it back, which is
        told now or later. Where there is nothing to give back, that is still so then: a lesson that is moved
        there and back is not there for a moment."""
        slot, now, counts = slot_of(booking), days.now(self.clock), there is not None and there.booked > 0
        if booking.reservation_id is None or self.port(booking.studio_code) is None:
            return (give_place_back(there, now) if there is not None and counts else _no_place(slot, there)), None
        made = Reservation(
            reservation_id=booking.reservation_id,
            user_id=booking.user_id,
            studio_code=slot.studio_code,
            lesson_date=slot.lesson_date,
            start_time=slot.start_time,
            state=ReservationState.RELEASING,
            place_taken=counts,
            updated_at=now,
            ttl=slot.starts_at + _KEPT,
        )
        # Not sooner: a schedule that comes before its transaction finds nothing to settle, and nobody comes again.
        await self._plan(made, _SETTLED_AFTER)
        place = leave_place(there, now) if there is not None and counts else _no_place(slot, there)
        return place, reservations.put(made)

    async def cancelled(self, booking: UserLesson) -> None:
        """After that transaction: settle it at once instead of in a minute."""
        if booking.reservation_id is not None and self.port(booking.studio_code) is not None:
            await self._plan_key(booking.reservation_id, timedelta(seconds=1))

    async def settle(self, reservation_id: str) -> ReservationState | None:
        """Bring one to its end; what is left to do is planned again. Returns what it was, None when it is done."""
        found = await self.db.get(reservations(reservation_id).consistent())
        if found is None:
            return None
        if found.place_taken and self.port(found.studio_code) is None:
            kept = reservations.update(reservation_id).set(Reservation.place_taken, False)
            await self._freed(found, kept, certain=True)
        try:
            if found.state is ReservationState.BOOKED:
                await self._confirm(found)
            else:
                await self._release(found, patient=False)
        except StudioRefused:
            await self._undo(found, tell=True)
        except NoWord:
            await self._again(found)
        return found.state

    async def _confirm(self, made: Reservation) -> None:
        await self._reached(made).confirm(made.reservation_id)
        await self._done(made, ReservationState.BOOKED)

    async def _release(self, made: Reservation, *, patient: bool = True) -> None:
        """First written down, so that nobody books it meanwhile."""
        if made.state is ReservationState.RESERVING:
            try:
                await self.db.write(self._step(made, ReservationState.RESERVING, ReservationState.RELEASING))
            except ConditionFailed:
                fresh = await self.db.get(reservations(made.reservation_id).consistent())
                if fresh is None or fresh.state is not ReservationState.RELEASING:
                    return  # it was booked or settled
        try:
            await self._reached(made).release(made.reservation_id)
        except (NoWord, StudioRefused):
            if not patient:
                raise NoWord("release") from None
            return  # the schedule settles it
        if made.place_taken:
            await self._freed(made, reservations.delete(made.reservation_id), certain=made.tries == 0)
        else:
            await self._done(made, ReservationState.RELEASING)

    async def _freed(
        self, made: Reservation, settled: Update[Reservation] | Delete[Reservation], *, certain: bool
    ) -> None:
        """The studio has its place back, or sells no longer: only then is it free here too. When it was asked before,
        it is not `certain` that this happens now: a system that tells what is free has told of it, or will."""
        there: Lesson | None = await self.db.get(lesson(made.studio_code, made.lesson_date, made.start_time))
        settled = settled.when(Reservation.state == ReservationState.RELEASING, Reservation.place_taken.is_(True))
        actions: list[Action[Any, Any]] = [settled]
        if there is not None and there.booked > there.booked_here:
            told = (there.sold_out_at or there.pushed_at) is not None
            actions += [free_place(there, days.now(self.clock))] if certain or not told else []
        try:
            await self.db.transact(*actions)
        except TransactionFailed:
            await self._again(made)

    async def _undo(self, made: Reservation, *, tell: bool = False) -> None:
        """The studio sold the place to somebody else after all: the booking here ends. Whoever has been booked since a
        while, or by others, is told, and the desk sees it."""
        slot, now = Slot(made.studio_code, made.lesson_date, made.start_time), days.now(self.clock)
        key = (slot.studio_code, slot.lesson_date, slot.start_time)
        booking = await self.db.get(user_lesson(made.user_id, *key, TieKind.BOOKING))
        there: Lesson | None = await self.db.get(lesson(*key))
        gone = reservations.delete(made.reservation_id).when(Reservation.state == ReservationState.BOOKED)
        actions: list[Action[Any, Any]] = [gone]
        if booking is not None and booking.status is Status.ACTIVE and booking.reservation_id == made.reservation_id:
            actions.append(change_status(booking, Status.CANCELLED, now))
            actions += [_undone(there, now)] if there is not None and there.booked > 0 else []
            actions += await self.entitlements.returned(booking)
            waited = await self.db.get(user_lesson(made.user_id, *key, TieKind.WAITLIST).consistent())
            if waited is not None and waited.status is Status.COMPLETED:  # it ended with the booking
                actions.append(change_status(waited, Status.CANCELLED, now))
            actions += await self._told(slot, booking) if tell else []
        try:
            await self.db.transact(*actions)
        except TransactionFailed:
            await self._again(made)

    async def _told(self, slot: Slot, booking: UserLesson) -> list[Action[Any, Any]]:
        person = await self.db.get(contact(booking.user_id))
        # As long as word of the booking waits, or they would hear of its end first.
        pause = quiet_pause(person, days.now(self.clock), booking.starts_at)
        name = booking.guest_name or (person.name if person else booking.user_id)
        return [
            *await self.acts.refused(slot, booking, name),
            *[
                self.outbox.message(
                    kind, str(body["to"]), body, id=f"undone/{booking.reservation_id}/{kind}", after=pause
                )
                for kind, body in self.notices.refused(person, booking).items()
            ],
        ]

    async def _again(self, made: Reservation) -> None:
        tries = made.tries + 1
        update = reservations.update(made.reservation_id).set(Reservation.tries, tries)
        try:
            await self.db.write(update.when(Reservation.state.exists()))
        except ConditionFailed:
            return
        pause = backoff_seconds(tries + 1, first=_SETTLED_AFTER.total_seconds(), longest=_PAUSE_SECONDS_MAX)
        await self._plan(made, timedelta(seconds=pause))

    async def _done(self, made: Reservation, state: ReservationState) -> None:
        """Nothing is left to do, unless somebody has cancelled meanwhile."""
        with contextlib.suppress(ConditionFailed):
            await self.db.write(reservations.delete(made.reservation_id).when(Reservation.state == state))

    async def _plan(self, made: Reservation, after: timedelta) -> None:
        await self._plan_key(made.reservation_id, after)

    async def _plan_key(self, key: str, after: timedelta) -> None:
        at: datetime = days.now(self.clock) + after
        await self.schedules.put(f"lessons/settle/{key}", "settle", {"reservation": key}, at=at)

    def _step(self, made: Reservation, before: ReservationState, after: ReservationState) -> Update[Reservation]:
        update = reservations.update(made.reservation_id).set(Reservation.state, after)
        return update.set(Reservation.updated_at, days.now(self.clock)).when(Reservation.state == before)


def _undone(there: Lesson, now: datetime) -> Update[Lesson]:
    """Somebody else has the place of a full lesson, until the studio's system says otherwise."""
    if there.sold_out_at is not None and not is_available(there):
        return leave_place(there, now)
    return give_place_back(there, now)


def _why(refused: StudioRefused) -> Refusal:
    if refused.reason == "no-such-lesson":
        return refusals.NoSuchLesson()
    return refusals.Closed() if refused.reason == "closed" else refusals.Full()


def _no_place(slot: Slot, there: Lesson | None) -> Check[Lesson]:
    key = slot.studio_code, slot.lesson_date, slot.start_time
    return lessons.must_not_exist(*key) if there is None else lessons.must_exist(*key).when(~(Lesson.booked > 0))
