"""What people enter about an event. A value that a form did not ask for is UNSET, and stays as it is.

`SHARED` is the one list of what forms, templates and series have alike; a field has one name in `EventFields`, `Event`
and `Template`. Discord's forms have five inputs, so a further field is asked for on the page alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType, ValidationError, structs

from sekkei.kit.text import many_lines
from sekkei.kit.typed import Line, Text, text_reader
from sekkei_systems.eventbot.design import Event, Repeat, Template
from sekkei_systems.eventbot.refusals import BadCapacity, Missing, TooLong
from sekkei_systems.eventbot.rules.options import Written

TITLE_MAX = 100
DESCRIPTION_MAX = 1500
LOCATION_MAX = 100
CAPACITY_MAX = 10_000
BODY_MAX = 1800
"""Of a notice."""
TEXT_MAX = 1500
"""Of a message to people who joined."""
T = TypeVar("T")


class EventFields(Struct, Generic[T], frozen=True):
    """`T` is a number of places: as a text of a form, or read."""

    title: Annotated[str, Line(TITLE_MAX)] | UnsetType = UNSET
    description: Annotated[str, Text(DESCRIPTION_MAX)] | UnsetType | None = UNSET
    location: Annotated[str, Line(LOCATION_MAX, 0)] | UnsetType | None = UNSET
    capacity: T | UnsetType | None = UNSET


SHARED = EventFields.__struct_fields__
_READERS = {field.name: read for field in structs.fields(EventFields[int]) if (read := text_reader(field.type))}


class Draft(EventFields[int], kw_only=True, frozen=True):
    """What a person enters about an event, already read into values."""

    start: datetime | UnsetType | None = UNSET
    end: datetime | None = None
    options: tuple[Written, ...] = ()
    ping: str | None = None
    """A role that the post rings; whoever says so may."""

    @property
    def shared(self) -> dict[str, Any]:
        return {name: value for name in SHARED if (value := getattr(self, name)) is not UNSET}


@dataclass(frozen=True, slots=True)
class Details:
    """The rest of it: what most events leave as it is."""

    deadline: datetime | None = None
    remind_at: datetime | None = None
    end: datetime | None = None
    repeat: Repeat | None = None
    waiting_list: bool = True
    further: tuple[datetime, ...] = ()
    """More reminders."""


@dataclass(frozen=True, slots=True)
class NewNotice:
    """What a person says of a notice."""

    title: str
    body: str
    remind_at: datetime | None = None


def checked(draft: Draft) -> Draft:
    """Return the draft with its texts cleaned; refuse what does not fit into a message."""
    texts = {name: _text(name, value) for name, value in draft.shared.items() if name in _READERS}
    capacity = draft.capacity
    if isinstance(capacity, int) and not 1 <= capacity <= CAPACITY_MAX:
        raise BadCapacity(field="capacity", most=CAPACITY_MAX)
    return structs.replace(draft, **texts)


def _text(name: str, value: str | None) -> str | None:
    try:
        return _READERS[name](value or "") or None
    except ValidationError:
        raise (TooLong(field=name, most=_most(name)) if many_lines(value or "") else Missing(field=name)) from None


def _most(name: str) -> int:
    schema = msgspec.json.schema(next(field.type for field in structs.fields(EventFields[int]) if field.name == name))
    most: int = schema.get("anyOf", [schema])[0]["maxLength"]
    return most


def values_of(source: Event | Template | None) -> dict[str, str]:
    """Return what stands in a form's inputs."""
    return {name: str(getattr(source, name) or "") if source else "" for name in SHARED}


def read_capacity(text: str) -> int | None:
    """A number of places, or none for no limit; full-width digits and 人 are fine."""
    cleaned = text.strip().removesuffix("人").removesuffix("名").strip()
    if not cleaned or cleaned in ("なし", "無制限", "-"):
        return None
    if not cleaned.isdecimal() or len(cleaned) > 6:
        raise BadCapacity(field="capacity", most=CAPACITY_MAX)
    return int(cleaned)
