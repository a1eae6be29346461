"""After any updates, every derived attribute is what it would be if it were computed from the item."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sekkei.testing
from sekkei.design import ConditionFailed, Contended, Database, TransactionFailed, ValueRefused, replace
from tests.design.example import Status, Task, Totals, by_group, design, ranked, tasks, totals
from tests.scripted_store import ScriptedStore

TASK = Task(team_id="t1", task_id="k1", title="x")


async def raw(db: Database, task_id: str = "k1") -> dict[str, Any]:
    request = {"TableName": db.table_name(tasks.table), "Key": tasks("t1", task_id).key, "ConsistentRead": True}
    found: dict[str, Any] = (await db.store.call("GetItem", request))["Item"]
    return found


async def assert_consistent(db: Database, task_id: str = "k1") -> None:
    stored = await raw(db, task_id)
    recomputed = tasks.encode(tasks.decode(stored))
    names = {"PK", "SK", "status_group", "start_sort_sk", "ranked_sk", "waiting", "due", "team_task_status"}
    assert {k: v for k, v in stored.items() if k in names} == {k: v for k, v in recomputed.items() if k in names}


async def test_a_change_of_one_part_rewrites_every_key_that_holds_it(db: Database) -> None:
    await db.write(tasks.create(replace(TASK, due=date(2025, 9, 1), rank=3)))
    await db.write(tasks.update("t1", "k1").set(Task.status, Status.DONE))
    stored = await raw(db)
    assert stored["status_group"] == {"S": "TEAM#t1#closed"}
    assert stored["ranked_sk"] == {"S": "done#0003#k1"}
    assert "waiting" not in stored
    found = await db.all(by_group.where(Task.group == "TEAM#t1#open"))
    assert found == []
    assert len(await db.all(by_group.where(Task.group == "TEAM#t1#closed"))) == 1
    await assert_consistent(db)


async def test_a_removed_part_makes_the_index_sparse_or_uses_the_stand_in(db: Database) -> None:
    await db.write(tasks.create(replace(TASK, due=date(2025, 9, 1), start=date(2025, 8, 1))))
    await db.write(tasks.update("t1", "k1").remove(Task.due).set(Task.start, None))
    stored = await raw(db)
    assert stored["start_sort_sk"] == {"S": "START#9999-12-31"}
    assert "waiting" not in stored
    assert "due" not in stored


async def test_counting_a_number_that_is_in_a_key(db: Database) -> None:
    await db.write(tasks.create(replace(TASK, rank=9)))
    changed = await db.write(tasks.update("t1", "k1").add(Task.rank, 1))
    assert changed.rank == 10
    assert (await raw(db))["ranked_sk"] == {"S": "todo#0010#k1"}


async def test_an_update_that_touches_no_key_reads_nothing(db: Database) -> None:
    await db.write(tasks.create(TASK))
    noting = ScriptedStore(db.store)
    spy = db.design.open(noting, env=db.env, clock=db.clock)
    await spy.write(tasks.update("t1", "k1").set(Task.title, "y"))
    assert [operation for operation, _ in noting.asked] == ["UpdateItem"]


async def test_what_the_caller_knows_saves_the_read_and_becomes_a_condition(db: Database) -> None:
    task = await db.write(tasks.create(replace(TASK, due=date(2025, 9, 1), rank=2)))
    noting = ScriptedStore(db.store)
    spy = db.design.open(noting, env=db.env, clock=db.clock)
    await spy.write(tasks.update("t1", "k1").set(Task.status, Status.DOING).knowing(task))
    assert [operation for operation, _ in noting.asked] == ["UpdateItem"]
    await assert_consistent(db)
    known = tasks.update("t1", "k1").set(Task.status, Status.DONE).knowing(Task.due, date(2025, 9, 1))
    await spy.write(known.knowing(Task.rank, 2))
    assert [operation for operation, _ in noting.asked] == ["UpdateItem", "UpdateItem"]
    await assert_consistent(db)
    with pytest.raises(ConditionFailed):
        await db.write(tasks.update("t1", "k1").set(Task.status, Status.TODO).knowing(replace(task, rank=5)))
    with pytest.raises(ConditionFailed):
        await db.write(tasks.update("t1", "k1").set(Task.title, "z").knowing(Task.status, Status.TODO))


async def test_a_change_in_between_is_noticed_and_tried_again(db: Database) -> None:
    await db.write(tasks.create(replace(TASK, due=date(2025, 9, 1))))
    meddled = 0

    async def meddle(operation: str, request: Any, answer: Any) -> None:
        nonlocal meddled
        if operation == "GetItem" and meddled < 2:
            meddled += 1
            await db.write(tasks.update("t1", "k1").set(Task.due, date(2025, 9, 1 + meddled)))

    other = db.design.open(ScriptedStore(db.store, after=meddle), env=db.env, clock=db.clock)
    await other.write(tasks.update("t1", "k1").set(Task.status, Status.DOING))
    assert meddled == 2
    assert (await db.need(tasks("t1", "k1"))).due == date(2025, 9, 3)
    await assert_consistent(db)


async def test_the_same_within_a_transaction(db: Database) -> None:
    await db.write(tasks.create(replace(TASK, due=date(2025, 9, 1))))
    move = tasks.update("t1", "k1").set(Task.status, Status.DOING).when(Task.status == Status.TODO)
    await db.transact(move, totals.upsert("t1").add(Totals.todo, -1).add(Totals.doing, 1))
    await assert_consistent(db)
    with pytest.raises(TransactionFailed) as failed:
        await db.transact(move, totals.upsert("t1").add(Totals.doing, 1))
    assert failed.value.failed(move)
    assert (await db.need(totals("t1"))).doing == 1
    missing = tasks.update("t1", "nobody").set(Task.status, Status.DOING)
    with pytest.raises(TransactionFailed, match="there is no such item") as failed:
        await db.transact(missing, totals.upsert("t1").add(Totals.doing, 1))
    assert failed.value.failed(missing)


async def test_endless_contention_ends_with_an_error(db: Database, request: pytest.FixtureRequest) -> None:
    if "embedded" not in request.node.name:
        pytest.skip("the same code whatever the store")
    await db.write(tasks.create(replace(TASK, rank=0)))

    async def write_too(operation: str, request: Any, answer: Any) -> None:
        if operation == "GetItem":
            await db.write(tasks.update("t1", "k1").add(Task.rank, 1))

    other = db.design.open(ScriptedStore(db.store, after=write_too), env=db.env, clock=db.clock)
    with pytest.raises(Contended, match="SK303"):
        await other.write(tasks.update("t1", "k1").set(Task.status, Status.DOING))
    await assert_consistent(db)


async def test_a_key_part_inside_a_map_must_be_set_as_a_whole(db: Database) -> None:
    from sekkei.design import Attr, Design, Index, Key, attr, computed, model
    from tests.design.example import Color

    def shade_of(color: Color) -> str:
        return color.text

    @model
    class Thing:
        id: Attr[str]
        color: Attr[Color] = attr()
        shade: Attr[str] = computed(shade_of)

    made = Design("x")
    table = made.table("things", "id", indexes=[Index("by_shade", "shade")])

    @table.entity(Thing)
    def things(id: str) -> Key:
        return Key(id)

    opened = made.open(db.store)
    with pytest.raises(ValueRefused, match="SK220"):
        await opened.write(things.update("1").set(Thing.color.at(Color.text), "red"))


days = st.none() | st.dates(date(2025, 1, 1), date(2025, 12, 31))
changes = st.one_of(
    st.tuples(st.just("status"), st.sampled_from(Status)),
    st.tuples(st.just("due"), days),
    st.tuples(st.just("start"), days),
    st.tuples(st.just("rank"), st.integers(0, 50)),
    st.tuples(st.just("add"), st.integers(0, 50)),
    st.tuples(st.just("title"), st.text(max_size=3)),
)
updates = st.lists(
    st.tuples(
        st.lists(changes, min_size=1, max_size=4, unique_by=lambda change: change[0].replace("add", "rank")),
        st.sampled_from(["plain", "known", "transaction", "upsert"]),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sequence=updates)
def test_any_sequence_of_updates_leaves_every_index_entry_as_computed(sequence: Any) -> None:
    asyncio.run(_run(sequence))


async def _run(sequence: Any) -> None:
    async with sekkei.testing.store(design) as db:
        await db.write(tasks.create(TASK))
        model = TASK
        for made, mode in sequence:
            update = (
                tasks.upsert("t1", "k1").set(Task.title, model.title) if mode == "upsert" else tasks.update("t1", "k1")
            )
            for name, value in made:
                if name == "title" and mode == "upsert":
                    continue
                update = update.add(Task.rank, value) if name == "add" else update.set(getattr(Task, name), value)
                model = replace(model, rank=model.rank + value) if name == "add" else replace(model, **{name: value})
            if not update.changes:
                continue
            if mode == "known":
                update = update.knowing(await db.need(tasks("t1", "k1").consistent()))
            if mode == "transaction":
                await db.transact(update, totals.upsert("t1").add(Totals.todo, 1))
            else:
                await db.write(update)
            await assert_consistent(db)
            assert await db.need(tasks("t1", "k1")) == model
        await _entries_match(db, model)


async def _entries_match(db: Database, model: Task) -> None:
    """Every index finds the task under the key computed from it, and under no other."""
    opened = await db.all(by_group.where(Task.group == model.group))
    assert opened == [model]
    others = {status: by_group.where(Task.group == replace(model, status=status).group) for status in Status}
    for status, query in others.items():
        expected = replace(model, status=status).group == model.group
        assert (len(await db.all(query)) == 1) is expected
    assert await db.all(ranked.where(Task.team_id == "t1", Task.status == model.status, Task.rank == model.rank)) == [
        model
    ]
    entries = await db.store.call("Scan", {"TableName": db.table_name(tasks.table), "IndexName": "waiting"})
    assert entries["Count"] == (0 if model.waiting is None else 1)
