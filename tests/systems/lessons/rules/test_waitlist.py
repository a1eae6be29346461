from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from msgspec import UNSET

from sekkei_systems.days import JST
from sekkei_systems.lessons.design import TieKind, UserLesson
from sekkei_systems.lessons.refusals import BadPause, BadWish
from sekkei_systems.lessons.rules.policy import Fairness
from sekkei_systems.lessons.rules.waitlist import Wishes, holds_offer, offers_left, untold
from tests.systems.lessons.world import LESSON

# Who is told of a free place, out of a queue.


NOW = LESSON.starts_at - timedelta(days=1)
NEVER = timedelta()


def waits(user: str, **more: object) -> UserLesson:
    return UserLesson(
        user_id=user,
        studio_code="gnz",
        lesson_date=LESSON.lesson_date,
        start_time=LESSON.start_time,
        lesson_name="House",
        instructor="YUKI",
        kind=TieKind.WAITLIST,
        created_at=NOW,
        updated_at=NOW,
        **more,  # type: ignore[arg-type]
    )


def told(queue: list[UserLesson], places: int | None, mode: Fairness, now: datetime = NOW) -> list[str]:
    return [tie.user_id for tie in untold(queue, 1, now, NEVER)[: offers_left(queue, places, mode, now)]]


def test_everybody_or_as_many_as_there_are_places() -> None:
    queue = [waits("a"), waits("b"), waits("c", notify_episode=1)]
    assert told(queue, 1, Fairness.BROADCAST) == ["a", "b"], "c knows of this opening"
    assert told(queue, 1, Fairness.FIRST_IN_LINE) == ["a"]
    assert told(queue, None, Fairness.FIRST_IN_LINE) == ["a", "b"], "there is room for all"


def test_who_is_paused_is_left_out_until_then() -> None:
    queue = [waits("a", paused_until=NOW + timedelta(hours=1)), waits("b")]
    assert told(queue, 1, Fairness.FIRST_IN_LINE) == ["b"]
    assert told(queue, 1, Fairness.FIRST_IN_LINE, NOW + timedelta(hours=1)) == ["a"]


def test_a_place_that_is_held_is_not_offered_twice() -> None:
    held = waits("a", notify_episode=1, offer_until=NOW + timedelta(minutes=1))
    assert told([held, waits("b")], 1, Fairness.FIRST_IN_LINE) == []
    assert told([held, waits("b")], 2, Fairness.FIRST_IN_LINE) == ["b"]
    later = NOW + timedelta(minutes=1)
    assert (holds_offer(held, NOW), holds_offer(held, later), holds_offer(None, NOW)) == (True, False, False)


MONDAY = datetime(2025, 7, 28, 12, 0, tzinfo=JST)


def test_what_is_not_said_stays_and_none_ends_it() -> None:
    assert (Wishes().auto_book_until(LESSON), Wishes().resumes(LESSON, MONDAY)) == (UNSET, UNSET)
    assert (Wishes(None, None).auto_book_until(LESSON), Wishes(None, None).resumes(LESSON, MONDAY)) == (None, None)


def test_hours_count_from_the_start_and_a_pause_ends_with_its_day() -> None:
    assert Wishes(6).auto_book_until(LESSON) == LESSON.starts_at - timedelta(hours=6)
    assert Wishes(UNSET, date(2025, 7, 29)).resumes(LESSON, MONDAY) == datetime(2025, 7, 29, tzinfo=JST)


def test_what_makes_no_sense_is_refused() -> None:
    for hours in (-1, 337):
        with pytest.raises(BadWish):
            Wishes(hours).auto_book_until(LESSON)
    for day in (date(2025, 7, 28), date(2025, 7, 31)):
        with pytest.raises(BadPause):
            Wishes(UNSET, day).resumes(LESSON, MONDAY)
