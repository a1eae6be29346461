"""Where the number of free places comes from: the interface."""

from __future__ import annotations

from datetime import date
from typing import Any, Protocol

from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.rules.drafts import LessonDraft
from sekkei_systems.lessons.rules.places import CAPACITY_MAX, Availability


class Provider(Protocol):
    """Asked once per lesson and pass; None when it cannot say now."""

    async def list(self, studio_code: str, first: date, last: date) -> list[LessonDraft] | None: ...

    async def availability(self, lesson: Lesson) -> Availability | None: ...


def availability_in(content: Any) -> Availability:
    """From a feed or a push; raises ValueError when it is not what was agreed."""
    if not isinstance(content, dict):
        raise ValueError("an object is expected")
    available, total, is_open = content.get("available"), content.get("total"), content.get("isOpen", True)
    for number in (available, total):
        if number is None:
            continue
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= CAPACITY_MAX:
            raise ValueError(f"available and total are whole numbers up to {CAPACITY_MAX}, or null")
    if available is not None and total is not None and available > total:
        raise ValueError("there cannot be more available than in total")
    if not isinstance(is_open, bool):
        raise ValueError("isOpen is true or false")
    return Availability(available, total, is_open)
