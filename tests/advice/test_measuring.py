"""Every pattern of a design, run on made-up items."""

from __future__ import annotations

from math import ceil
from pathlib import Path

import pytest

from sekkei.advice.measuring import measure
from sekkei.advice.sample_data import instance, instances
from sekkei.advice.sizes import item_bytes, read_units
from sekkei.design import Index, Measurements, Query, Transaction, Units, Update
from sekkei.design.loading import find, measurements_beside
from tests.advice.conftest import State, Thing, thing_design

MEASURED = [
    name for name in ("chiipochi", "eventbot", "lessons", "q", "tasks") if measurements_beside(find(name)[1]).exists()
]


async def test_reads_and_writes_with_their_indexes() -> None:
    design, things = thing_design(Index("by_state", "state", "at"))

    @design.pattern
    def things_of(owner: str) -> Query[Thing]:
        """Somebody's things."""
        return things.where(Thing.owner == owner)

    @design.pattern
    def finish(owner: str, id: str) -> Update[Thing]:
        """Finish one that is open."""
        return things.update(owner, id).set(Thing.state, State.DONE).when(Thing.state == State.OPEN)

    @design.pattern
    def add_two(first: Thing, second: Thing) -> Transaction:
        """Two at once."""
        return Transaction(things.create(first), things.delete("nobody", "none"))

    found = await measure(design, items=100, per_partition=50)
    assert found.left_out == {}
    assert found.units["things_of"].items == 50
    stored = [item_bytes(things.encode(one)) for one in instances(things, 50, 50)]
    assert found.units["things_of"].read == read_units(sum(stored))
    assert found.units["finish"].write == 3.0  # the item, and its entry in the index moves
    assert found.units["finish"].indexes == {"things.by_state": 2.0}
    assert found.units["add_two"].write >= 4.0  # twice the units in a transaction


async def test_twice_the_same_and_no_pattern_left_out() -> None:
    """Also those whose conditions look at entries of maps, as the places of options are."""
    design, _ = find("eventbot")
    once, again = await measure(design), await measure(design)
    assert once.units == again.units
    assert once.left_out == {}


def test_measurements_come_back_as_they_were_saved(tmp_path: Path) -> None:
    made = Measurements({"a": Units(0.0, 5.0, 1, 0, 1, 20, {"t.i": 2.0}), "b": Units(1.0, 0.0, 0)})
    made.save(tmp_path / "m.json")
    assert Measurements.load(tmp_path / "m.json").units == made.units


@pytest.mark.parametrize("system", MEASURED)
async def test_no_pattern_has_become_dearer(system: str) -> None:
    """When one has, and is worth it: `make renew WHAT=measure`, and say why in the commit."""
    design, home = find(system)
    before = Measurements.load(measurements_beside(home)).units
    measured = await measure(design)
    assert measured.left_out == {}
    assert set(measured.units) <= set(before), "New patterns: run `make renew WHAT=measure`."
    now = measured.units
    dearer = {
        name: f"{before[name]} before, {units} now"
        for name, units in now.items()
        if name in before and units.read + units.write > before[name].read + before[name].write
    }
    assert dearer == {}


def test_three_patterns_by_the_formulas() -> None:
    """developerguide/read-write-operations and transaction-apis: a page of a query is rounded as a whole, an item in a
    transaction counts twice, also one that is only checked, and an index entry once."""
    design, home = find("q")
    kept = Measurements.load(measurements_beside(home)).units
    answers = next(entity for entity in design.tables["Answers"].entities if entity.name == "answers")
    page = sum(item_bytes(answers.encode(instance(answers, number))) for number in range(50))
    assert kept["answers_of_day"].read == ceil(page / 4_096) / 2 == 1.5
    # An edge and two people are written, two blocks checked; the edge is in one index, each of the people in two.
    assert kept["follow"].write == 2 * (3 + 2) + 1 + 2 * 2
    # A question in two indexes (nobody submitted the made-up one), and the row of who submitted it in one.
    assert kept["submit_question"].write == 2 * 2 + 2 + 1
