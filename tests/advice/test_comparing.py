"""Two versions of a design."""

from __future__ import annotations

from sekkei.advice.comparing import compare
from sekkei.design import Design, Index, LocalIndex, Measurements, Query, Units
from tests.advice.conftest import Thing, thing_design

NONE = (Measurements(), Measurements())


def kinds(before: Design, after: Design) -> set[tuple[str, str]]:
    return {(each.kind, each.place) for each in compare(before, after, NONE)}


def test_the_same_design_does_not_differ() -> None:
    assert compare(thing_design()[0], thing_design()[0], NONE) == []


def test_another_key_needs_another_table() -> None:
    other = Design("small")
    other.table("things", "id")
    assert ("refused", "things") in kinds(thing_design()[0], other)


def test_indexes_come_and_go() -> None:
    plain, indexed = thing_design()[0], thing_design(Index("by_state", "state", "at"))[0]
    narrow = thing_design(Index("by_state", "state", "at", projection="KEYS_ONLY"))[0]
    assert kinds(plain, indexed) == {("new", "things.by_state")}
    assert kinds(indexed, plain) == {("gone", "things.by_state")}
    assert kinds(indexed, narrow) == {("refused", "things.by_state")}
    assert kinds(plain, thing_design(LocalIndex("by_at", "at"))[0]) == {("refused", "things.by_at")}


def test_patterns_dearer_and_cheaper() -> None:
    designs = []
    for _ in range(2):
        design, things = thing_design()

        def things_of(owner: str, things=things) -> Query[Thing]:  # type: ignore[no-untyped-def]
            """Somebody's things."""
            return things.where(Thing.owner == owner)  # type: ignore[no-any-return]

        design.pattern(sample={"things": things})(things_of)
        designs.append(design)
    before, after = Measurements({"things_of": Units(1.0, 0.0, 1)}), Measurements({"things_of": Units(4.0, 0.0, 1)})
    (found,) = compare(designs[0], designs[1], (before, after))
    assert (found.kind, found.text) == ("dearer", "1 → 4 units")
    (found,) = compare(designs[0], designs[1], (after, before))
    assert found.kind == "cheaper"


def test_the_gravest_first() -> None:
    after = thing_design(Index("by_state", "state", "at"), stream="KEYS_ONLY", discriminator=None)[0]
    after.tables["things"].pk = "ID"
    assert compare(thing_design()[0], after, NONE)[0].kind == "refused"
