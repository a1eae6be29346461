"""What changed, as texts that are kept; and a task as it was before."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from msgspec import structs

from sekkei.design import replace
from sekkei_systems.tasks.design import Activity, Task
from sekkei_systems.tasks.design.statuses import Priority, Status
from sekkei_systems.tasks.rules.drafts import ENTERED, TaskDraft
from sekkei_systems.tasks.rules.history import (
    Clash,
    Kept,
    before,
    chosen,
    differences,
    merged,
    rolled_back,
    text,
    value,
)

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


# Two people edit one task.


BASE = TaskDraft("題", "説明", tags=frozenset({"a"}), end=date(2025, 11, 6))


def test_each_keeps_what_they_changed() -> None:
    theirs = structs.replace(BASE, status=Status.DONE, end=None)
    mine = structs.replace(BASE, title="私の題", priority=Priority.HIGH)
    draft, clashes = merged(BASE, theirs, mine)
    assert clashes == []
    assert draft == structs.replace(BASE, status=Status.DONE, end=None, title="私の題", priority=Priority.HIGH)


def test_the_same_change_by_both_is_no_clash() -> None:
    both = structs.replace(BASE, title="同じ")
    assert merged(BASE, both, both) == (both, [])


def test_what_both_changed_differently_clashes_and_mine_stays_in_the_form() -> None:
    theirs, mine = structs.replace(BASE, title="彼の題", end=None), structs.replace(BASE, title="私の題")
    draft, clashes = merged(BASE, theirs, mine)
    assert clashes == [Clash("title", "私の題", "彼の題")]
    assert draft == structs.replace(BASE, title="私の題", end=None)


def test_without_a_base_every_difference_is_asked() -> None:
    theirs, mine = structs.replace(BASE, title="彼の題"), structs.replace(BASE, description="私の説明")
    assert [clash.name for clash in merged(None, theirs, mine)[1]] == ["title", "description"]


@pytest.mark.parametrize(
    ("keep", "title", "description", "tags"),
    [
        (Kept.MINE, "私", "私の", {"m"}),
        (Kept.THEIRS, "彼", "彼の", {"t"}),
        (Kept.BOTH, "彼 / 私", "彼の\n\n私の", {"t", "m"}),
    ],
)
def test_mine_theirs_or_both(keep: Kept, title: str, description: str, tags: set[str]) -> None:
    theirs, mine = TaskDraft("彼", "彼の", tags=frozenset("t")), TaskDraft("私", "私の", tags=frozenset("m"))
    draft = chosen(theirs, mine, dict.fromkeys(("title", "description", "tags"), keep))
    assert (draft.title, draft.description, draft.tags) == (title, description, tags)


def test_there_is_no_both_of_a_date() -> None:
    clash = Clash("end", None, date(2025, 11, 6))
    assert clash.choices == (Kept.MINE, Kept.THEIRS)
    mine, theirs = TaskDraft("題"), TaskDraft("題", end=date(2025, 11, 6))
    assert chosen(theirs, mine, {"end": Kept.BOTH}) == mine
