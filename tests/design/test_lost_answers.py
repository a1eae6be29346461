"""Answers get lost on the way: a write that is tried again must not take its own work for somebody else's."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import sekkei.design.retries as retries
from sekkei.clock import ManualClock
from sekkei.design import Attr, ConditionFailed, Database, Design, Key, attr, model, tables, version
from sekkei.store import Embedded, Retries, Retrying, Weather


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


design = Design("seats")
seat_table, page_table = design.table("seats", "number"), design.table("pages", "name")


@seat_table.entity(Seat)
def seats(number: str) -> Key:
    return Key(number)


@page_table.entity(Page)
def pages(name: str) -> Key:
    return Key(name)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_WAIT_SECONDS", 0.0)


async def _at_once(seconds: float) -> None:
    await asyncio.sleep(0)


async def opened(seed: int, **weather: Any) -> tuple[Database, Database]:
    """The design in weather, and the same in sunshine."""
    clock, calm = ManualClock(), Embedded()
    await tables.create(calm, design, "dev", clock)
    kind = weather or {"conflicts": 0.1, "in_progress": 0.05, "throttled": 0.05, "lost_responses": 0.3}
    bad = Retrying(Weather(calm, seed, sleep=_at_once, **kind), Retries(attempts=50), clock=clock, sleep=_at_once)
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
    storm = Weather.preset("storm", calm, seed, sleep=_at_once)
    db = design.open(Retrying(storm, Retries(attempts=50), sleep=_at_once))
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
