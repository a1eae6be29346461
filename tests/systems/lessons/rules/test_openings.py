"""Who is told of a free place, out of a queue."""

from __future__ import annotations

from datetime import datetime, timedelta

from sekkei_systems.lessons.design import TieKind, UserLesson
from sekkei_systems.lessons.rules.openings import holds_offer, offers_left, untold
from sekkei_systems.lessons.rules.policy import Fairness
from tests.systems.lessons.world import LESSON

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
