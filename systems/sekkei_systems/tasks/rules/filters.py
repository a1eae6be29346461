"""Which tasks a list shows: a filter out of a URL, back into a URL, and into the one query that serves it; words that
are searched for; what is late."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import Enum
from typing import Any
from urllib.parse import urlencode

from sekkei.design import Query
from sekkei.runtime.refusals import Invalid
from sekkei_systems.tasks.design import (
    SEARCHED_CHARACTERS_MAX,
    Task,
    begun_by_end,
    being_done,
    by_hand,
    chosen,
    default_board,
    done,
    every_task,
    every_task_by_end,
    late_to_finish_with_tags,
    late_to_start_with_tags,
    late_while_doing,
    searched,
    tag_ref,
    tagged,
    to_do_with_tags,
)
from sekkei_systems.tasks.design.statuses import ALL, OPEN, Order, Priority, Status

TEXT_MAX = 100
TAGS_MAX = 10
WORDS_MAX = 8
NOBODY = "none"
"""As the assignee: tasks that nobody has."""
KNOWN = frozenset(
    ["status", "by", "tag", "match", "late", "q", "assignee", "priority", "parent", "order", "after", "limit", "lang"]
)
"""What may stand in the URL of a list, pages and languages included."""


class Late(Enum):
    """Late to start, late to finish, or late among what is being done."""

    START = "start"
    FINISH = "finish"
    DOING = "doing"


class BadFilter(Invalid):
    """A choice that there is not."""


@dataclass(frozen=True, slots=True)
class Filter:
    statuses: frozenset[Status] = OPEN
    by: Order = Order.START
    tags: tuple[str, ...] = ()
    any_tag: bool = False
    late: Late | None = None
    text: str = ""
    assignee: str | None = None
    """Somebody's id, or NOBODY."""
    priority: Priority | None = None
    parent: str | None = None
    """Only the subtasks of this one: its id, or a number as in DEV-12. A query does not ask for it either."""
    hand: bool = False
    """The board's columns in the order that people gave them."""

    @property
    def is_default(self) -> bool:
        return self == Filter()

    def query(self, team_id: str, today: date) -> Query[Task]:
        """One index and one key condition for every choice; tags, assignee and priority are dropped after reading.
        A text is not asked of it: a search goes another way."""
        return self._narrowed(self._by_key(team_id, today))

    def _narrowed(self, found: Query[Task]) -> Query[Task]:
        if self.assignee:
            mine = Task.assignee.absent() if self.assignee == NOBODY else Task.assignee == self.assignee
            found = found.filter(mine)
        if self.priority:
            found = found.filter(Task.priority == self.priority)
        return found

    def _by_key(self, team_id: str, today: date) -> Query[Task]:
        tags = list(self.tags)
        if self.late is Late.START:
            return late_to_start_with_tags(team_id, today, tags, self.any_tag)
        if self.late is Late.FINISH:
            return late_to_finish_with_tags(team_id, today, tags, self.any_tag)
        if self.late is Late.DOING:
            return tagged(late_while_doing(team_id, today), tags, self.any_tag)
        if self.by is Order.START and self.statuses == {Status.TODO}:
            return to_do_with_tags(team_id, tags, self.any_tag)
        if self.by is Order.START and self.statuses in (OPEN, ALL):
            every = default_board(team_id) if self.statuses == OPEN else every_task(team_id)
            return tagged(every, tags, self.any_tag)
        return tagged(self._chosen(team_id), tags, self.any_tag)

    def _chosen(self, team_id: str) -> Query[Task]:
        if self.by is Order.END and self.statuses == ALL:
            return every_task_by_end(team_id)
        if self.by is Order.END and self.statuses == {Status.DOING, Status.DONE}:
            return begun_by_end(team_id)
        return chosen(team_id, self.statuses, self.by)

    def column(self, team_id: str, status: Status) -> Query[Task]:
        """One column of the board: by hand, or by start; what is done by when it was done, the latest first."""
        if status is Status.DONE:
            found = done(team_id)
        elif self.hand:
            found = by_hand(team_id, status)
        elif status is Status.TODO:
            return self._narrowed(to_do_with_tags(team_id, list(self.tags), self.any_tag))
        else:
            found = being_done(team_id)
        return self._narrowed(tagged(found, list(self.tags), self.any_tag))

    def matches(self, task: Task) -> bool:
        """Does a task on a board pass? The column asks for status and dates by the key, and a search for the text."""
        refs = [tag_ref(tag) for tag in self.tags]
        held = [ref in task.tags for ref in refs]
        tags = not refs or (any(held) if self.any_tag else all(held))
        assignee = not self.assignee or (task.assignee or NOBODY) == self.assignee
        return tags and assignee and (not self.priority or task.priority is self.priority)

    @property
    def words(self) -> tuple[str, ...]:
        """What a search looks for: all of these."""
        return tuple(dict.fromkeys(searched(self.text).split()))[:WORDS_MAX]

    def place(self, task: Task, status: Status | None = None) -> str:
        """By what it is sorted: in a column of the board, or in a list."""
        if status is Status.DONE or (status is not None and self.hand):
            return task.hand_sort
        return task.end_sort if status is None and self.by is Order.END else task.start_sort

    def url(self, **changes: Any) -> str:
        """`?status=todo&tag=…`: only what differs from the default."""
        wanted = replace(self, **changes)
        pairs: list[tuple[str, str]] = []
        if wanted.statuses != OPEN:
            pairs += [("status", status.value) for status in Status if status in wanted.statuses]
        if wanted.by is not Order.START:
            pairs.append(("by", wanted.by.value))
        if wanted.hand:
            pairs.append(("order", "hand"))
        pairs += [("tag", tag) for tag in wanted.tags]
        if wanted.any_tag:
            pairs.append(("match", "any"))
        if wanted.late is not None:
            pairs.append(("late", wanted.late.value))
        if wanted.text:
            pairs.append(("q", wanted.text))
        if wanted.assignee:
            pairs.append(("assignee", wanted.assignee))
        if wanted.priority:
            pairs.append(("priority", wanted.priority.value))
        if wanted.parent:
            pairs.append(("parent", wanted.parent))
        return f"?{urlencode(pairs)}" if pairs else "?"


def read(parameters: Mapping[str, Sequence[str]], me: str = "") -> Filter:
    """A filter out of the parameters of a URL; refuses what it does not know, names as well as values."""
    unknown = next((name for name in parameters if name not in KNOWN), None)
    if unknown is not None:
        raise BadFilter(field=unknown[:TEXT_MAX], value=unknown[:TEXT_MAX])
    statuses = frozenset(_choice(Status, text) for text in parameters.get("status", ())) or OPEN
    tags = tuple(dict.fromkeys(tag for tag in parameters.get("tag", ()) if tag))
    if len(tags) > TAGS_MAX or any("#" in tag or len(tag) > 64 for tag in tags):
        raise BadFilter(field="tag", value=" ".join(tags)[:TEXT_MAX])
    assignee = _one(parameters, "assignee")
    late, priority = _one(parameters, "late"), _one(parameters, "priority")
    return Filter(
        statuses=statuses,
        by=_choice(Order, _one(parameters, "by") or Order.START.value),
        tags=tags,
        any_tag=_one(parameters, "match") == "any",
        late=_choice(Late, late) if late else None,
        text=_one(parameters, "q").strip()[:TEXT_MAX],
        assignee=(me or None) if assignee == "me" else assignee or None,
        priority=_choice(Priority, priority) if priority else None,
        parent=_parent(parameters),
        hand=_one(parameters, "order") == "hand",
    )


def _parent(parameters: Mapping[str, Sequence[str]]) -> str | None:
    found = _one(parameters, "parent").strip()
    if len(found) > 64:
        raise BadFilter(field="parent", value=found[:TEXT_MAX])
    return found or None


def _one(parameters: Mapping[str, Sequence[str]], name: str) -> str:
    return next(iter(parameters.get(name, ())), "")


def _choice(kind: type[Any], text: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise BadFilter(value=text[:TEXT_MAX]) from None


# What a search looks for, and where: titles, descriptions, comments, names of tags and people.


def text_of_task(title: str, description: str) -> str:
    return searched(f"{title}\n{description}")[:SEARCHED_CHARACTERS_MAX]


@dataclass(frozen=True, slots=True)
class Named:
    """Which tags and people a word means, by their names."""

    tags: Mapping[str, frozenset[str]]
    """Word to refs of tags."""
    people: Mapping[str, frozenset[str]]

    @classmethod
    def by(cls, words: Iterable[str], tags: Mapping[str, str], people: Mapping[str, str]) -> Named:
        """`tags` and `people` are names by ref and by id."""
        listed = list(words)
        return cls({word: _named(word, tags) for word in listed}, {word: _named(word, people) for word in listed})

    def words_of(self, task: Task) -> set[str]:
        """The words that a task answers by its tags and its assignee."""
        return {word for word, refs in self.tags.items() if refs & task.tags} | {
            word for word, ids in self.people.items() if task.assignee in ids
        }

    @property
    def refs(self) -> frozenset[str]:
        return frozenset().union(*self.tags.values())

    @property
    def ids(self) -> frozenset[str]:
        return frozenset().union(*self.people.values())


def _named(word: str, names: Mapping[str, str]) -> frozenset[str]:
    """With or without the space in a name."""
    plain = {id: searched(name) for id, name in names.items()}
    return frozenset(id for id, name in plain.items() if word in name or word in "".join(name.split()))


# What is late, and when the rest is due: for lists that people look at in the morning.


class Due(Enum):
    OVERDUE = "overdue"
    TODAY = "today"
    WEEK = "week"
    LATER = "later"
    UNDATED = "undated"


def lateness(task: Task, today: date) -> Late | None:
    """Late to finish, else late to start; what is done is not late, and neither is what has no date."""
    if task.status is Status.DONE:
        return None
    if task.end is not None and task.end < today:
        return Late.FINISH
    if task.status is Status.TODO and task.start is not None and task.start < today:
        return Late.START
    return None


def due(task: Task, today: date) -> Due:
    if task.end is None:
        return Due.UNDATED
    if task.end < today:
        return Due.OVERDUE
    if task.end == today:
        return Due.TODAY
    return Due.WEEK if task.end <= today + timedelta(days=7) else Due.LATER


def agenda(tasks: Iterable[Task], today: date) -> dict[Due, list[Task]]:
    """Grouped by when they are due; within a group in the order given."""
    found: dict[Due, list[Task]] = {when: [] for when in Due}
    for task in tasks:
        found[due(task, today)].append(task)
    return {when: some for when, some in found.items() if some}
