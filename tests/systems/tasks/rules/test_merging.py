"""Two people edit one task."""

from __future__ import annotations

from datetime import date

import pytest
from msgspec import structs

from sekkei_systems.tasks.design.statuses import Priority, Status
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.merging import Clash, Kept, chosen, merged

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
