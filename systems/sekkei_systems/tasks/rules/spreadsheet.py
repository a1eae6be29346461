"""Tasks as a CSV file that Excel opens, and drafts of tasks out of such a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from enum import Enum
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import structs

from sekkei.kit import sheets
from sekkei.runtime.refusals import Refusal
from sekkei.texts import LANGUAGES
from sekkei_systems.tasks.design import Flow, Task
from sekkei_systems.tasks.refusals import BadFile, TooLarge
from sekkei_systems.tasks.rules.drafts import ENTERED, TaskDraft, choices_of
from sekkei_systems.tasks.rules.history import text, value
from sekkei_systems.tasks.rules.identifiers import reference
from sekkei_systems.tasks.rules.imports import Board, ForeignTask
from sekkei_systems.tasks.texts import say

ROWS_MAX = 5_000
BYTES_MAX = 2_000_000
_NAMED_MAX = 40
COLUMNS = ENTERED
NUMBER, PARENT = "number", "parent"
"""Columns more: what a row is called, and what it is part of."""


def _words(section: str, values: Iterable[str], language: str) -> dict[str, str]:
    return {value: say(language, f"{section}.{value}") for value in values}


def _known(section: str, values: Sequence[str]) -> dict[str, str]:
    """Each value by its word in either language, and by itself."""
    words = [_words(section, values, language) for language in LANGUAGES] + [{value: value for value in values}]
    return {sheets.heading(word): value for some in words for value, word in some.items()}


_HEADERS = _known("task", (*COLUMNS, NUMBER, PARENT))
_CHOICES = {name: _known(name, [one.value for one in kind]) for name in COLUMNS if (kind := choices_of(name))}


def write(
    tasks: Iterable[Task],
    tag_names: Mapping[str, str],
    member_names: Mapping[str, str],
    language: str,
    references: Mapping[str, tuple[str, str]] = MappingProxyType({}),
) -> bytes:
    """Tags are separated by semicolons. `references` are the number of a task and that of its parent, as in DEV-12, by
    id."""
    rows = [[*_words("task", (*COLUMNS, NUMBER, PARENT), language).values()]]
    for task in tasks:
        tags = ";".join(sorted(tag_names[ref] for ref in task.tags if ref in tag_names))
        named = {"tags": tags, "assignee": member_names.get(task.assignee or "", "")}
        cells = [named[name] if name in named else _cell(task, name, language) for name in COLUMNS]
        rows.append([*cells, *references.get(task.task_id, ("", ""))])
    return sheets.write(rows)


def _cell(task: Task, name: str, language: str) -> str:
    value = getattr(task, name)
    return say.choice(language, name, value) if isinstance(value, Enum) else text(value)


def write_flow(flows: Iterable[Flow], key: str) -> bytes:
    """What was done and when, for whoever wants to count it another way."""
    rows = [["number", "title", "created", "begun", "done"]]
    for one in flows:
        times = [moment.isoformat() if moment else "" for moment in (one.created_at, one.begun_at, one.done_at)]
        rows.append([reference(key, one.number), one.title, *times])
    return sheets.write(rows)


class Row(NamedTuple):
    draft: TaskDraft
    number: str = ""
    parent: str = ""


def read(content: bytes, tag_ids: Mapping[str, str], member_ids: Mapping[str, str]) -> list[TaskDraft]:
    return [row.draft for row in read_rows(content, tag_ids, member_ids)]


def read_rows(content: bytes, tag_ids: Mapping[str, str], member_ids: Mapping[str, str]) -> list[Row]:
    """Drafts, one for each row. The first thing that is wrong is refused with its line; nothing is half read."""
    if len(content) > BYTES_MAX:
        raise TooLarge(most=ROWS_MAX)
    drafts: list[Row] = []
    try:
        for line, cells in sheets.read(content, _HEADERS, ["title"]):
            if len(drafts) >= ROWS_MAX:
                raise TooLarge(most=ROWS_MAX)
            named = [cells.pop(name, "")[:_NAMED_MAX] for name in (NUMBER, PARENT)]
            drafts.append(Row(_draft(cells, tag_ids, member_ids, line), *named))
    except sheets.ColumnsMissing:
        raise BadFile(line=1, why=" / ".join(say(language, "task.title") for language in LANGUAGES)) from None
    except sheets.BadSheet as bad:
        raise BadFile(line=bad.line, why=bad.why) from None
    return drafts


def as_board(rows: Sequence[Row], tag_names: Mapping[str, str], member_names: Mapping[str, str], file: str) -> Board:
    """To be taken in by a job. A row that others are part of is called by its number in this `file`, and no file again;
    the others have no name. A parent that is not in the file is a task of the team."""
    numbers = {row.number for row in rows if row.number}
    named = {row.parent for row in rows} & numbers
    found = [
        ForeignTask(
            source=f"csv/{file}/{row.number}" if row.number in named else "",
            parent=f"csv/{file}/{row.parent}" if row.parent in named else row.parent,
            draft=structs.replace(row.draft, tags=frozenset(), assignee=None),
            tags=tuple(tag_names[tag] for tag in sorted(row.draft.tags)),
            people=(member_names[row.draft.assignee],) if row.draft.assignee else (),
        )
        for row in rows
    ]
    return Board("csv", "", found)


def _draft(cells: Mapping[str, str], tag_ids: Mapping[str, str], member_ids: Mapping[str, str], line: int) -> TaskDraft:
    names = [name.strip() for name in cells.get("tags", "").split(";") if name.strip()]
    given: dict[str, Any] = {"tags": frozenset(_one_of(tag_ids, name, line) for name in names)}
    for name, cell in cells.items():
        if name == "assignee" and cell:
            given[name] = _one_of(member_ids, cell, line)
        elif name not in given and (cell or name == "title"):
            given[name] = _value(name, cell, line)
    draft = TaskDraft(**given)
    try:
        draft.task("checked", "checked")
    except Refusal as refusal:
        raise BadFile(line=line, why=refusal.text("ja")) from None
    return draft


def _one_of(known: Mapping[str, str], word: str, line: int) -> str:
    if word not in known:
        raise BadFile(line=line, why=word[:50])
    return known[word]


def _value(name: str, cell: str, line: int) -> Any:
    """A choice by its word; a day as 2025-11-06, or 2025/11/6 as Excel makes it."""
    if name in _CHOICES:
        return value(name, _one_of(_CHOICES[name], sheets.heading(cell), line))
    try:
        return _day(cell) if name in ("start", "end") else value(name, cell)
    except ValueError:
        raise BadFile(line=line, why=cell[:50]) from None


def _day(cell: str) -> date:
    year, month, day = map(int, cell.replace("/", "-").split("-"))
    return date(year, month, day)
