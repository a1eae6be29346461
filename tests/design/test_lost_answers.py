"""Answers get lost on the way: a write that is tried again must not take its own work for somebody else's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import sekkei.design.retries as retries
from sekkei.clock import ManualClock
from sekkei.design import (
    Action,
    Attr,
    ConditionFailed,
    Database,
    Design,
    Key,
    ValueRefused,
    attr,
    model,
    tables,
    template,
    version,
)
from sekkei.store import Embedded, Retries, Retrying, Weather
from tests.lost import Forgetful, at_once


@model
class Seat:
    number: Attr[str]
    owner: Attr[str]
    moves: Attr[int] = attr(default=0)


@model
class Page:
    name: Attr[str]
    text: Attr[str]
    version: Attr[int] = version()


@model
class Rider:
    name: Attr[str]
    team: Attr[str]
    points: Attr[int]
    place: Attr[str] = template("{team}#{points:03d}")


design = Design("seats")
seat_table, page_table = design.table("seats", "number"), design.table("pages", "name")
rider_table = design.table("riders", "name")


@seat_table.entity(Seat)
def seats(number: str) -> Key:
    return Key(number)


@page_table.entity(Page)
def pages(name: str) -> Key:
    return Key(name)


@rider_table.entity(Rider)
def riders(name: str) -> Key:
    return Key(name)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_WAIT_SECONDS", 0.0)


async def opened(seed: int, **weather: Any) -> tuple[Database, Database]:
    """The design in weather, and the same in sunshine."""
    clock, calm = ManualClock(), Embedded()
    await tables.create(calm, design, "dev", clock)
    kind = weather or {"conflicts": 0.1, "in_progress": 0.05, "throttled": 0.05, "lost_responses": 0.3}
    bad = Retrying(Weather(calm, seed, sleep=at_once, **kind), Retries(attempts=50), clock=clock, sleep=at_once)
    return design.open(bad, clock=clock), design.open(calm, clock=clock)


@pytest.mark.parametrize("seed", range(60))
async def test_one_of_several_gets_the_seat_and_knows_it(seed: int) -> None:
    db, calm = await opened(seed)

    async def take(owner: str) -> str | None:
        try:
            return (await db.write(seats.create(Seat(number="1", owner=owner)))).owner
        except ConditionFailed:
            return None

    winners = [owner for owner in await asyncio.gather(*(take(name) for name in "abc")) if owner is not None]
    assert winners == [(await calm.need(seats("1"))).owner]
    await calm.close()


@pytest.mark.parametrize("seed", range(20))
async def test_a_storm_of_every_kind(seed: int) -> None:
    calm = Embedded()
    await tables.create(calm, design, "dev")
    storm = Weather.preset("storm", calm, seed, sleep=at_once)
    db = design.open(Retrying(storm, Retries(attempts=50), sleep=at_once))
    for number in range(10):
        assert (await db.write(seats.create(Seat(number=str(number), owner="me")))).owner == "me"
        with pytest.raises(ConditionFailed):
            await db.write(seats.create(Seat(number=str(number), owner="you")))
    await calm.close()


async def test_replacing_a_versioned_item_is_told_apart_too() -> None:
    for seed in range(30):
        db, calm = await opened(seed)
        page = await db.write(pages.create(Page(name="a", text="1")))
        page = await db.write(pages.replace(Page(name="a", text="2")) if page is None else pages.put(page))
        assert page.version == 2
        await calm.close()


async def test_the_very_same_item_of_another_is_another_s_when_no_answer_was_lost() -> None:
    db, calm = await opened(1, latency=0.001)
    await calm.write(seats.create(Seat(number="1", owner="me")))
    with pytest.raises(ConditionFailed):
        await db.write(seats.create(Seat(number="1", owner="me")))
    await calm.close()


@pytest.mark.parametrize("seed", range(30))
async def test_with_a_token_a_write_happens_once(seed: int) -> None:
    db, calm = await opened(seed)
    await calm.write(seats.create(Seat(number="1", owner="me")))
    moved = await db.write(seats.update("1").add(Seat.moves, 1), token="move-1")
    assert moved.moves == 1
    assert (await db.write(seats.update("1").add(Seat.moves, 1), token="move-1")).moves == 1
    assert (await db.write(seats.delete("1").must_exist(), token="leave")) is not None
    await calm.close()


async def forgetful(
    meanwhile: Callable[[Database], Awaitable[Any]], *there: Action[Any, Any]
) -> tuple[Database, Database, Forgetful]:
    """The design in a store that loses the first answer, the same in sunshine, and that store."""
    clock, calm = ManualClock(), Embedded()
    await tables.create(calm, design, "dev", clock)
    sunny = design.open(calm, clock=clock)
    for action in there:
        await sunny.write(action)
    store = Forgetful(calm, lambda: meanwhile(sunny))
    return design.open(Retrying(store, clock=clock, sleep=at_once), clock=clock), sunny, store


FREE = Seat(number="1", owner="nobody")
MINE = Seat(number="1", owner="me/7f3a")


async def moved(db: Database) -> None:
    await db.write(seats.update("1").add(Seat.moves, 1))


async def test_a_create_is_known_by_what_nobody_else_writes_though_it_was_changed_since() -> None:
    db, calm, _ = await forgetful(moved)
    assert await db.write(seats.create(MINE).known_by(Seat.owner)) == MINE
    assert (await calm.need(seats("1"))).moves == 1


async def test_a_create_under_a_key_of_its_own_is_known_by_that_key() -> None:
    db, calm, _ = await forgetful(moved)
    assert await db.write(seats.create(MINE).known_by(Seat.number)) == MINE
    assert (await calm.need(seats("1"))).moves == 1


async def test_an_update_is_known_by_what_nobody_else_writes() -> None:
    db, _, store = await forgetful(moved, seats.create(FREE))
    taking = seats.update("1").set(Seat.owner, "me/7f3a").known_by(Seat.owner)
    assert await db.write(taking.when(Seat.owner == "nobody")) == Seat(number="1", owner="me/7f3a", moves=1)
    assert store.operations == ["UpdateItem"]  # the second one was refused


async def test_what_another_wrote_meanwhile_is_another_s() -> None:
    async def took(db: Database) -> None:
        await db.write(seats.put(Seat(number="1", owner="you/81c0")))

    db, _, _ = await forgetful(took, seats.create(FREE))
    taking = seats.update("1").set(Seat.owner, "me/7f3a").known_by(Seat.owner)
    with pytest.raises(ConditionFailed) as failed:
        await db.write(taking.when(Seat.owner == "nobody"))
    assert failed.value.unsure


async def test_what_is_known_by_its_owner_is_refused_when_no_answer_was_lost() -> None:
    db, calm = await opened(1, latency=0.001)
    await calm.write(seats.create(MINE))
    with pytest.raises(ConditionFailed) as failed:
        await db.write(seats.create(MINE).known_by(Seat.owner))
    assert not failed.value.unsure
    await calm.close()


@pytest.mark.parametrize("action", [seats.delete("1").must_exist(), seats.update("1").set(Seat.moves, 1)])
async def test_a_refusal_after_a_lost_answer_says_that_it_is_not_sure(action: Action[Any, Any]) -> None:
    async def gone(db: Database) -> None:
        await db.write(seats.delete("1"))

    db, _, _ = await forgetful(gone, seats.create(FREE))
    with pytest.raises(ConditionFailed) as failed:
        await db.write(action)
    assert failed.value.unsure


async def test_it_stays_unsure_when_the_item_had_to_be_read_again() -> None:
    """Somebody else changed what the update had read: it is read again, and then the condition does not hold."""

    async def renamed(db: Database) -> None:
        await db.write(riders.update("a").set(Rider.team, "blue"))

    db, _, store = await forgetful(renamed, riders.create(Rider(name="a", team="red", points=0)))
    with pytest.raises(ConditionFailed) as failed:
        await db.write(riders.update("a").set(Rider.points, 1).when(Rider.points == 0))
    assert failed.value.unsure
    assert store.operations == ["GetItem", "UpdateItem", "GetItem"]


async def test_what_is_to_happen_once_does_though_it_was_changed_since() -> None:
    async def closed(db: Database) -> None:
        await db.write(seats.update("1").set(Seat.owner, "closed"))

    db, calm, store = await forgetful(closed, seats.create(FREE))
    counted = seats.update("1").add(Seat.moves, 1).when(Seat.owner == "nobody")
    assert await db.write(counted, once=True) == Seat(number="1", owner="closed", moves=1)
    assert store.operations[:2] == ["TransactWriteItems", "TransactWriteItems"]
    with pytest.raises(ConditionFailed) as failed:
        await db.write(counted, once=True)
    assert not failed.value.unsure
    assert (await calm.need(seats("1"))).moves == 1


async def test_once_is_a_plain_write_where_no_answer_is_lost() -> None:
    class Sure(Forgetful):
        answers_surely = True

    store = Sure(Embedded(), nth=0)
    await tables.create(store, design, "dev")
    await design.open(store).write(seats.create(FREE), once=True)
    assert store.operations[-1] == "PutItem"
    await store.close()


def test_an_update_is_not_known_by_what_it_does_not_set() -> None:
    with pytest.raises(ValueRefused, match="SK227"):
        seats.update("1").add(Seat.moves, 1).known_by(Seat.moves)
    with pytest.raises(ValueRefused, match="SK227"):
        seats.update("1").set(Seat.owner, "me").known_by()
