"""Units by key: their sum is the engine's own count, and the form of every key is told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei.advice.metering import Journal
from sekkei.clock import ManualClock
from sekkei.design import Attr, ConditionFailed, Database, Design, Index, Key, Query, attr, epoch, model, part
from sekkei.store import Embedded
from tests.advice.conftest import State, Thing, thing_design

ENV = "test"
INDEXES = (
    Index("by_state", "state", "at"),
    Index("thin", "state", "day", projection="KEYS_ONLY"),
    Index("some", "email", "at", projection=("seen",)),
    Index("noted", "note", "at"),
)
THINGS = st.builds(
    Thing,
    owner=st.sampled_from("ab"),
    id=st.sampled_from("xy"),
    state=st.sampled_from(State),
    seen=st.integers(0, 10**30),
    email=st.text("あ@", min_size=1, max_size=600),
    note=st.none() | st.sampled_from("mn"),
)


@asynccontextmanager
async def opened(design: Design, clock: ManualClock | None = None) -> AsyncIterator[tuple[Journal, Database]]:
    clock = clock or ManualClock()
    journal = Journal(Embedded(clock=clock), [(design, ENV)], clock)
    db = design.open(journal, env=ENV, clock=clock)
    await db.create_tables()
    try:
        yield journal, db
    finally:
        await journal.close()


def summed(journal: Journal) -> tuple[float, float]:
    charges = journal.charges.values()
    return sum(one.read for one in charges), sum(one.write for one in charges)


@given(
    st.lists(st.tuples(st.sampled_from(["put", "transact", "delete", "batch", "query", "many"]), THINGS), max_size=8)
)
async def test_the_sum_is_what_the_engine_counts(steps: list[tuple[str, Thing]]) -> None:
    design, things = thing_design(*INDEXES)
    async with opened(design) as (journal, db):
        for how, thing in steps:
            await _step(db, things, how, thing)
        read, write = summed(journal)
        assert (read, write) == pytest.approx((journal.tally.read_units, journal.tally.write_units))


async def _step(db: Database, things: Any, how: str, thing: Thing) -> None:
    if how == "transact":
        await db.transact(things.put(thing), things.delete("c", "z"))
    elif how == "batch":
        await db.write_many([things.put(thing)])
    elif how == "query":
        await db.all(things.where(Thing.owner == thing.owner))
    elif how == "many":
        await db.get_many([things(thing.owner, "x"), things(thing.owner, "y")])
    else:
        await db.write(things.put(thing) if how == "put" else things.delete(thing.owner, thing.id))


async def test_keys_by_their_form() -> None:
    design, things = thing_design(Index("by_state", "state", "at"))
    async with opened(design) as (journal, db):
        await db.write(things.put(Thing(owner="a", id="x")))
        await db.write(things.update("a", "x").set(Thing.state, State.DONE))
        await db.get(things("a", "x"))
        by_state: Query[Thing] = things.index("by_state").where(Thing.state == State.DONE)
        await db.all(by_state)
    found = {key: (one.read, one.write, one.splits, one.nature) for key, one in journal.charges.items()}
    assert found == {
        ("things", "OWNER#{owner}"): (0.5, 2.0, True, "zipf"),
        ("things.by_state", "{state} / {at}"): (0.5, 3.0, False, "few:2"),  # one entry put, then moved
    }


async def test_what_a_failed_condition_costs_is_noted() -> None:
    design, things = thing_design()
    async with opened(design) as (journal, db):
        await db.write(things.create(Thing(owner="a", id="x")))
        journal.clear()
        with pytest.raises(ConditionFailed):
            await db.write(things.create(Thing(owner="a", id="x")))
    assert summed(journal) == (0.0, 1.0)


@model
class Visit:
    who: Attr[str] = part()
    ends: Attr[datetime | None] = attr(default=None, stored_as=epoch())


async def test_storage_counts_how_long_a_thing_is_kept() -> None:
    design, clock = Design("visits"), ManualClock(1_000_000)
    table = design.table("visits", "PK", ttl="ends")

    @table.entity(Visit)
    def visits(who: str) -> Key:
        return Key(f"VISIT#{who}")

    async with opened(design, clock) as (journal, db):
        await db.write(visits.put(Visit(who="x")))
        bytes_kept = 100 + len("PK") + len("VISIT#x")
        assert journal.byte_days == {"visits": bytes_kept * 365}
        journal.clear()
        in_two_days = datetime.fromtimestamp(clock.now() + 2 * 86_400, UTC)
        await db.write(visits.put(Visit(who="y", ends=in_two_days)))
        assert journal.byte_days["visits"] == pytest.approx((bytes_kept + len("ends") + 5) * 2, rel=0.02)
        journal.clear()
        await db.write(visits.delete("x"))
        assert journal.byte_days == {"visits": -bytes_kept * 365}


async def test_a_constant_key_is_one_and_a_day_is_todays() -> None:
    design, things = thing_design(Index("by_day", "day", "at"))
    async with opened(design) as (journal, db):
        await db.write(things.put(Thing(owner="a", id="x")))
    charge = journal.charges["things.by_day", "{day} / {at}"]
    assert (charge.nature, charge.splits) == ("today", False)


async def test_it_tells_of_writes_as_the_store_behind_it_does() -> None:
    """Otherwise workers would ask in rounds, and what they ask would count."""
    async with opened(thing_design()[0]) as (journal, _):
        before = journal.version()
        assert before is not None
        assert journal.version() == before
