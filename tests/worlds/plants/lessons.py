"""Faults for the world of lessons, one for each of its promises."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.plants.planting import (
    Planted,
    a_failed_try_is_the_last,
    a_message_is_never_sent,
    every_worker_that_finds_a_message_sends_it,
    nothing,
    on_unconditional,
)


def a_lesson_is_overbooked(patch: pytest.MonkeyPatch) -> None:
    """A place is taken whether there is one or not."""
    from sekkei_systems.lessons.service import bookings

    on_unconditional(patch, bookings, "take_place")


def a_booking_leaves_the_waiting_list_as_it_is(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.design import TieKind, UserLesson
    from sekkei_systems.lessons.rules.slots import slot_of
    from sekkei_systems.lessons.service.bookings import Bookings

    def ended(self: Bookings, booking: UserLesson, waiting: UserLesson | None, now: Any) -> Any:
        return self.ties.as_seen(booking.user_id, slot_of(booking), TieKind.WAITLIST, waiting)

    patch.setattr(Bookings, "_ended", ended)


def a_place_is_never_released_at_the_studio(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.ports.booking import HttpBooking

    patch.setattr(HttpBooking, "release", nothing())


def what_the_studio_did_not_answer_is_left_alone(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.service.reservations import Reservations

    patch.setattr(Reservations, "settle", nothing())


def an_opening_is_told_by_everybody_who_sees_it(patch: pytest.MonkeyPatch) -> None:
    """The message goes out at once, beside the outbox that sends it once."""
    from sekkei.worlds.fake_services import Outside

    sound = Outside.send

    async def send(self: Outside, message: Any) -> str:
        if "lessons" in message.id:
            await sound(self, message)
        return await sound(self, message)

    patch.setattr(Outside, "send", send)


def a_schedule_fails_for_good(patch: pytest.MonkeyPatch) -> None:
    from sekkei.runtime import schedules
    from sekkei_systems.lessons.jobs import LessonJobs

    patch.setattr(schedules, "ATTEMPTS_MAX", 2)

    async def settle(self: LessonJobs, payload: Any) -> None:
        raise ValueError("it cannot be settled")

    patch.setattr(LessonJobs, "settle", settle)


def a_booking_that_is_moved_stays_where_it_was(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.design import UserLesson
    from sekkei_systems.lessons.service import moves

    sound = moves.change_status

    def change_status(tie: UserLesson, status: Any, now: Any) -> Any:
        return sound(tie, tie.status, now)

    patch.setattr(moves, "change_status", change_status)


def a_ticket_comes_back_twice(patch: pytest.MonkeyPatch) -> None:
    """A lesson that is called off gives it back, and so does whoever brings it back."""
    from sekkei_systems.lessons.service import restoring

    patch.setattr(restoring.Entitled, "actions", property(lambda self: []))


def a_week_is_never_given_back(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.service.passes import Entitlements

    patch.setattr(Entitlements, "_uncounted", nothing(()))


def an_absence_is_never_forgiven(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.service.passes import Entitlements

    async def forgiven(self: Entitlements, booking: Any) -> list[Any]:
        return []

    patch.setattr(Entitlements, "forgiven", forgiven)


def the_queue_books_and_says_nothing(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.rules.notices import Notices

    patch.setattr(Notices, "booked_from_queue", lambda self, person, tie: {})
    patch.setattr(Notices, "booked_by_desk", lambda self, person, tie: {})


def the_desk_cancels_and_says_nothing(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.rules.notices import Notices

    patch.setattr(Notices, "cancelled_by_desk", lambda self, person, lesson: {})


def a_lesson_that_is_off_can_be_liked(patch: pytest.MonkeyPatch) -> None:
    """As it was: it ends with the next look, and they hear again that the lesson is off."""
    from sekkei.design import TransactionFailed
    from sekkei_systems.lessons import refusals
    from sekkei_systems.lessons.design import TieKind, register
    from sekkei_systems.lessons.service.lists import Favorites

    async def add(self: Any, member: Any, slot: Any, notes: str | None = None) -> Any:
        liked = self.ties.made(member.user_id, await self.timetable.upcoming(slot), TieKind.FAVORITE, notes=notes)
        try:
            await self.ties.db.transact(register(liked))
        except TransactionFailed:
            raise refusals.AlreadyRegistered() from None
        return liked

    patch.setattr(Favorites, "add", add)


def a_lesson_that_is_brought_back_stays_closed(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.service import restoring

    patch.setattr(restoring, "is_arriving", nothing(answer=True))


def nobody_comes_back_with_a_lesson(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.service.restoring import Restoring

    patch.setattr(Restoring, "restore", nothing(0))


def whoever_leaves_keeps_their_passes(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.service.personal import LessonPeople

    patch.setattr(LessonPeople, "_held", nothing([]))


def the_queue_books_whoever_waits(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.service import bookings, monitor

    for one in (monitor, bookings):  # the one looks, the other books
        patch.setattr(one, "books_itself", lambda tie, now: True)


def an_opening_is_counted_and_told_to_nobody(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.service.monitor import Monitor

    patch.setattr(Monitor, "_tell_in_order", nothing(0))


def what_a_studio_pushes_is_not_heard(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.service.monitor import Monitor

    patch.setattr(Monitor, "pushed", nothing(0))


def one_channel_is_enough(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.rules import notices

    sound = notices.addresses_of

    def first(person: Any) -> dict[str, str]:
        return dict(list(sound(person).items())[:1])

    patch.setattr(notices, "addresses_of", first)


def a_place_the_studio_has_back_stays_taken_here(patch: pytest.MonkeyPatch) -> None:
    from sekkei.design import TransactionFailed
    from sekkei_systems.lessons.design import Reservation, ReservationState
    from sekkei_systems.lessons.service.reservations import Reservations

    async def freed(self: Any, made: Any, settled: Any, *, certain: bool) -> None:
        settled = settled.when(Reservation.state == ReservationState.RELEASING, Reservation.place_taken.is_(True))
        try:
            await self.db.transact(settled)
        except TransactionFailed:
            await self._again(made)

    patch.setattr(Reservations, "_freed", freed)


def whoever_is_blocked_books(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.service.passes import Entitlements

    patch.setattr(Entitlements, "_in_good_standing", nothing())


def whoever_signs_in_is_of_the_desk(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.design import Role
    from sekkei_systems.lessons.service.access import Access

    patch.setattr(Access, "role", nothing(Role.MANAGER))


ROLL = "books", "books", "books", "calls_the_roll"
PLANTS = [
    Planted("lessons", a_place_the_studio_has_back_stays_taken_here, "no_place_leaks", 2),
    Planted("lessons", whoever_is_blocked_books, "nobody_books_while_they_are_blocked", 2, ROLL),
    Planted("lessons", whoever_signs_in_is_of_the_desk, "tries_what_is_not_theirs", 1),
    Planted("lessons", a_failed_try_is_the_last, "what_is_sent_was_received", 0),
    Planted("lessons", a_lesson_is_overbooked, "places_equal_bookings", 7),
    Planted("lessons", a_booking_leaves_the_waiting_list_as_it_is, "nobody_waits_for_what_they_have", 15),
    Planted("lessons", a_place_is_never_released_at_the_studio, "both_sides_agree", 2),
    Planted("lessons", what_the_studio_did_not_answer_is_left_alone, "nothing_is_half_done_at_the_studio", 0),
    Planted("lessons", an_opening_is_told_by_everybody_who_sees_it, "nobody_is_told_twice", 0),
    Planted("lessons", every_worker_that_finds_a_message_sends_it, "nobody_is_told_twice", 0),
    Planted("lessons", a_booking_that_is_moved_stays_where_it_was, "a_booking_has_one_place", 3),
    Planted("lessons", a_ticket_comes_back_twice, "tickets_equal_bookings", 0),
    Planted("lessons", a_week_is_never_given_back, "weeks_equal_bookings", 3),
    Planted(
        "lessons",
        an_absence_is_never_forgiven,
        "absences_equal_the_roll",
        13,
        ("books", "lets_somebody_in", "calls_the_roll", "cancels_for_somebody"),
    ),
    Planted("lessons", the_queue_books_and_says_nothing, "whoever_is_booked_by_others_is_told", 1),
    Planted("lessons", the_desk_cancels_and_says_nothing, "whoever_loses_a_place_is_told", 0),
    Planted(
        "lessons",
        a_lesson_that_is_off_can_be_liked,
        "nobody_hears_of_an_end_more_often_than_it_came",
        0,
        ("likes", "calls_off"),
    ),
    Planted("lessons", a_lesson_that_is_brought_back_stays_closed, "what_takes_place_can_be_booked", 3),
    Planted("lessons", nobody_comes_back_with_a_lesson, "everybody_goes_with_their_lesson", 22),
    Planted("lessons", whoever_leaves_keeps_their_passes, "nothing_remains_of_whoever_left", 1, ("books", "leaves")),
    Planted("lessons", the_queue_books_whoever_waits, "the_queue_books_only_as_wished", 8),
    Planted("lessons", an_opening_is_counted_and_told_to_nobody, "no_place_goes_begging", 8),
    Planted("lessons", what_a_studio_pushes_is_not_heard, "what_the_studio_says_stands_here", 7),
    Planted("lessons", one_channel_is_enough, "every_channel_says_the_same", 8),
    Planted("lessons", a_schedule_fails_for_good, "nothing_is_given_up", 0),
    Planted("lessons", a_message_is_never_sent, "everything_ends", 16),
]
