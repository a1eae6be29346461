"""What a write of a task is made of."""

from __future__ import annotations

from datetime import UTC, datetime

from sekkei.design import replace
from sekkei_systems.tasks.design import DESCRIPTION_KEPT_MAX, search_texts, task_texts
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.writes import history_rows, rewritten, stored

NOW = datetime(2025, 11, 6, tzinfo=UTC)
SHORT = TaskDraft("題", "あ" * DESCRIPTION_KEPT_MAX).task("t", "k")
LONG = TaskDraft("題", "あ" * (DESCRIPTION_KEPT_MAX + 1)).task("t", "k")


def test_only_the_beginning_of_a_long_description_is_copied_into_indexes() -> None:
    assert stored(SHORT) == SHORT
    assert (stored(LONG).description, stored(LONG).has_more) == (SHORT.description, True)


def test_texts_beside_a_task_are_written_when_they_change() -> None:
    assert rewritten(SHORT, replace(SHORT, assignee="aoi")) == []
    assert [action.entity for action in rewritten(SHORT, LONG)] == [search_texts, task_texts]
    assert [action.entity for action in rewritten(LONG, replace(LONG, title="x"))] == [search_texts, task_texts]
    assert [type(action).__name__ for action in rewritten(LONG, SHORT)] == ["Put", "Delete"]


def test_what_nobody_entered_is_not_told() -> None:
    assert history_rows(SHORT, replace(SHORT, rank="m"), "aoi", "Aoi", NOW, {}) == []
    (line,) = history_rows(SHORT, LONG, "aoi", "Aoi", NOW, {})
    assert (line.instance.before, line.instance.version) == (SHORT.description, SHORT.version + 1)  # type: ignore[attr-defined]
