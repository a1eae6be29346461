"""What is said of a lesson, and what is not."""

from __future__ import annotations

from datetime import time
from typing import Any

import pytest

from sekkei_systems.lessons.rules.drafts import LessonDraft, draft_of
from tests.systems.lessons.rules.test_places import lesson
from tests.systems.lessons.world import LESSON

THERE = lesson(capacity=5, is_open=True, program="BSL", end_time=time(20, 15))


def test_a_draft_of_a_lesson_changes_nothing() -> None:
    assert draft_of(THERE).onto(THERE) == THERE
    assert LessonDraft(LESSON).onto(THERE) == THERE


def test_none_is_something_that_is_said() -> None:
    found = LessonDraft(LESSON, capacity=None, end_time=None).onto(THERE)
    assert (found.capacity, found.end_time, found.program) == (None, None, "BSL")


@pytest.mark.parametrize(
    ("there", "said", "expected"),
    [
        ({}, {"called_off": True}, (True, False)),
        ({"called_off": True, "is_open": False}, {}, (True, False)),
        ({"called_off": True, "is_open": False}, {"called_off": False}, (False, True)),
        ({"called_off": True, "is_open": False}, {"called_off": False, "is_open": False}, (False, False)),
        ({"is_open": False}, {"called_off": False}, (False, False)),
        ({"is_open": False}, {"is_open": True}, (False, True)),
    ],
)
def test_called_off_and_open(there: dict[str, Any], said: dict[str, Any], expected: tuple[bool, bool]) -> None:
    found = LessonDraft(LESSON, **said).onto(lesson(**there))
    assert (found.called_off, found.is_open) == expected


def test_a_fresh_one_is_open_and_without_limit_unless_said() -> None:
    found = LessonDraft(LESSON, lesson_name="a", instructor="b").fresh(LESSON.starts_at)
    assert (found.capacity, found.is_open, found.called_off) == (None, True, False)
    assert not LessonDraft(LESSON, called_off=True).fresh(LESSON.starts_at).is_open
