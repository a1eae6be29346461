from __future__ import annotations

import asyncio
import uuid
from datetime import UTC, date, datetime

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database, TransactionFailed, ValueRefused, replace
from sekkei.runtime.wakeups import watched
from tests.design.example import (
    DayTotals,
    Member,
    Status,
    Task,
    Team,
    Totals,
    add_task,
    day_totals,
    members,
    tasks,
    teams,
    totals,
)

TASK = Task(team_id="t1", task_id="k1", title="x")


async def test_all_or_nothing_and_the_failure_is_named(db: Database) -> None:
    await db.write(tasks.create(TASK))
    add = tasks.create(replace(TASK, title="again"))
    bump = totals.upsert("t1").add(Totals.todo, 1)
    with pytest.raises(TransactionFailed, match=r"SK302: nothing was written, because tasks.create\(") as failed:
        await db.transact(bump, add)
    assert failed.value.failed(add)
    assert not failed.value.failed(bump)
    assert failed.value.old(add) == TASK
    reason = failed.value.reason(add)
    assert reason is not None
    assert reason.code == "ConditionalCheckFailed"
    assert await db.get(totals("t1")) is None


async def test_every_failure_is_named(db: Database) -> None:
    first, second, fine = teams.must_exist("t1"), members.must_exist("t1", "u"), tasks.create(TASK)
    with pytest.raises(TransactionFailed) as failed:
        await db.transact(first, fine, second)
    assert [failed.value.failed(action) for action in (first, fine, second)] == [True, False, True]


async def test_checks(db: Database) -> None:
    await db.write(teams.create(Team(team_id="t1", name="A")))
    await db.transact(
        teams.must_exist("t1").when(Team.name == "A"),
        members.must_not_exist("t1", "u1"),
        tasks.create(TASK),
    )
    with pytest.raises(TransactionFailed):
        await db.transact(teams.must_exist("t1").when(Team.name == "B"), tasks.delete("t1", "k1"))
    with pytest.raises(TransactionFailed):
        await db.transact(teams.must_not_exist("t1"), tasks.delete("t1", "k1"))
    assert await db.get(tasks("t1", "k1")) == TASK


async def test_every_kind_of_action_in_one(db: Database) -> None:
    await db.transact(tasks.create(TASK), members.create(Member(team_id="t1", user_id="u1")))
    await db.transact(
        tasks.update("t1", "k1").set(Task.status, Status.DOING),
        members.delete("t1", "u1").must_exist(),
        teams.put(Team(team_id="t1", name="B")),
        totals.upsert("t1").add(Totals.doing, 1),
    )
    assert (await db.need(tasks("t1", "k1"))).status is Status.DOING
    assert await db.get(members("t1", "u1")) is None


async def test_a_pattern_can_be_a_transaction(db: Database) -> None:
    await db.transact(add_task(TASK))
    assert (await db.need(totals("t1"))).todo == 1
    with pytest.raises(TransactionFailed):
        await db.transact(add_task(TASK), teams.create(Team(team_id="t1", name="x")))
    assert await db.get(teams("t1")) is None


async def test_a_token_makes_it_happen_once(db: Database) -> None:
    token = str(uuid.uuid4())
    bump = totals.upsert("t1").add(Totals.todo, 1)
    await db.transact(bump, token=token)
    await db.transact(bump, token=token)
    assert (await db.need(totals("t1"))).todo == 1


DAY = date(2025, 8, 20)


def lasting(clock: ManualClock, seconds: int, todo: int = 0) -> DayTotals:
    expires = datetime.fromtimestamp(clock.now() + seconds, UTC)
    return DayTotals(team_id="t1", day=DAY, todo=todo, expires=expires)


async def test_a_token_also_holds_later_for_what_expires(db: Database, clock: ManualClock) -> None:
    made = lasting(clock, 3600)
    for number, action in enumerate(
        (
            day_totals.create(made),
            day_totals.update("t1", DAY).add(DayTotals.todo, 1),
            day_totals.upsert("t1", DAY).add(DayTotals.todo, 1),
            day_totals.replace(replace(made, todo=7)),
            day_totals.delete("t1", DAY).must_exist(),
        )
    ):
        token = f"{uuid.uuid4()}"
        for _ in range(3):
            await db.transact(action, teams.put(Team(team_id="t1", name=str(number))), token=token)
            clock.advance(5)
        found = await db.get(day_totals("t1", DAY))
        assert (None if found is None else found.todo) == (0, 1, 2, 7, None)[number]


async def test_what_has_expired_counts_as_gone_under_a_token_too(db: Database, clock: ManualClock) -> None:
    await db.write(day_totals.put(lasting(clock, -60, todo=9)))
    with pytest.raises(TransactionFailed):
        await db.transact(day_totals.update("t1", DAY).add(DayTotals.todo, 1), token=str(uuid.uuid4()))
    await db.write(day_totals.put(lasting(clock, -60, todo=9)))
    await db.transact(day_totals.upsert("t1", DAY).add(DayTotals.todo, 1), token=str(uuid.uuid4()))
    assert (await db.need(day_totals("t1", DAY))).todo == 1
    await db.write(day_totals.put(lasting(clock, -60, todo=9)))
    await db.write(day_totals.create(lasting(clock, 60)), token=str(uuid.uuid4()))
    assert (await db.need(day_totals("t1", DAY))).todo == 0


async def test_whoever_says_until_when_is_not_read_for_first(db: Database, clock: ManualClock) -> None:
    db.store = store = watched(db.store)
    now = datetime.fromtimestamp(clock.now(), UTC)
    counted = day_totals.update("t1", DAY).add(DayTotals.todo, 1).when(DayTotals.expires > now)
    await db.write(day_totals.put(lasting(clock, 60)))
    await db.transact(counted, token=str(uuid.uuid4()))
    assert store.calls["GetItem"] == 0
    assert (await db.need(day_totals("t1", DAY))).todo == 1
    await db.write(day_totals.put(lasting(clock, -60, todo=9)))
    with pytest.raises(TransactionFailed):
        await db.transact(counted, token=str(uuid.uuid4()))


async def test_one_action_per_item(db: Database) -> None:
    with pytest.raises(ValueRefused, match=r"SK224: tasks.create\(.*\) and tasks.delete\(.*\) touch the same item"):
        await db.transact(tasks.create(TASK), tasks.delete("t1", "k1"))


async def test_sizes_are_limited_and_never_split(db: Database) -> None:
    with pytest.raises(ValueRefused, match="SK223"):
        await db.transact()
    with pytest.raises(ValueRefused, match="SK223"):
        await db.transact(*(members.delete("t1", str(i)) for i in range(101)))
    await db.transact(*(members.create(Member(team_id="t1", user_id=str(i))) for i in range(100)))
    assert await db.count(members.where(Member.team_id == "t1")) == 100


async def test_contended_transactions_all_arrive(db: Database) -> None:
    await db.write(teams.create(Team(team_id="t1", name="A")))
    await asyncio.gather(
        *(db.transact(teams.must_exist("t1"), totals.upsert("t1").add(Totals.todo, 1)) for _ in range(10))
    )
    assert (await db.need(totals("t1"))).todo == 10
