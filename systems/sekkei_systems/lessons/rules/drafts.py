"""What somebody says of a lesson. What is left out stays as it was; only what is said is changed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime, time
from typing import Any

from msgspec import UNSET, UnsetType

from sekkei.design import replace
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.rules.slots import Slot, slot_of


@dataclass(frozen=True, slots=True)
class LessonDraft:
    """UNSET: nothing was said. None: there is none."""

    slot: Slot
    lesson_name: str | UnsetType = UNSET
    instructor: str | UnsetType = UNSET
    end_time: time | UnsetType | None = UNSET
    capacity: int | UnsetType | None = UNSET
    """None: no limit."""
    program: str | UnsetType = UNSET
    lesson_id: str | UnsetType = UNSET
    is_open: bool | UnsetType = UNSET
    called_off: bool | UnsetType = UNSET
    """False brings back one that was called off."""
    called_off_words: str | UnsetType | None = UNSET
    made_by: str | UnsetType = UNSET

    @property
    def said(self) -> dict[str, Any]:
        """What is said, by the names of a lesson's fields."""
        named = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "slot"}
        return {name: value for name, value in named.items() if value is not UNSET}

    @property
    def brings_back(self) -> bool:
        return self.called_off is False

    def fresh(self, now: datetime) -> Lesson:
        """A new lesson; what is not said is as usual."""
        slot, said = self.slot, self.said
        return Lesson(
            studio_code=slot.studio_code,
            lesson_date=slot.lesson_date,
            start_time=slot.start_time,
            updated_at=now,
            **{"lesson_name": "", "instructor": "", **said, "is_open": self.opens(True)},
        )

    def onto(self, there: Lesson) -> Lesson:
        """The lesson that is there, with what is said."""
        otherwise = there.is_open or (there.called_off and self.brings_back)
        return replace(there, **{**self.said, "is_open": self.opens(otherwise)})

    def opens(self, otherwise: bool) -> bool:
        """Whether it takes bookings: called off it does not, and brought back it does unless it is said."""
        is_open = otherwise if self.is_open is UNSET else bool(self.is_open)
        return is_open and self.called_off is not True


def draft_of(lesson: Lesson) -> LessonDraft:
    """Everything that a lesson is, but whether it is called off."""
    return LessonDraft(
        slot_of(lesson),
        lesson_name=lesson.lesson_name,
        instructor=lesson.instructor,
        end_time=lesson.end_time,
        capacity=lesson.capacity,
        program=lesson.program or UNSET,
        lesson_id=lesson.lesson_id or UNSET,
        is_open=lesson.is_open,
    )
