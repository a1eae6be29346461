"""Faults for the world of lessons, one for each of its promises."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.plants.planting import Planted, a_message_is_never_sent, nothing, on_unconditional


def a_lesson_is_overbooked(patch: pytest.MonkeyPatch) -> None:
    """A place is taken whether there is one or not."""
    from sekkei_systems.lessons.service import bookings

    on_unconditional(patch, bookings, "take_place")


def a_booking_leaves_the_waiting_list_as_it_is(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.design import TieKind, UserLesson
    from sekkei_systems.lessons.rules.slots import slot_of
    from sekkei_systems.lessons.service.bookings import Bookings

    def ended(self: Bookings, booking: UserLesson, waiting: UserLesson | None, now: Any) -> Any:
        return self._ties.as_seen(booking.user_id, slot_of(booking), TieKind.WAITLIST, waiting)

    patch.setattr(Bookings, "_ended", ended)


def a_place_is_never_released_at_the_studio(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.ports.booking.http import HttpBooking

    patch.setattr(HttpBooking, "release", nothing())


def what_the_studio_did_not_answer_is_left_alone(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.service.reservations import Reservations

    patch.setattr(Reservations, "settle", nothing())


def an_opening_is_told_by_everybody_who_sees_it(patch: pytest.MonkeyPatch) -> None:
    """The message goes out at once, beside the outbox that sends it once."""
    from sekkei.worlds.outside import Outside

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


PLANTS = [
    Planted("lessons", a_lesson_is_overbooked, "places_equal_bookings", 29),
    Planted("lessons", a_booking_leaves_the_waiting_list_as_it_is, "nobody_waits_for_what_they_have", 7),
    Planted("lessons", a_place_is_never_released_at_the_studio, "both_sides_agree", 2),
    Planted("lessons", what_the_studio_did_not_answer_is_left_alone, "nothing_is_half_done_at_the_studio", 0),
    Planted("lessons", an_opening_is_told_by_everybody_who_sees_it, "nobody_is_told_of_an_opening_twice", 0),
    Planted("lessons", a_schedule_fails_for_good, "nothing_is_given_up", 0),
    Planted("lessons", a_message_is_never_sent, "everything_ends", 0),
]
