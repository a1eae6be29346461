"""What is to become of a task: checked before the store is asked."""

from __future__ import annotations

from datetime import date

import pytest

from sekkei_systems.tasks.design.statuses import Priority, Status
from sekkei_systems.tasks.refusals import BadDates, BadText, TooLarge
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft

DAY = date(2025, 11, 6)


def test_what_is_not_said_stays_as_it_is() -> None:
    task = TaskDraft("題", "説明", Status.DOING, DAY, DAY, frozenset({"a"}), "aoi", Priority.LOW).task("t", "k")
    assert TaskChanges().applied(task) == task
    changed = TaskChanges(title="  新しい 題 ", start=None, tags=frozenset(), assignee=None).applied(task)
    assert (changed.title, changed.start, changed.tags, changed.assignee) == ("新しい 題", None, frozenset(), None)
    assert (changed.end, changed.description, changed.priority) == (DAY, "説明", Priority.LOW)


def test_changes_are_checked_together_with_what_is_there() -> None:
    task = TaskDraft("題", end=DAY).task("t", "k")
    with pytest.raises(BadDates):
        TaskChanges(start=date(2025, 11, 7)).applied(task)
    with pytest.raises(BadText):
        TaskChanges(title=" ").applied(task)
    with pytest.raises(TooLarge):
        TaskChanges(tags=frozenset(map(str, range(11)))).applied(task)
