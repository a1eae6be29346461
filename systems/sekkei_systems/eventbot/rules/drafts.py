"""What people enter about an event. A value that a form did not ask for is UNSET, and stays as it is.

`SHARED` is the one list of what forms, templates and series have alike; a field has one name in `EventFields`, `Event`
and `Template`. Discord's forms have five inputs, so a further field is asked for on the page alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType, ValidationError, structs

from sekkei.kit.text import many_lines, one_line
from sekkei.kit.typed import Line, Text, text_reader
from sekkei_systems.eventbot.design import Event, Repeat, SignUpOption, Template
from sekkei_systems.eventbot.refusals import BadCapacity, BadOption, Missing, SameOption, TooLong, TooManyOptions
from sekkei_systems.eventbot.rules.markdown import leading_emoji

# Sign-up options as people write them, one a line: `🛡️ Tank 2`, `初心者 10人`, `DPS`.


_OPTIONS_MAX = 10
"""Two rows of buttons."""
_OPTION_NAME_MAX = 30
_OPTION_PLACES_MAX = 1000
_PLACES = re.compile(r"(?:[\s:：]+([0-9０-９]{1,4})\s*(?:人|名)?|([0-9０-９]{1,4})\s*(?:人|名))$")


@dataclass(frozen=True, slots=True)
class Written:
    """One line, read."""

    name: str
    emoji: str | None = None
    capacity: int | None = None


def read_options(text: str) -> list[Written]:
    """Raises BadOption, SameOption, TooManyOptions."""
    found = [_read_line(line.strip()) for line in text.splitlines() if line.strip()]
    if len(found) > _OPTIONS_MAX:
        raise TooManyOptions(field="options", most=_OPTIONS_MAX)
    seen: set[str] = set()
    for one in found:
        if one.name.casefold() in seen:
            raise SameOption(field="options", name=one.name)
        seen.add(one.name.casefold())
    return found


def _read_line(line: str) -> Written:
    picture, rest = leading_emoji(line)
    places = _PLACES.search(rest)
    capacity = int(places[1] or places[2]) if places else None
    name = one_line(rest[: places.start()] if places else rest)
    if not name or len(name) > _OPTION_NAME_MAX or (capacity is not None and not 1 <= capacity <= _OPTION_PLACES_MAX):
        raise BadOption(field="options", line=line[:60], most=_OPTION_NAME_MAX, places=_OPTION_PLACES_MAX)
    return Written(name, picture, capacity)


def option_line(one: Written | SignUpOption) -> str:
    """The line that is read back as this."""
    return " ".join(part for part in (one.emoji, one.name, str(one.capacity or "")) if part)


def ordered_options(options: Mapping[str, SignUpOption]) -> list[tuple[str, SignUpOption]]:
    return sorted(options.items(), key=lambda one: (one[1].position, one[0]))


def option_lines(options: Mapping[str, SignUpOption]) -> list[str]:
    return [option_line(option) for _, option in ordered_options(options)]


def new_options(written: Iterable[Written]) -> dict[str, SignUpOption]:
    """Options of an event that has none yet."""
    return {f"{at:02d}": _option(one, at) for at, one in enumerate(written, 1)}


def _option(one: Written, position: int) -> SignUpOption:
    return SignUpOption(name=one.name, emoji=one.emoji, capacity=one.capacity, position=position)


def emptied_options(options: Mapping[str, SignUpOption]) -> dict[str, SignUpOption]:
    """The same options without anybody in them, for the next event of a series."""
    return {id: _option(Written(one.name, one.emoji, one.capacity), one.position) for id, one in options.items()}


@dataclass(slots=True)
class Revision:
    """What becomes of the options of an event."""

    kept: dict[str, tuple[int, Written]] = field(default_factory=dict)
    new: dict[str, SignUpOption] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)


def revised_options(before: Mapping[str, SignUpOption], wanted: list[Written]) -> Revision:
    """An option keeps its people under its old name; of the others, those in the same order are renamed."""
    found = Revision()
    by_name = {option.name.casefold(): id for id, option in ordered_options(before)}
    unnamed: list[tuple[int, Written]] = []
    for position, one in enumerate(wanted, 1):
        id = by_name.pop(one.name.casefold(), None)
        if id is None:
            unnamed.append((position, one))
        else:
            found.kept[id] = (position, one)
    left = sorted(by_name.values(), key=lambda id: before[id].position)
    found.kept |= dict(zip(left, unnamed, strict=False))
    found.gone = left[len(unnamed) :]
    number = max((int(id) for id in before), default=0)
    for position, one in unnamed[len(left) :]:
        number += 1
        found.new[f"{number:02d}"] = _option(one, position)
    return found


TITLE_MAX = 100
DESCRIPTION_MAX = 1500
LOCATION_MAX = 100
_CAPACITY_MAX = 10_000
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
    if isinstance(capacity, int) and not 1 <= capacity <= _CAPACITY_MAX:
        raise BadCapacity(field="capacity", most=_CAPACITY_MAX)
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
        raise BadCapacity(field="capacity", most=_CAPACITY_MAX)
    return int(cleaned)
