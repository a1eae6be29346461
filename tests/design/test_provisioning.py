"""Live tables against the design, on every store."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Attr, Capacity, Design, Index, Key, LocalIndex, TablesDiffer, attr, model, tables
from sekkei.errors import ValidationException
from sekkei.store import Embedded, Store
from tests.design.example import design as example
from tests.scripted_store import ScriptedStore


@model
class Thing:
    id: Attr[str]
    at: Attr[str] = attr(default="x")
    name: Attr[str] = attr(default="x")
    size: Attr[int] = attr(default=0)
    expires: Attr[int | None] = attr(default=None)


def make(**options: Any) -> Design:
    made = Design("x", tables="{env}-x-{table}")
    table = made.table("things", "id", "at", **options)

    @table.entity(Thing)
    def things(id: str, at: str) -> Key:
        return Key(id, at)

    return made


@pytest.fixture
def env() -> str:
    return uuid.uuid4().hex[:12]


async def words(store: Store, design: Design, env: str) -> list[str]:
    return [str(step) for step in await tables.differences(store, design, env)]


async def test_what_was_made_does_not_differ(store: Store, env: str, clock: ManualClock) -> None:
    made = await tables.create(store, example, env, clock)
    assert len(made) == len(example.tables)
    assert await words(store, example, env) == []
    assert await tables.create(store, example, env, clock) == []
    assert await tables.apply(store, example, env, clock=clock) == ([], [])


async def test_a_missing_table_is_shown_and_made(store: Store, env: str, clock: ManualClock) -> None:
    design = make(ttl="expires", pitr=True, stream="NEW_IMAGE")
    assert await words(store, design, env) == [f"{env}-x-things: is missing"]
    done, left = await tables.apply(store, design, env, clock=clock)
    assert (len(done), left) == (1, [])
    assert await words(store, design, env) == []


async def test_indexes_come_one_at_a_time(store: Store, env: str, clock: ManualClock) -> None:
    await tables.create(store, make(), env, clock)
    wanted = make(indexes=[Index("by_name", "name"), Index("by_size", "size", "at", projection="KEYS_ONLY")])
    assert await words(store, wanted, env) == [
        f"{env}-x-things: index by_name is missing",
        f"{env}-x-things: index by_size is missing",
    ]
    done, left = await tables.apply(store, wanted, env, clock=clock)
    assert (len(done), left) == (2, [])
    assert await words(store, wanted, env) == []


async def test_what_would_be_lost_needs_its_name(store: Store, env: str, clock: ManualClock) -> None:
    await tables.create(store, make(indexes=[Index("by_name", "name"), Index("old", "size")]), env, clock)
    wanted = make(indexes=[Index("by_name", "name", "at")])
    name = f"{env}-x-things"
    assert await words(store, wanted, env) == [
        f"{name}: index by_name is name, ALL, the design says name / at, ALL (only with --replace {name}.by_name)",
        f"{name}: index old is not in the design (only with --replace {name}.old)",
    ]
    done, left = await tables.apply(store, wanted, env, clock=clock)
    assert (done, len(left)) == ([], 2)
    done, left = await tables.apply(store, wanted, env, named=[f"{name}.by_name", f"{name}.old"], clock=clock)
    assert (len(done), left) == (2, [])
    assert await words(store, wanted, env) == []


async def test_a_name_that_is_none_is_refused(store: Store, env: str, clock: ManualClock) -> None:
    await tables.create(store, make(), env, clock)
    with pytest.raises(TablesDiffer, match="SK601"):
        await tables.apply(store, make(), env, named=["typo"], clock=clock)


async def test_keys_and_local_indexes_cannot_change(store: Store, env: str, clock: ManualClock) -> None:
    await tables.create(store, make(), env, clock)
    other = Design("x", tables="{env}-x-{table}")
    table = other.table("things", "id", "name", indexes=[LocalIndex("by_at", "at")])

    @table.entity(Thing)
    def things(id: str, name: str) -> Key:
        return Key(id, name)

    found = await words(store, other, env)
    assert len(found) == 2
    assert "the key is id / at, the design says id / name; copy to a new table (cannot be changed in place)" in found[0]
    assert "local indexes are none" in found[1]
    done, left = await tables.apply(store, other, env, clock=clock)
    assert (done, len(left)) == ([], 2)


async def test_settings_are_changed_in_place(store: Store, env: str, clock: ManualClock) -> None:
    await tables.create(store, make(), env, clock)
    wanted = make(
        capacity=Capacity(3, 2),
        ttl="expires",
        pitr=True,
        stream="NEW_AND_OLD_IMAGES",
        deletion_protection=True,
    )
    name = f"{env}-x-things"
    assert await words(store, wanted, env) == [
        f"{name}: billing is on demand, the design says 3 read / 2 write units",
        f"{name}: the stream is off, the design says NEW_AND_OLD_IMAGES",
        f"{name}: deletion protection is off, the design says on",
        f"{name}: the time to live is off, the design says expires",
        f"{name}: point-in-time recovery is off, the design says on",
    ]
    done, left = await tables.apply(store, wanted, env, clock=clock)
    assert (len(done), left) == (5, [])
    assert await words(store, wanted, env) == []


async def test_switching_off_what_keeps_data_needs_its_name(store: Store, env: str, clock: ManualClock) -> None:
    await tables.create(store, make(stream="KEYS_ONLY", pitr=True, deletion_protection=True), env, clock)
    found = await tables.differences(store, make(), env)
    assert [step.kind for step in found] == ["named", "named", "named"]
    await tables.apply(store, make(), env, named=[step.name for step in found], clock=clock)
    assert await words(store, make(), env) == []


async def test_a_table_outside_the_design_is_shown_and_kept(store: Store, env: str, clock: ManualClock) -> None:
    await tables.create(store, make(), env, clock)
    other = Design("y", tables="{env}-x-{table}")
    table = other.table("forgotten", "id", "at")

    @table.entity(Thing)
    def things(id: str, at: str) -> Key:
        return Key(id, at)

    await tables.create(store, other, env, clock)
    name = f"{env}-x-forgotten"
    assert await words(store, make(), env) == [f"{name}: is not in the design (only with --replace {name})"]
    await tables.apply(store, make(), env, named=[name], clock=clock)
    assert await words(store, make(), env) == []


async def test_moving_a_time_to_live_needs_its_name_and_two_runs(store: Store, env: str, clock: ManualClock) -> None:
    await tables.create(store, make(ttl="expires"), env, clock)
    wanted, name = make(ttl="size"), f"{env}-x-things"
    step = (await tables.differences(store, wanted, env))[0]
    assert (step.kind, step.name) == ("named", f"{name}.ttl")
    assert "is expires, the design says size; this turns it off, and an hour later" in step.words
    assert await tables.apply(store, wanted, env, clock=clock) == ([], [step])
    done, left = await tables.apply(store, wanted, env, named=[f"{name}.ttl"], clock=clock)
    assert (done, left) == ([step], [])
    assert await words(store, wanted, env) == [f"{name}: the time to live is off, the design says size"]
    off = await tables.differences(store, make(), env)
    assert off == []


async def test_a_second_change_of_the_time_to_live_within_an_hour_is_refused(env: str) -> None:
    store = ScriptedStore(Embedded())

    def one_an_hour(operation: str, request: Any) -> None:
        if operation == "UpdateTimeToLive" and store.count(operation) > 1:
            raise ValidationException("Time to live has been modified multiple times within a fixed interval")

    store.before = one_an_hour
    await tables.create(store, make(ttl="expires"), env)
    with pytest.raises(TablesDiffer, match=r"SK603.*one change an hour"):
        await tables.apply(store, make(), env, named=[f"{env}-x-things.ttl"])
    await store.close()


async def test_warmth_tags_and_insights_are_made_compared_and_changed(env: str, clock: ManualClock) -> None:
    index = Index("by_name", "name", warm=Capacity(20_000, 5_000), insights=True)
    wanted = make(indexes=[index], warm=Capacity(15_000, 5_000), tags={"team": "web", "cost": "7"}, insights=True)
    store = Embedded(clock=clock)
    await tables.create(store, make(indexes=[Index("by_name", "name")], tags={"team": "app"}), env, clock)
    assert await words(store, wanted, env) == [
        f"{env}-x-things: the table is warm for 12000 / 4000 read / write units a second, the design says 15000 / 5000",
        f"{env}-x-things: index by_name is warm for 12000 / 4000 read / write units a second, "
        "the design says 20000 / 5000",
        f"{env}-x-things: the design says the tags team=web (is app), cost=7 (is missing)",
        f"{env}-x-things: contributor insights are off, the design says on",
        f"{env}-x-things: contributor insights are off for index by_name, the design says on",
    ]
    done, left = await tables.apply(store, wanted, env, clock=clock)
    assert (len(done), left) == (5, [])
    assert await words(store, wanted, env) == []
    other = uuid.uuid4().hex[:12]
    await tables.create(store, wanted, other, clock)
    assert await words(store, wanted, other) == []
    await store.close()
