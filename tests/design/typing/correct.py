"""Use that both type checkers must accept, with the types they must find."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import assert_type

from sekkei.design import (
    Change,
    Collection,
    Condition,
    ConditionFailed,
    Database,
    Delete,
    Field,
    Page,
    Put,
    Query,
    Reactions,
    Ref,
    SyncDatabase,
    TransactionFailed,
    Update,
    View,
)
from sekkei.testing import make, store
from tests.design.example import (
    Color,
    Member,
    Status,
    Task,
    TaskLabel,
    Team,
    Totals,
    User,
    add_task,
    board,
    by_group,
    design,
    emails,
    everything,
    labels,
    late_to_start,
    members,
    one_task,
    tasks,
    teams,
    totals,
    users,
)


def attributes(task: Task) -> None:
    assert_type(task.title, str)
    assert_type(task.due, date | None)
    assert_type(task.tags, frozenset[str])
    assert_type(task.group, str)
    assert_type(Task.title, Field[Task, str])
    assert_type(Task.due, Field[Task, date | None])
    assert_type(Task.color.at(Color.text), Field[Task, str])
    assert_type(Task.title == "x", Condition[Task])
    assert_type(Task.rank.between(1, 2) & ~Task.due.exists(), Condition[Task])
    assert_type(Task.tags.contains("x") | Task.log.contains("y"), Condition[Task])
    assert_type(Task.rank > Task.effort, Condition[Task])


def values() -> None:
    assert_type(tasks("t", "k"), Ref[Task])
    assert_type(tasks(team_id="t", task_id="k").consistent(), Ref[Task])
    assert_type(tasks.where(Task.team_id == "t"), Query[Task])
    assert_type(by_group, View[Task])
    assert_type(labels, View[TaskLabel])
    assert_type(by_group.where(Task.group == "g", Task.start < date.today()).backwards(), Query[Task])
    assert_type(tasks.where(Task.team_id == "t").only(TaskLabel), Query[TaskLabel])
    assert_type(everything, Collection[Team | Member | Task | Totals])
    assert_type(everything.where(Team.team_id == "t"), Query[Team | Member | Task | Totals])
    assert_type(tasks.create(Task(team_id="t", task_id="k", title="x")), Put[Task])
    assert_type(tasks.delete("t", "k").must_exist(), Delete[Task])
    assert_type(late_to_start("t", date.today()), Query[Task])
    update = (
        tasks.update("t", "k")
        .set(Task.title, "x")
        .set(Task.due, None)
        .set(Task.color.at(Color.background), "red")
        .add(Task.rank, 1)
        .add(Task.effort, Decimal(1))
        .add(Task.tags, {"a"})
        .discard(Task.tags, ["b"])
        .append(Task.log, "x", "y")
        .remove(Task.due)
        .knowing(Task.status, Status.TODO)
        .knowing(make(Task))
        .when(Task.status == Status.TODO, Task.rank < 5)
    )
    assert_type(update, Update[Task])


async def database(db: Database) -> None:
    assert_type(await db.get(tasks("t", "k")), Task | None)
    assert_type(await db.get(one_task("t", "k")), Task | None)
    assert_type(await db.need(tasks("t", "k")), Task)
    assert_type(await db.get_many([tasks("t", "k")]), list[Task | None])
    assert_type(await db.snapshot(teams("t"), tasks("t", "k")), tuple[Team | None, Task | None])
    assert_type(
        await db.snapshot(teams("t"), tasks("t", "k"), members("t", "u")),
        tuple[Team | None, Task | None, Member | None],
    )
    assert_type(await db.page(late_to_start("t", date.today()), size=5), Page[Task])
    assert_type(await db.all(everything.where(Team.team_id == "t")), list[Team | Member | Task | Totals])
    assert_type(await db.first(late_to_start("t", date.today())), Task | None)
    assert_type(await db.count(tasks.where(Task.team_id == "t")), int)
    assert_type(await db.holder(emails, User.email == "a"), User | None)
    async for task in db.each(tasks.where(Task.team_id == "t")):
        assert_type(task, Task)


async def writes(db: Database, task: Task) -> None:
    assert_type(await db.write(tasks.create(task)), Task)
    assert_type(await db.write(tasks.update("t", "k").set(Task.title, "x")), Task)
    assert_type(await db.write(tasks.delete("t", "k")), Task | None)
    assert_type(await db.write(tasks.must_exist("t", "k")), None)
    add = tasks.create(task)
    try:
        await db.transact(add, users.update("u").add(User.points, 1), totals.upsert("t").add(Totals.todo, 1))
        await db.transact(add_task(task), token="x")
    except TransactionFailed as failed:
        assert_type(failed.old(add), Task | None)
    except ConditionFailed as failed:
        assert_type(failed.old(add), Task | None)


def blocking(db: SyncDatabase) -> None:
    assert_type(db.get(tasks("t", "k")), Task | None)
    assert_type(db.get(one_task("t", "k")), Task | None)
    assert_type(db.need(tasks("t", "k")), Task)
    assert_type(db.get_many([tasks("t", "k")]), list[Task | None])
    assert_type(db.snapshot(teams("t"), tasks("t", "k")), tuple[Team | None, Task | None])
    assert_type(
        db.snapshot(teams("t"), tasks("t", "k"), members("t", "u")),
        tuple[Team | None, Task | None, Member | None],
    )
    assert_type(db.page(late_to_start("t", date.today()), size=5), Page[Task])
    assert_type(db.all(everything.where(Team.team_id == "t")), list[Team | Member | Task | Totals])
    assert_type(db.first(late_to_start("t", date.today())), Task | None)
    assert_type(db.count(tasks.where(Task.team_id == "t")), int)
    assert_type(db.holder(emails, User.email == "a"), User | None)
    for task in db.each(tasks.where(Task.team_id == "t")):
        assert_type(task, Task)


def blocking_writes(db: SyncDatabase, task: Task) -> None:
    assert_type(db.write(tasks.create(task)), Task)
    assert_type(db.write(tasks.update("t", "k").set(Task.title, "x")), Task)
    assert_type(db.write(tasks.delete("t", "k")), Task | None)
    assert_type(db.write(tasks.must_exist("t", "k")), None)
    add = tasks.create(task)
    try:
        db.transact(add, users.update("u").add(User.points, 1), totals.upsert("t").add(Totals.todo, 1))
        db.transact(add_task(task), token="x")
    except TransactionFailed as failed:
        assert_type(failed.old(add), Task | None)
    except ConditionFailed as failed:
        assert_type(failed.old(add), Task | None)


async def kit() -> None:
    async with store(design) as db:
        assert_type(db, Database)
    assert_type(make(Task, title="x"), Task)


reactions = Reactions(design)


@reactions.on(tasks)
async def on_task(change: Change[Task]) -> None:
    assert_type(change.new, Task | None)
    assert board.stream is not None
