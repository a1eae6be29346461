"""What people enter about a lesson, and a draft of one: only what was entered is changed.

`LessonFields` is the one list of these fields. Forms, the API, files, feeds, weekly lessons and the timetable go by it.
A value is UNSET where nothing was entered, and None where there is none.
"""

from __future__ import annotations

from datetime import datetime, time
from typing import Annotated, Any, Generic, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType, ValidationError, structs

from sekkei.design import replace
from sekkei.kit.typed import Line, text_reader
from sekkei_systems.lessons.design import Lesson, WeeklyLesson
from sekkei_systems.lessons.refusals import BadLesson
from sekkei_systems.lessons.rules.entered import time_in
from sekkei_systems.lessons.rules.places import CAPACITY_MAX, LESSON_NAME_MAX
from sekkei_systems.lessons.rules.slots import Slot, slot_of

T = TypeVar("T")
Name = Annotated[str, Line(LESSON_NAME_MAX)]
Capacity = Annotated[int, Meta(ge=0, le=CAPACITY_MAX)]
_SPELT = {"lesson_name": "name", "end_time": "end", "lesson_id": "id"}


def spelt(name: str) -> str:
    """Return how the API and files spell a field."""
    first, *words = _SPELT.get(name, name).split("_")
    return first + "".join(map(str.capitalize, words))


class LessonFields(Struct, Generic[T], kw_only=True, frozen=True, rename=spelt):
    """What people enter about a lesson. `T` is a time: as text of a form or of the API, or read."""

    lesson_name: Name | UnsetType = UNSET
    instructor: Name | UnsetType = UNSET
    end_time: T | UnsetType | None = UNSET
    capacity: Capacity | UnsetType | None = UNSET
    """None: no limit."""
    program: Name | UnsetType | None = UNSET


class WholeLesson(LessonFields[T], Generic[T], kw_only=True, frozen=True, rename=spelt):
    """A new lesson; what is left out is as usual."""

    lesson_name: Name
    instructor: Name


ENTERED = LessonFields.__struct_fields__
NEEDED = tuple(field.name for field in structs.fields(WholeLesson) if field.required)
READERS = {field.name: read for field in structs.fields(LessonFields[time]) if (read := text_reader(field.type))}
"""Of the fields that are texts: what cleans one and refuses one that is too long."""


class LessonDraft(LessonFields[time], frozen=True):
    slot: Slot
    lesson_id: str | UnsetType = UNSET
    is_open: bool | UnsetType = UNSET
    called_off: bool | UnsetType = UNSET
    """False brings back one that was called off."""
    called_off_words: str | UnsetType | None = UNSET
    made_by: str | UnsetType = UNSET

    @property
    def said(self) -> dict[str, Any]:
        """What is said, by the names of a lesson's fields."""
        values = {name: getattr(self, name) for name in self.__struct_fields__ if name != "slot"}
        return {name: value for name, value in values.items() if value is not UNSET}

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
            **{**dict.fromkeys(NEEDED, ""), **said, "is_open": self.opens(True)},
        )

    def onto(self, there: Lesson) -> Lesson:
        """The lesson that is there, with what is said."""
        otherwise = there.is_open or (there.called_off and self.brings_back)
        return replace(there, **{**self.said, "is_open": self.opens(otherwise)})

    def opens(self, otherwise: bool) -> bool:
        """Whether it takes bookings: called off it does not, and brought back it does unless it is said."""
        is_open = otherwise if self.is_open is UNSET else bool(self.is_open)
        return is_open and self.called_off is not True


def values_of(entered: LessonFields[Any] | Lesson | WeeklyLesson) -> dict[str, Any]:
    """Return the fields that people enter, by name; a time that is a text is read."""
    values = {name: getattr(entered, name) for name in ENTERED}
    if isinstance(values["end_time"], str):
        values["end_time"] = time_in(values["end_time"], "end_time")
    return values


def texts_of(lesson: Lesson | WeeklyLesson) -> dict[str, Any]:
    """Return the same as an answer or a form has it: times as 19:30."""
    values = values_of(lesson)
    return {name: f"{value:%H:%M}" if isinstance(value, time) else value for name, value in values.items()}


def text_in(name: str, text: str) -> str:
    """Return the text of a field, cleaned; refuse one that is empty or too long."""
    try:
        return READERS[name](text)
    except ValidationError:
        raise BadLesson(field=name) from None


def draft_of(lesson: Lesson) -> LessonDraft:
    """Everything that a lesson is, but whether it is called off."""
    return LessonDraft(
        slot_of(lesson), **values_of(lesson), lesson_id=lesson.lesson_id or UNSET, is_open=lesson.is_open
    )
