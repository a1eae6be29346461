"""Sign-up options as people write them, one a line: `🛡️ Tank 2`, `初心者 10人`, `DPS`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sekkei.kit.text import one_line
from sekkei_systems.eventbot.design import SignUpOption
from sekkei_systems.eventbot.refusals import BadOption, SameOption, TooManyOptions
from sekkei_systems.eventbot.rules.limits import leading_emoji

OPTIONS_MAX = 10
"""Two rows of buttons."""
NAME_MAX = 30
CAPACITY_MAX = 1000
_PLACES = re.compile(r"(?:[\s:：]+([0-9０-９]{1,4})\s*(?:人|名)?|([0-9０-９]{1,4})\s*(?:人|名))$")


@dataclass(frozen=True, slots=True)
class Written:
    """One line, read."""

    name: str
    emoji: str | None = None
    capacity: int | None = None


def read(text: str) -> list[Written]:
    """Raises BadOption, SameOption, TooManyOptions."""
    found = [_read_line(line.strip()) for line in text.splitlines() if line.strip()]
    if len(found) > OPTIONS_MAX:
        raise TooManyOptions(field="options", most=OPTIONS_MAX)
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
    if not name or len(name) > NAME_MAX or (capacity is not None and not 1 <= capacity <= CAPACITY_MAX):
        raise BadOption(field="options", line=line[:60], most=NAME_MAX, places=CAPACITY_MAX)
    return Written(name, picture, capacity)


def write(one: Written | SignUpOption) -> str:
    """The line that is read back as this."""
    return " ".join(part for part in (one.emoji, one.name, str(one.capacity or "")) if part)


def ordered(options: Mapping[str, SignUpOption]) -> list[tuple[str, SignUpOption]]:
    return sorted(options.items(), key=lambda one: (one[1].position, one[0]))


def lines(options: Mapping[str, SignUpOption]) -> list[str]:
    return [write(option) for _, option in ordered(options)]


def fresh(written: Iterable[Written]) -> dict[str, SignUpOption]:
    """Options of an event that has none yet."""
    return {f"{at:02d}": made(one, at) for at, one in enumerate(written, 1)}


def made(one: Written, position: int) -> SignUpOption:
    return SignUpOption(name=one.name, emoji=one.emoji, capacity=one.capacity, position=position)


def emptied(options: Mapping[str, SignUpOption]) -> dict[str, SignUpOption]:
    """The same options without anybody in them, for the next event of a series."""
    return {id: made(Written(one.name, one.emoji, one.capacity), one.position) for id, one in options.items()}


@dataclass(slots=True)
class Revision:
    """What becomes of the options of an event."""

    kept: dict[str, tuple[int, Written]] = field(default_factory=dict)
    new: dict[str, SignUpOption] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)


def revised(before: Mapping[str, SignUpOption], wanted: list[Written]) -> Revision:
    """An option keeps its people under its old name; of the others, those in the same order are renamed."""
    found = Revision()
    by_name = {option.name.casefold(): id for id, option in ordered(before)}
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
        found.new[f"{number:02d}"] = made(one, position)
    return found
