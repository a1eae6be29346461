"""Takes a timetable that was read from a file or feed into the store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sekkei.runtime.refusals import Refusal
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.rules.slots import slot_of
from sekkei_systems.lessons.service.timetable import Timetable


@dataclass(slots=True)
class Taken:
    """What became of a timetable."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    refused: list[str] = field(default_factory=list)


async def take_in(timetable: Timetable, found: Iterable[Lesson], *, dry: bool = False) -> Taken:
    """Put lessons into the timetable. May be repeated; what is booked stays booked."""
    taken = Taken()
    for lesson in found:
        there = await timetable.find(slot_of(lesson))
        if there is not None and _said(there) == _said(lesson):
            taken.unchanged += 1
            continue
        try:
            if dry:
                timetable.check(lesson, there)
            else:
                await timetable.save(lesson)
        except Refusal as refusal:
            taken.refused.append(f"{slot_of(lesson)}: {refusal.text('en')}")
            continue
        taken.added += there is None
        taken.changed += there is not None
    return taken


def _said(lesson: Lesson) -> tuple[object, ...]:
    is_open = lesson.is_open and not lesson.called_off
    return lesson.lesson_name, lesson.instructor, lesson.end_time, lesson.capacity, is_open, lesson.called_off
