"""The three statuses, the groups that serve every choice of them from two indexes each, and which index that is."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Status(Enum):
    TODO = "todo"
    DOING = "doing"
    DONE = "done"


class Priority(Enum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Order(Enum):
    """By which date a list runs."""

    START = "start"
    END = "end"


ALL = frozenset(Status)
OPEN = frozenset({Status.TODO, Status.DOING})

GROUPS: tuple[dict[Status, str], ...] = (
    {Status.TODO: "todo", Status.DOING: "doing_done", Status.DONE: "doing_done"},
    {Status.TODO: "todo_doing", Status.DOING: "todo_doing", Status.DONE: "done"},
    {Status.TODO: "todo_done", Status.DOING: "doing", Status.DONE: "todo_done"},
)
"""What status_group1, status_group2 and status_group3 hold for each status: the table in the design."""


def group(team_id: str, word: str) -> str:
    """The one writer of group values. (The design's examples have a stray `t` before the team's id; it means none.)"""
    return f"TEAM#{team_id}#Status#{word}"


def group_serving(statuses: Iterable[Status]) -> tuple[int, str] | None:
    """Which group (1, 2 or 3) holds exactly these statuses under which word; None for all of them.

    Each of the six proper subsets is the set of statuses that share one word in one group, and in one group only.
    """
    wanted = frozenset(statuses)
    if not wanted:
        raise ValueError("at least one status must be asked for")
    if wanted == ALL:
        return None
    for number, words in enumerate(GROUPS, start=1):
        for word in dict.fromkeys(words.values()):
            if wanted == {status for status in Status if words[status] == word}:
                return number, word
    raise AssertionError(f"the groups serve every choice of statuses, {wanted} too")
