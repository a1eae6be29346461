"""What a change saves, by hand."""

from __future__ import annotations

import pytest

from sekkei.advice.costing import Bill, Prices, price, savings
from sekkei.advice.sample_data import instance
from sekkei.advice.sizes import item_bytes
from sekkei.design import Attr, Design, Index, Measurements, Query, Units, attr, model, part
from tests.advice.conftest import State, Thing, thing_design

MILLIONS = 730 * 3_600 / 1e6
PRICES = Prices.of("us-east-1")


@model
class Short:
    owner: Attr[str] = part()
    state: Attr[State] = attr()
    seen: Attr[int] = attr(default=0)


def shop(*, read: bool, short: bool = False) -> Design:
    design, things = thing_design(Index("by_state", "state", "at"))

    @design.pattern
    def finish(owner: str, id: str) -> object:
        """Finish one."""
        return things.update(owner, id).set(Thing.state, State.DONE)

    if read:

        @design.pattern
        def in_state(state: State) -> Query[Thing] | Query[Short]:
            """Things of a state."""
            found = things.index("by_state").where(Thing.state == state)
            return found.only(Short) if short else found

    return design


MEASURED = Measurements({"finish": Units(0.0, 3.0, 1, indexes={"things.by_state": 2.0})})


def bill_of(design: Design, items: int = 10**8) -> Bill:
    return price(design, MEASURED, rates={"finish": 10.0}, items={"things": items}, prices=PRICES)


def entry_sizes(design: Design, *names: str) -> list[int]:
    (entity,) = design.tables["things"].entities
    items = [entity.encode(instance(entity, number)) for number in range(5)]
    return [item_bytes({name: item[name] for name in item if not names or name in names}) for item in items]


def test_an_index_that_nobody_reads() -> None:
    design = shop(read=False)
    (saved,) = savings(design, bill_of(design))
    stored = 10**8 * (sum(entry_sizes(design)) / 5 + 100) / 1024**3
    assert saved.place == "things.by_state"
    assert saved.write == 20.0  # ten a second, two units each
    assert saved.dollars == pytest.approx(20 * MILLIONS * 0.625 + stored * 0.25)


def test_a_projection_of_what_is_read() -> None:
    design = shop(read=True, short=True)
    (saved,) = savings(design, bill_of(design))
    assert saved.what == "project seen instead of ALL"
    whole = sum(entry_sizes(design)) + 500
    cut = sum(entry_sizes(design, "PK", "SK", "state", "at", "seen")) + 500
    assert saved.write == 0.0  # an entry was below 1 KB before
    assert saved.dollars == pytest.approx(10**8 / 5 * (whole - cut) / 1024**3 * 0.25)


def test_nothing_to_save() -> None:
    whole, empty = shop(read=True), shop(read=True, short=True)
    assert savings(whole, bill_of(whole)) == []
    assert savings(empty, bill_of(empty, items=0)) == []


def test_a_price_that_is_not_known() -> None:
    design = shop(read=False)
    bill = price(design, MEASURED, rates={}, items={"things": 1}, prices=Prices("moon-1", "", ""))
    assert [saved.dollars for saved in savings(design, bill)] == [None]
