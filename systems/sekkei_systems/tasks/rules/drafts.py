"""What is to become of a task, as a value: a draft of a new one, or changes to one that is there.

`TaskDraft` is the one list of what people enter: the form, the API, files, the history and merging go by its fields.
"""

from __future__ import annotations

import re
from datetime import date
from enum import Enum
from typing import Annotated, Any, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, structs

from sekkei.design import replace
from sekkei.kit.text import many_lines, one_line
from sekkei.kit.typed import Line, Text, Token
from sekkei.runtime.refusals import Invalid
from sekkei_systems.tasks.design import Task, tag_ref
from sekkei_systems.tasks.design.statuses import Priority, Status
from sekkei_systems.tasks.refusals import BadDates, BadText, TooLarge

# What people enter, checked: texts within their limits, dates that follow each other, colours that can be read.


_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(9998, 12, 31)
"""9999-12-31 stands for "no date" in the sort keys."""


class BadColor(Invalid):
    """Not #rrggbb."""


class BadDay(Invalid):
    """Too long ago or too far ahead."""


def line_of(text: str, most: int, field: str) -> str:
    """One line, not empty."""
    found = one_line(text)
    if not 1 <= len(found) <= most:
        raise BadText(field=field, most=most)
    return found


def text_of(text: str, most: int, field: str) -> str:
    """Any number of lines, perhaps none."""
    found = many_lines(text)
    if len(found) > most:
        raise BadText(field=field, most=most)
    return found


def check_dates(start: date | None, end: date | None) -> None:
    for name, day in (("start", start), ("end", end)):
        if day is not None and not FIRST_DAY <= day <= LAST_DAY:
            raise BadDay(field=name)
    if start is not None and end is not None and end < start:
        raise BadDates(field="end")


def color_of(background: str) -> tuple[str, str]:
    """A text colour that can be read on the background, and the background."""
    if not _COLOR.fullmatch(background):
        raise BadColor(field="color")
    white = contrast_with_white(background)
    return ("#ffffff" if white >= 21 / white else "#000000"), background.lower()


def contrast_with_white(color: str) -> float:
    """WCAG's contrast ratio. With black it is 21 divided by this, so one of the two is always above 4.5."""
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 1.05 / (luminance + 0.05)


TITLE_MAX = 200
DESCRIPTION_MAX = 10_000
TAGS_ON_A_TASK_MAX = 10
CHILDREN_MAX = 50
"""Subtasks of one task: as many as one look and one transaction hold."""

Title = Annotated[str, Line(TITLE_MAX)]
Description = Annotated[str, Text(DESCRIPTION_MAX)]
_TagIds = Annotated[frozenset[Token], Meta(max_length=TAGS_ON_A_TASK_MAX)]
"""Without TAG#."""


class TaskDraft(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """A task as people enter it."""

    title: Title
    description: Description = ""
    status: Status = Status.TODO
    start: date | None = None
    end: date | None = None
    tags: _TagIds = frozenset()
    assignee: Token | None = None
    priority: Priority | None = None

    @classmethod
    def of(cls, task: Task) -> TaskDraft:
        """What stands in the form of a task."""
        given = {name: getattr(task, name) for name in ENTERED}
        return cls(**{**given, "tags": frozenset(ref.removeprefix("TAG#") for ref in task.tags)})

    def task(self, team_id: str, task_id: str) -> Task:
        """The task, with everything about it checked that can be checked without asking."""
        return checked(Task(team_id=team_id, task_id=task_id, **_attributes(self)))

    def plain(self) -> dict[str, Any]:
        """As texts and lists of texts; what is not there is left out."""
        found = {name: value for name in ENTERED if (value := getattr(self, name)) is not None}
        plain: dict[str, Any] = msgspec.to_builtins({**found, "tags": sorted(self.tags)})
        return plain


class TaskChanges(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """What is left out stays as it is; null takes a date, the assignee or the priority away."""

    title: Title | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    status: Status | UnsetType = UNSET
    start: date | UnsetType | None = UNSET
    end: date | UnsetType | None = UNSET
    tags: _TagIds | UnsetType = UNSET
    assignee: Token | UnsetType | None = UNSET
    priority: Priority | UnsetType | None = UNSET

    def applied(self, task: Task) -> Task:
        return checked(replace(task, **_attributes(self)))


def drafted(given: TaskDraft) -> TaskDraft:
    """What people enter of a task, out of a form or a request that says more."""
    return TaskDraft(**{name: getattr(given, name) for name in ENTERED})


ENTERED = TaskDraft.__struct_fields__
TYPES = {field.name: field.type for field in structs.fields(TaskDraft)}


def choices_of(name: str) -> type[Enum] | None:
    """The enum that a field is one of."""
    kinds = (TYPES[name], *get_args(TYPES[name]))
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Enum)), None)


def optional(name: str) -> bool:
    return type(None) in get_args(TYPES[name])


def all_of(draft: TaskDraft) -> TaskChanges:
    """Everything is to be as the draft says."""
    return TaskChanges(**{name: getattr(draft, name) for name in ENTERED})


def _attributes(given: TaskDraft | TaskChanges) -> dict[str, Any]:
    found = {name: value for name in ENTERED if (value := getattr(given, name)) is not UNSET}
    if "tags" in found:
        found["tags"] = _refs(found["tags"])
    if "assignee" in found:
        found["assignee"] = found["assignee"] or None
    return found


def _refs(tag_ids: frozenset[str]) -> frozenset[str]:
    if len(tag_ids) > TAGS_ON_A_TASK_MAX:
        raise TooLarge(field="tags", most=TAGS_ON_A_TASK_MAX)
    return frozenset(map(tag_ref, tag_ids))


def checked(task: Task) -> Task:
    check_dates(task.start, task.end)
    return replace(
        task,
        title=line_of(task.title, TITLE_MAX, "title"),
        description=text_of(task.description, DESCRIPTION_MAX, "description"),
    )
