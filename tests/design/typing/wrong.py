"""Use that both type checkers must refuse: every line that ends in a number sign and WRONG, and no other."""

from __future__ import annotations

from sekkei.design import Change, Database, Query, Reactions, SyncDatabase
from tests.design.example import (
    Member,
    Task,
    Team,
    Totals,
    User,
    by_group,
    design,
    emails,
    late_to_start,
    tasks,
    teams,
    totals,
    users,
)

reactions = Reactions(design)


def keys() -> None:
    tasks("t")  # WRONG
    tasks("t", "k", "x")  # WRONG
    tasks("t", 1)  # WRONG
    tasks(team="t", task_id="k")  # WRONG
    tasks.update("t")  # WRONG
    tasks.delete("t", 3)  # WRONG
    tasks.must_exist()  # WRONG
    late_to_start("t")  # WRONG
    late_to_start("t", "2025-01-01")  # WRONG


def models(task: Task) -> None:
    Task(team_id="t", task_id="k")  # WRONG
    Task(team_id="t", task_id="k", titel="x")  # WRONG
    Task(team_id="t", task_id="k", title=3)  # WRONG
    Task(team_id="t", task_id="k", title="x", group="x")  # WRONG
    Task("t", "k", "x")  # WRONG
    task.title = "y"  # WRONG
    print(Task.nobody)  # WRONG
    print(task.nobody)  # WRONG


def conditions() -> None:
    tasks.where(Task.team_id == 3)  # WRONG
    tasks.where(User.name == "x")  # WRONG
    by_group.where(Task.start < "2025")  # WRONG
    tasks.where(Task.rank.between("a", "b"))  # WRONG
    tasks.where(Task.tags.contains(3))  # WRONG
    tasks.where(Task.status.one_of("todo"))  # WRONG
    tasks.where("team_id = t")  # WRONG


def updates(task: Task) -> None:
    tasks.update("t", "k").set(Task.title, 3)  # WRONG
    tasks.update("t", "k").set(Task.title, None)  # WRONG
    tasks.update("t", "k").set(User.name, "x")  # WRONG
    tasks.update("t", "k").set(Task.status, "todo")  # WRONG
    tasks.update("t", "k").add(Task.title, "x")  # WRONG
    tasks.update("t", "k").add(Task.rank, "x")  # WRONG
    tasks.update("t", "k").append(Task.log, 3)  # WRONG
    tasks.update("t", "k").append(Task.title, "x")  # WRONG
    tasks.update("t", "k").discard(Task.tags, [1])  # WRONG
    tasks.update("t", "k").when(User.points > 1)  # WRONG
    tasks.update("t", "k").knowing(Task.status, 1)  # WRONG
    teams.update("t").knowing(task)  # WRONG
    tasks.create(Team(team_id="t", name="x"))  # WRONG
    tasks.put(task).when(Member.role == "x")  # WRONG


async def database(db: Database, task: Task) -> None:
    await db.get(Task)  # WRONG
    await db.get(tasks.where(Task.team_id == "t"))  # WRONG
    await db.page(tasks("t", "k"))  # WRONG
    await db.write(task)  # WRONG
    await db.transact(task)  # WRONG
    await db.transact(tasks)  # WRONG
    await db.transact(tasks.create(User(user_id="u", email="e")), totals.upsert("t").add(Totals.todo, 1))  # WRONG
    await db.holder(emails, Task.title == "x")  # WRONG
    found: User | None = await db.get(tasks("t", "k"))  # WRONG
    page: list[Team] = await db.all(tasks.where(Task.team_id == "t"))  # WRONG
    del found, page


def blocking(db: SyncDatabase, task: Task) -> None:
    db.get(tasks.where(Task.team_id == "t"))  # WRONG
    db.write(task)  # WRONG
    found: User | None = db.get(tasks("t", "k"))  # WRONG
    rows: list[Team] = db.all(tasks.where(Task.team_id == "t"))  # WRONG
    del found, rows


@design.pattern  # WRONG
def returns_a_number(team_id: str) -> int:
    return 3


async def on_task(change: Change[Task]) -> None: ...


reactions.on(users)(on_task)  # WRONG


def returns_another(team_id: str) -> Query[Team]:
    return tasks.where(Task.team_id == team_id)  # WRONG
