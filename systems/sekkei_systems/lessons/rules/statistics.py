"""Attendance out of a user's history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sekkei_systems.lessons.design import UserLesson


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
