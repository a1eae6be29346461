"""What is late, and when the rest is due."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.agenda import Due, agenda, lateness
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.filters import Late

TODAY = date(2025, 11, 6)
YESTERDAY = TODAY - timedelta(days=1)


@pytest.mark.parametrize(
    ("draft", "late"),
    [
        (TaskDraft("x", start=YESTERDAY), Late.START),
        (TaskDraft("x", start=YESTERDAY, end=YESTERDAY), Late.FINISH),
        (TaskDraft("x", start=YESTERDAY, end=TODAY, status=Status.DOING), None),
        (TaskDraft("x", end=YESTERDAY, status=Status.DOING), Late.FINISH),
        (TaskDraft("x", end=YESTERDAY, status=Status.DONE), None),
        (TaskDraft("x", start=TODAY, end=TODAY), None),
        (TaskDraft("x"), None),
    ],
)
def test_late_to_finish_counts_before_late_to_start(draft: TaskDraft, late: Late | None) -> None:
    assert lateness(draft.task("t", "k"), TODAY) is late


def test_work_is_grouped_by_when_it_is_due() -> None:
    ends = (YESTERDAY, TODAY, TODAY + timedelta(days=7), TODAY + timedelta(days=8), None)
    tasks = [TaskDraft(f"{end}", end=end).task("t", f"{end}") for end in ends]
    assert agenda(tasks, TODAY) == {when: [task] for when, task in zip(Due, tasks, strict=True)}
    assert agenda([], TODAY) == {}
