"""Files of other programs: a board that Trello exported, what Vikunja exported. What they hold, and what stays behind.

Trello: one JSON object with `lists`, `cards`, `labels`, `checklists`; `closed` is archived. Vikunja: a ZIP file whose
`data.json` is a list of projects with their tasks; a date that is not set is 0001-01-01, and texts are HTML.
"""

from __future__ import annotations

import html
import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

import msgspec
import orjson

from sekkei.kit.text import many_lines, one_line
from sekkei.runtime.refusals import Invalid
from sekkei_systems.days import JST
from sekkei_systems.tasks.design import DESCRIPTION_KEPT_MAX
from sekkei_systems.tasks.design.statuses import Priority, Status
from sekkei_systems.tasks.refusals import TooLarge
from sekkei_systems.tasks.rules.drafts import (
    CHILDREN_MAX,
    DESCRIPTION_MAX,
    FIRST_DAY,
    LAST_DAY,
    TAGS_ON_A_TASK_MAX,
    TITLE_MAX,
    TaskDraft,
)

BYTES_MAX = 5_000_000
UNPACKED_MAX = 20_000_000
TASKS_MAX = 5_000
CHECKS_MAX = 100
_CHECK_LENGTH_MAX = 200
_TAG_LENGTH_MAX = 40
_DOING = re.compile(r"doing|progress|進行|作業中|対応中|着手|レビュー|review|wip", re.IGNORECASE)
_DONE = re.compile(r"\b(done|complete[d]?|finished|closed)\b|完了|済|終了", re.IGNORECASE)
_NOT_BEGUN = re.compile(r"not started|未着手|未対応", re.IGNORECASE)
_BLOCK_END = re.compile(r"<br\s*/?>|</(?:p|div|li|h[1-6]|tr)>", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]*>")


class UnknownFile(Invalid):
    """Neither a board of Trello nor an export of Vikunja."""


@dataclass(frozen=True, slots=True)
class ForeignTask:
    """One task of another program, as far as it fits."""

    source: str
    """What the program calls it, so that nothing comes in twice."""
    draft: TaskDraft
    """Without tags and assignee: a file has only their names."""
    tags: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    """By name; the first who is in the team has it."""
    checks: tuple[tuple[str, bool], ...] = ()
    parent: str = ""
    """What it is part of: the `source` of another, or a number of the team as in DEV-12."""


@dataclass(slots=True)
class Board:
    """What a file holds, and what of it stays behind, by why and how often."""

    program: str
    name: str
    tasks: list[ForeignTask] = field(default_factory=list)
    left: dict[str, int] = field(default_factory=dict)

    def leave(self, why: str, count: int = 1) -> None:
        if count:
            self.left[why] = self.left.get(why, 0) + count


def read(content: bytes) -> Board:
    """Raises UnknownFile or TooLarge; a single card that is odd is left behind and counted."""
    if len(content) > BYTES_MAX:
        raise TooLarge(most=TASKS_MAX)
    data = _parsed(_unpacked(content) if content[:4] == b"PK\x03\x04" else content)
    if isinstance(data, dict) and isinstance(data.get("cards"), list) and isinstance(data.get("lists"), list):
        found = _trello(data)
    elif isinstance(data, list) and data and all(isinstance(one, dict) and "title" in one for one in data):
        found = _vikunja(data)
    else:
        raise UnknownFile(field="file")
    if len(found.tasks) > TASKS_MAX:
        raise TooLarge(field="file", most=TASKS_MAX)
    return found


def _parsed(content: bytes) -> Any:
    try:
        return orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        raise UnknownFile(field="file") from None


def _unpacked(content: bytes) -> bytes:
    """`data.json` of the archive, and never more of it than fits."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open("data.json") as file:
            data = file.read(UNPACKED_MAX + 1)
    except (zipfile.BadZipFile, KeyError, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError):
        raise UnknownFile(field="file") from None
    if len(data) > UNPACKED_MAX:
        raise TooLarge(field="file", most=TASKS_MAX)
    return data


# Trello


def _trello(data: Mapping[str, Any]) -> Board:
    board = Board("trello", _line(data.get("name")))
    lists = {str(one.get("id")): one for one in _objects(data["lists"])}
    labels = {str(one.get("id")): _label(one) for one in _objects(data.get("labels"))}
    people = {str(one.get("id")): _line(one.get("fullName")) for one in _objects(data.get("members"))}
    checks: dict[str, list[tuple[str, bool]]] = {}
    for checklist in _ordered(data.get("checklists")):
        items = _ordered(checklist.get("checkItems"))
        checks.setdefault(str(checklist.get("idCard")), []).extend(
            (_line(item.get("name"))[:_CHECK_LENGTH_MAX], item.get("state") == "complete") for item in items
        )
    for card in _ordered(data["cards"]):
        list_of = lists.get(str(card.get("idList")), {})
        if card.get("closed") or list_of.get("closed"):
            board.leave("archived")
            continue
        names = [labels.get(id, "") for id in _texts(card.get("idLabels"))]
        who = [people.get(id, "") for id in _texts(card.get("idMembers"))]
        _add(board, f"trello/{card.get('id')}", card, _line(list_of.get("name")), names, who, checks)
    board.leave("comments", sum(one.get("type") == "commentCard" for one in _objects(data.get("actions"))))
    return board


def _add(
    board: Board,
    source: str,
    card: Mapping[str, Any],
    column: str,
    names: Iterable[str],
    who: Iterable[str],
    checks: Mapping[str, Sequence[tuple[str, bool]]],
) -> None:
    title = _line(card.get("name"))
    if not title or not card.get("id"):
        board.leave("untitled")
        return
    own = [one for one in checks.get(str(card["id"]), ()) if one[0]]
    board.leave("attachments", len(_objects(card.get("attachments"))))
    board.leave("checks", max(0, len(own) - CHECKS_MAX))
    description, end = _cut(board, _lines(card.get("desc"))), _day(card.get("due"))
    board.tasks.append(
        ForeignTask(
            source=source,
            draft=TaskDraft(
                title=_short(board, title),
                description=description,
                status=Status.DONE if card.get("dueComplete") else status_of(column),
                start=_before(_day(card.get("start")), end),
                end=end,
            ),
            tags=_tags(board, names),
            people=tuple(filter(None, who)),
            checks=tuple(own[:CHECKS_MAX]),
        )
    )


def _label(label: Mapping[str, Any]) -> str:
    """A label without a name is known by its colour."""
    return _line(label.get("name")) or _line(label.get("color"))


# Vikunja


def _vikunja(projects: Sequence[Mapping[str, Any]]) -> Board:
    board = Board("vikunja", "、".join(filter(None, (_line(one.get("title")) for one in projects)))[:100])
    for project in projects:
        tasks = _objects(project.get("tasks"))
        if project.get("is_archived"):
            board.leave("archived", len(tasks))
            continue
        buckets = {str(one.get("id")): _line(one.get("title")) for one in _objects(project.get("buckets"))}
        for task in tasks:
            _add_vikunja(board, task, buckets)
    above = _parents(task for project in projects for task in _objects(project.get("tasks")))
    board.tasks = [replace(one, parent=above.get(one.source, "")) for one in board.tasks]
    return board


def _parents(tasks: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """What is part of what, said by either; of several parents, the first."""
    found: dict[str, str] = {}
    for task in tasks:
        related = _mapping(task.get("related_tasks"))
        for parent in _objects(related.get("parenttask")):
            found.setdefault(f"vikunja/{task.get('id')}", f"vikunja/{parent.get('id')}")
        for part in _objects(related.get("subtask")):
            found.setdefault(f"vikunja/{part.get('id')}", f"vikunja/{task.get('id')}")
    return found


def _add_vikunja(board: Board, task: Mapping[str, Any], buckets: Mapping[str, str]) -> None:
    title = _line(task.get("title"))
    if not title or not task.get("id"):
        board.leave("untitled")
        return
    board.leave("comments", len(_objects(task.get("comments"))))
    board.leave("attachments", len(_objects(task.get("attachments"))))
    board.leave("repeats", int(bool(task.get("repeat_after"))))
    related = {str(kind): _objects(some) for kind, some in _mapping(task.get("related_tasks")).items()}
    parents = related.pop("parenttask", [])
    related.pop("subtask", None)  # the other side of the same
    board.leave("relations", sum(map(len, related.values())) + len(parents[1:]))
    end = _day(task.get("due_date")) or _day(task.get("end_date"))
    board.tasks.append(
        ForeignTask(
            source=f"vikunja/{task['id']}",
            draft=TaskDraft(
                title=_short(board, title),
                description=_cut(board, plain_of(str(task.get("description") or ""))),
                status=Status.DONE if task.get("done") else status_of(buckets.get(str(task.get("bucket_id")), "")),
                start=_before(_day(task.get("start_date")), end),
                end=end,
                priority=_priority(task.get("priority")),
            ),
            tags=_tags(board, (_line(one.get("title")) for one in _objects(task.get("labels")))),
            people=tuple(filter(None, (_person(one) for one in _objects(task.get("assignees"))))),
        )
    )


def _priority(number: object) -> Priority | None:
    """1 low, 2 medium, 3 high, 4 urgent, 5 now; 0 is none."""
    if not isinstance(number, int) or number < 1:
        return None
    return Priority.LOW if number == 1 else Priority.MEDIUM if number == 2 else Priority.HIGH


def _person(one: Mapping[str, Any]) -> str:
    return _line(one.get("name")) or _line(one.get("username"))


def plain_of(text: str) -> str:
    """HTML as text: ends of blocks are ends of lines."""
    if "<" not in text:
        return _lines(html.unescape(text))
    return _lines(html.unescape(_MARKUP.sub("", _BLOCK_END.sub("\n", text))))


# What both need


def status_of(column: str) -> Status:
    """By the name that somebody gave to a column."""
    if _NOT_BEGUN.search(column):
        return Status.TODO
    if _DONE.search(column):
        return Status.DONE
    return Status.DOING if _DOING.search(column) else Status.TODO


def _day(value: object) -> date | None:
    """In Japan; None for what is no day, or one that means none."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value.replace("Z", "+00:00"))
        day = found.astimezone(JST).date() if found.tzinfo and found.year > 1 else found.date()
    except (ValueError, OverflowError):
        return None
    return day if FIRST_DAY <= day <= LAST_DAY else None


def _before(start: date | None, end: date | None) -> date | None:
    return None if start is not None and end is not None and start > end else start


def _short(board: Board, title: str) -> str:
    board.leave("long-titles", int(len(title) > TITLE_MAX))
    return title[:TITLE_MAX].strip()


def _cut(board: Board, text: str) -> str:
    board.leave("long-texts", int(len(text) > DESCRIPTION_MAX))
    return text[:DESCRIPTION_MAX].strip()


def _tags(board: Board, names: Iterable[str]) -> tuple[str, ...]:
    found = list(dict.fromkeys(name[:_TAG_LENGTH_MAX].strip() for name in names if name))
    board.leave("tags", max(0, len(found) - TAGS_ON_A_TASK_MAX))
    return tuple(found[:TAGS_ON_A_TASK_MAX])


def _line(value: object) -> str:
    return one_line(value) if isinstance(value, str) else ""


def _lines(value: object) -> str:
    return many_lines(value) if isinstance(value, str) else ""


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> Iterator[str]:
    return (one for one in value if isinstance(one, str)) if isinstance(value, list) else iter(())


def _ordered(value: object) -> list[Mapping[str, Any]]:
    """As they stand on the board."""

    def place(one: Mapping[str, Any]) -> float:
        pos = one.get("pos")
        return float(pos) if isinstance(pos, int | float) else 0.0

    return sorted(_objects(value), key=place)


# A file's tasks in parts, each as much as one transaction writes and one item holds.


ACTIONS_MAX = 96
"""Of a transaction's 100; the others are the count, the part itself and how far the import is."""
PART_BYTES_MAX = 300_000


def rooted(tasks: Sequence[ForeignTask]) -> list[ForeignTask]:
    """One level, as here: what is part of a part belongs to the topmost. In their order, but none before its parent;
    those that are too many come as tasks of their own."""
    by_source = {one.source: one for one in tasks if one.source}
    joined = Counter[str]()
    found = []
    for one in tasks:
        root = _root(one, by_source)
        joined[root] += 1
        found.append(replace(one, parent=root if joined[root] <= CHILDREN_MAX else ""))
    waiting: dict[str, list[ForeignTask]] = {}
    there: set[str] = set()
    ordered: list[ForeignTask] = []
    for one in found:
        if one.parent in by_source and one.parent not in there:
            waiting.setdefault(one.parent, []).append(one)
            continue
        there.add(one.source)
        ordered += [one, *waiting.pop(one.source, [])]
    return ordered


def _root(one: ForeignTask, by_source: Mapping[str, ForeignTask]) -> str:
    """The topmost that it is part of; "" where they are part of each other."""
    above, seen = one.parent, {one.source}
    while above in by_source and by_source[above].parent:
        seen.add(above)
        above = by_source[above].parent
        if above in seen:
            return ""
    return "" if above and above == one.source else above


def actions_of(found: ForeignTask) -> int:
    """The task, its talk, number and search text, what is long, its plan, and where it came from."""
    return 5 + (len(found.draft.description) > DESCRIPTION_KEPT_MAX) + bool(found.checks or found.parent)


def in_parts(tasks: Sequence[ForeignTask]) -> Iterator[list[ForeignTask]]:
    """In their order. Tags and people are checked once a part, so each counts where it comes first."""
    part: list[ForeignTask] = []
    actions, size, named = 0, 0, set[str]()
    for one in tasks:
        names = {f"tag {name}" for name in one.tags} | {f"person {name}" for name in one.people[:1]}
        names |= {f"plan {one.parent}", f"task {one.parent}"} if one.parent else set()
        more, bytes_more = actions_of(one), len(msgspec.json.encode(one))
        if part and (actions + more + len(named | names) > ACTIONS_MAX or size + bytes_more > PART_BYTES_MAX):
            yield part
            part, actions, size, named = [], 0, 0, set()
        part.append(one)
        actions, size, named = actions + more, size + bytes_more, named | names
    if part:
        yield part


def packed(tasks: Sequence[ForeignTask]) -> bytes:
    return zlib.compress(msgspec.json.encode(tasks))


def unpacked(content: bytes) -> list[ForeignTask]:
    return msgspec.json.decode(zlib.decompress(content), type=list[ForeignTask])
