"""Parts of a file: everything once, in its order, and none beyond what DynamoDB takes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sekkei_systems.tasks.rules.foreign import Found
from sekkei_systems.tasks.rules.import_parts import ACTIONS_MAX, BYTES_MAX, actions_of, packed, parts_of, unpacked

NAMES = st.lists(st.text("abcdefghij", min_size=1, max_size=3), max_size=10).map(tuple)
FOUND = st.builds(
    Found,
    source=st.text("abc", max_size=3),
    title=st.just("仕事"),
    description=st.integers(0, 10_000).map(lambda n: "長" * n),
    tags=NAMES,
    people=NAMES,
    checks=st.lists(st.tuples(st.just("項" * 200), st.booleans()), max_size=100).map(tuple),
)


@given(st.lists(FOUND, max_size=40))
def test_all_of_them_in_parts_that_fit(tasks: list[Found]) -> None:
    parts = list(parts_of(tasks))
    assert [one for part in parts for one in part] == tasks
    for part in parts:
        names = {("tag", name) for one in part for name in one.tags} | {("who", one.people[:1]) for one in part}
        assert sum(map(actions_of, part)) + len(names - {("who", ())}) <= ACTIONS_MAX
        assert len(packed(part)) <= BYTES_MAX * 1.01 < 400_000
        assert unpacked(packed(part)) == part
