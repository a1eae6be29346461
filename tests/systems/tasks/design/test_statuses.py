"""The groups serve every choice of statuses."""

from __future__ import annotations

from itertools import combinations

import pytest

from sekkei_systems.tasks.design.statuses import GROUPS, Status, group, group_serving

SUBSETS = [frozenset(chosen) for size in (1, 2, 3) for chosen in combinations(Status, size)]
TODO, DOING, DONE = Status


def test_the_table_of_the_design() -> None:
    served = {
        frozenset({TODO}): (1, "todo"),
        frozenset({DOING}): (3, "doing"),
        frozenset({DONE}): (2, "done"),
        frozenset({TODO, DOING}): (2, "todo_doing"),
        frozenset({DOING, DONE}): (1, "doing_done"),
        frozenset({TODO, DONE}): (3, "todo_done"),
        frozenset({TODO, DOING, DONE}): None,
    }
    assert {subset: group_serving(subset) for subset in SUBSETS} == served


@pytest.mark.parametrize("subset", [subset for subset in SUBSETS if len(subset) < 3])
def test_a_group_holds_exactly_the_statuses_that_it_serves(subset: frozenset[Status]) -> None:
    found = group_serving(subset)
    assert found is not None
    number, word = found
    assert {status for status in Status if GROUPS[number - 1][status] == word} == subset


def test_no_status_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="at least one"):
        group_serving([])


def test_a_group_names_the_team_without_a_stray_letter() -> None:
    assert group("abc", "doing_done") == "TEAM#abc#Status#doing_done"
