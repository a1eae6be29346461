"""Parts of a file: everything once, in its order, and none beyond what DynamoDB takes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.foreign import ForeignTask
from sekkei_systems.tasks.rules.import_parts import (
    ACTIONS_MAX,
    BYTES_MAX,
    actions_of,
    packed,
    parts_of,
    rooted,
    unpacked,
)

NAMES = st.lists(st.text("abcdefghij", min_size=1, max_size=3), max_size=10).map(tuple)
FOUND = st.builds(
    ForeignTask,
    source=st.text("abc", max_size=3),
    draft=st.builds(
        TaskDraft,
        title=st.just("仕事"),
        description=st.integers(0, 10_000).map(lambda n: "長" * n),
        tags=st.just(frozenset()),
    ),
    tags=NAMES,
    people=NAMES,
    parent=st.text("abc", max_size=2),
    checks=st.lists(st.tuples(st.just("項" * 200), st.booleans()), max_size=100).map(tuple),
)


@given(st.lists(FOUND, max_size=40))
def test_all_of_them_in_parts_that_fit(tasks: list[ForeignTask]) -> None:
    parts = list(parts_of(tasks))
    assert [one for part in parts for one in part] == tasks
    for part in parts:
        above = {one.parent for one in part if one.parent}
        names = {("tag", name) for one in part for name in one.tags} | {("who", one.people[:1]) for one in part}
        assert sum(map(actions_of, part)) + len(names - {("who", ())}) + 2 * len(above) <= ACTIONS_MAX
        assert len(packed(part)) <= BYTES_MAX * 1.01 < 400_000
        assert unpacked(packed(part)) == part


def test_one_level_and_no_part_before_its_parent() -> None:
    pairs = [("a/3", "a/2"), ("a/1", ""), ("a/2", "a/1"), ("a/4", "a/5"), ("a/5", "a/4"), ("a/6", "a/6"), ("", "DEV-1")]
    found = rooted([ForeignTask(source, TaskDraft("仕事"), parent=parent) for source, parent in pairs])
    assert [(one.source, one.parent) for one in found] == [
        ("a/1", ""),
        ("a/3", "a/1"),
        ("a/2", "a/1"),
        ("a/4", ""),
        ("a/5", ""),
        ("a/6", ""),
        ("", "DEV-1"),
    ]
    many = rooted(
        [
            ForeignTask("a/1", TaskDraft("仕事")),
            *(ForeignTask(f"b/{at}", TaskDraft("仕事"), parent="a/1") for at in range(60)),
        ]
    )
    assert sum(one.parent == "a/1" for one in many) == 50


@given(st.lists(FOUND, max_size=40))
def test_every_task_stays(tasks: list[ForeignTask]) -> None:
    assert sorted(one.draft.description for one in rooted(tasks)) == sorted(one.draft.description for one in tasks)
