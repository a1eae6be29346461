"""Takes a timetable that was read from a file or feed into the store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sekkei.runtime.refusals import Refusal
from sekkei_systems.lessons.rules.drafts import LessonDraft
from sekkei_systems.lessons.service.timetable import Timetable


@dataclass(slots=True)
class Taken:
    """What became of a timetable."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    refused: list[str] = field(default_factory=list)


async def take_in(timetable: Timetable, found: Iterable[LessonDraft], *, dry: bool = False) -> Taken:
    """Put lessons into the timetable. May be repeated; what is booked stays booked, what is not said stays as it is."""
    taken = Taken()
    for draft in found:
        there = await timetable.find(draft.slot)
        if there is not None and draft.onto(there) == there:
            taken.unchanged += 1
            continue
        try:
            if dry:
                timetable.check(draft, there)
            elif there is None:
                await timetable.add(draft)
            else:
                await timetable.change(draft)
        except Refusal as refusal:
            taken.refused.append(f"{draft.slot}: {refusal.text('en')}")
            continue
        taken.added += there is None
        taken.changed += there is not None
    return taken
