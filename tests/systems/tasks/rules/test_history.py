"""What changed, as texts that are kept; and a task as it was before."""

from __future__ import annotations

from datetime import UTC, date, datetime

from sekkei.design import replace
from sekkei_systems.tasks.design import Activity, Task
from sekkei_systems.tasks.design.statuses import Priority, Status
from sekkei_systems.tasks.rules.drafts import ENTERED, TaskDraft
from sekkei_systems.tasks.rules.history import before, differences, rolled_back, text, value

OLD = TaskDraft("題", "説明", Status.DOING, None, date(2025, 11, 6), frozenset({"a"}), "aoi", None).task("t", "k")
NEW = TaskDraft("新題", "別の説明", Status.DONE, date(2025, 11, 1), None, frozenset(), None, Priority.LOW).task(
    "t", "k"
)


def _told(old: Task, new: Task, version: int) -> Activity:
    at, changes = datetime(2025, 11, 6, tzinfo=UTC), differences(old, new)
    kept = old.description if "description" in changes else None
    return Activity(
        team_id="t", task_id="k", version=version, who="aoi", who_name="Aoi", at=at, changes=changes, before=kept
    )


def test_every_value_that_people_enter_survives_being_told() -> None:
    for task in (OLD, NEW):
        for name in ENTERED:
            assert value(name, text(getattr(task, name))) == getattr(task, name)


def test_a_task_is_rolled_back_through_all_changes() -> None:
    middle = replace(OLD, title="中間", status=Status.TODO)
    since = [_told(OLD, middle, 2), _told(middle, NEW, 4)]
    assert rolled_back(NEW, since) == OLD
    assert rolled_back(NEW, since[1:]) == middle


def test_what_was_not_kept_whole_is_not_guessed() -> None:
    """Version 0.1 did not keep the description before."""
    old = replace(_told(OLD, NEW, 2), before=None)
    assert before(old) is None
    assert rolled_back(NEW, [old]) is None
