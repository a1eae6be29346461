"""Which lessons fit a saved search."""

from __future__ import annotations

from sekkei_systems.lessons.design import Lesson, Search, plain


def fits(search: Search, lesson: Lesson) -> bool:
    """Whether a lesson is what somebody looks for."""
    names = {plain(name) for name in (lesson.program, lesson.lesson_name) if name}
    return (
        (search.studio_code is None or search.studio_code == lesson.studio_code)
        and (search.program is None or plain(search.program) in names)
        and (search.instructor is None or plain(search.instructor) == plain(lesson.instructor))
        and (not search.weekdays or lesson.lesson_date.weekday() in search.weekdays)
        and (search.time_from is None or lesson.start_time >= search.time_from)
        and (search.time_until is None or lesson.start_time < search.time_until)
    )
