from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from sekkei.design import ConditionFailed, Database, ValueRefused, replace
from tests.design.example import Color, Status, Task, Team, Totals, User, tasks, teams, totals, users

TASK = Task(team_id="t1", task_id="k1", title="first")


async def test_create_refuses_what_is_there_and_shows_it(db: Database) -> None:
    await db.write(tasks.create(TASK))
    again = tasks.create(replace(TASK, title="second"))
    with pytest.raises(ConditionFailed, match=r"SK301: tasks.create\(.*already there") as failed:
        await db.write(again)
    assert failed.value.old(again) == TASK
    assert failed.value.old(tasks.create(TASK)) is None
    assert await db.get(tasks("t1", "k1")) == TASK


async def test_put_replaces_and_replace_needs_an_item(db: Database) -> None:
    with pytest.raises(ConditionFailed):
        await db.write(tasks.replace(TASK))
    await db.write(tasks.put(TASK))
    await db.write(tasks.replace(replace(TASK, title="again")))
    assert (await db.need(tasks("t1", "k1"))).title == "again"


async def test_put_with_a_condition(db: Database) -> None:
    await db.write(tasks.create(TASK))
    await db.write(tasks.put(replace(TASK, title="b")).when(Task.title == "first"))
    with pytest.raises(ConditionFailed):
        await db.write(tasks.put(replace(TASK, title="c")).when(Task.title == "first"))
    revived = Task.title.absent() | Task.status.one_of(Status.DONE, Status.DOING)
    with pytest.raises(ConditionFailed):
        await db.write(tasks.put(TASK).when(revived))


async def test_every_kind_of_change(db: Database) -> None:
    before = replace(TASK, tags=frozenset({"a", "b"}), log=["1"], due=date(2025, 1, 1), effort=Decimal("1.5"))
    await db.write(tasks.create(before))
    noon = datetime(2025, 1, 1, 12, tzinfo=UTC)
    changed = await db.write(
        tasks.update("t1", "k1")
        .set(Task.title, "new")
        .set(Task.color, Color(text="red"))
        .remove(Task.due)
        .add(Task.effort, Decimal("0.25"))
        .append(Task.log, "2", "3")
        .discard(Task.tags, ["a"])
        .set_if_absent(Task.seen, noon)
        .set(Task.details, {"deep": {"n": 1}})
    )
    assert changed == replace(
        before,
        title="new",
        color=Color(text="red"),
        due=None,
        effort=Decimal("1.75"),
        log=["1", "2", "3"],
        tags=frozenset({"b"}),
        seen=noon,
        details={"deep": {"n": 1}},
    )
    again = await db.write(
        tasks.update("t1", "k1")
        .set(Task.color.at(Color.background), "blue")
        .add(Task.tags, ["c", "d"])
        .prepend(Task.log, "0")
        .set_if_absent(Task.seen, datetime(2030, 1, 1, tzinfo=UTC))
        .set(Task.details.entry("more"), True)
        .set(Task.start, None)
    )
    assert again.color == Color(text="red", background="blue")
    assert again.tags == {"b", "c", "d"}
    assert again.log == ["0", "1", "2", "3"]
    assert again.seen == noon
    assert again.details == {"deep": {"n": 1}, "more": True}
    assert await db.get(tasks("t1", "k1")) == again


async def test_the_last_element_of_a_set_takes_the_attribute_along(db: Database) -> None:
    await db.write(tasks.create(replace(TASK, tags=frozenset({"a"}))))
    assert (await db.write(tasks.update("t1", "k1").discard(Task.tags, ["a"]))).tags == frozenset()
    assert (await db.write(tasks.update("t1", "k1").set(Task.tags, frozenset()))).tags == frozenset()
    response = await db.store.call("GetItem", {"TableName": db.table_name(tasks.table), "Key": tasks("t1", "k1").key})
    assert "tags" not in response["Item"]


async def test_update_needs_an_item_and_upsert_makes_one(db: Database) -> None:
    with pytest.raises(ConditionFailed, match=r"SK301: tasks.update.*no such item"):
        await db.write(tasks.update("t1", "k1").set(Task.title, "x"))
    with pytest.raises(ConditionFailed, match="no such item"):
        await db.write(tasks.update("t1", "k1").set(Task.due, date(2025, 1, 1)))  # has to read first
    made = await db.write(tasks.upsert("t1", "k1").set(Task.title, "x").add(Task.rank, 3))
    assert made == replace(TASK, title="x", rank=3)
    assert await db.get(tasks("t1", "k1")) == made
    assert (await db.write(totals.upsert("t1").add(Totals.doing, 2))) == Totals(team_id="t1", doing=2)
    assert (await db.write(totals.upsert("t1").add(Totals.doing, -1))).doing == 1
    assert (await db.write(teams.upsert("t1").set_if_absent(Team.name, "x"))).name == "x"
    with pytest.raises(ValueRefused, match=r"SK221: .*Task.title"):
        await db.write(tasks.upsert("t1", "k2").add(Task.rank, 1))


async def test_conditions_of_all_kinds(db: Database) -> None:
    await db.write(
        tasks.create(replace(TASK, rank=5, tags=frozenset({"a"}), log=["x"], color=Color(text="red"), done=True))
    )

    async def holds(condition: Any) -> bool:
        try:
            await db.write(tasks.update("t1", "k1").set(Task.title, "new").when(condition))
        except ConditionFailed:
            return False
        return True

    for condition in (
        Task.rank == 5,
        Task.rank != 4,
        Task.rank < 6,
        Task.rank <= 5,
        Task.rank > 4,
        Task.rank >= 5,
        Task.rank.between(5, 9),
        Task.rank.one_of(1, 5),
        Task.tags.contains("a"),
        Task.log.contains("x"),
        Task.title.begins_with("n") | Task.title.begins_with("f"),
        Task.due.absent(),
        Task.due == None,  # noqa: E711
        Task.rank != None,  # noqa: E711
        Task.rank.exists() & ~Task.due.exists(),
        Task.tags.size() == 1,
        Task.color.at(Color.text) == "red",
        Task.done.is_(True),
        Task.rank > Task.effort,
        (Task.rank == 1) | (Task.rank == 5) & Task.done.is_(True),
        ~((Task.rank == 1) | (Task.rank == 2)),
    ):
        assert await holds(condition)
        assert not await holds(~condition)


async def test_delete_gives_back_what_was_there(db: Database) -> None:
    await db.write(tasks.create(TASK))
    with pytest.raises(ConditionFailed):
        await db.write(tasks.delete("t1", "k1").when(Task.title == "other"))
    assert await db.write(tasks.delete("t1", "k1")) == TASK
    assert await db.write(tasks.delete("t1", "k1")) is None
    with pytest.raises(ConditionFailed, match="no such item"):
        await db.write(tasks.delete("t1", "k1").must_exist())


async def test_versions_refuse_lost_updates(db: Database) -> None:
    made = await db.write(users.create(User(user_id="u", email="a@b")))
    assert made.version == 1
    first = await db.write(users.replace(replace(made, name="first")))
    assert first.version == 2
    with pytest.raises(ConditionFailed):
        await db.write(users.replace(replace(made, name="second")))
    with pytest.raises(ConditionFailed):
        await db.write(users.update("u").set(User.name, "second").knowing(made))
    third = await db.write(users.update("u").set(User.name, "third").knowing(first))
    assert (third.version, third.name) == (3, "third")
    with pytest.raises(ConditionFailed):
        await db.write(users.put(User(user_id="u", email="a@b")))


async def test_counters_count_every_write(db: Database) -> None:
    await asyncio.gather(*(db.write(totals.upsert("t1").add(Totals.todo, 1)) for _ in range(20)))
    assert (await db.need(totals("t1"))).todo == 20


async def test_batches_take_any_number_and_the_last_of_each_item(db: Database) -> None:
    many = [tasks.put(Task(team_id="t1", task_id=f"k{i % 60}", title=f"T{i}")) for i in range(90)]
    assert await db.write_many(many) == 60
    found = {task.task_id: task.title for task in await db.all(tasks.where(Task.team_id == "t1"))}
    assert found == {f"k{i}": f"T{i + 60 if i < 30 else i}" for i in range(60)}
    assert await db.write_many(tasks.delete("t1", f"k{i}") for i in range(60)) == 60
    assert await db.count(tasks.where(Task.team_id == "t1")) == 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: tasks.create(TASK),
        lambda: tasks.update("t1", "k1").set(Task.title, "x"),
        lambda: tasks.put(TASK).when(Task.rank == 1),
        lambda: tasks.delete("t1", "k1").must_exist(),
        lambda: users.put(User(user_id="u", email="e")),
    ],
)
async def test_a_batch_refuses_what_it_cannot_promise(make: Any) -> None:
    from sekkei.design.commit import _element

    with pytest.raises(ValueRefused, match="SK225"):
        _element(make())


@pytest.mark.parametrize(
    ("build", "number"),
    [
        (lambda: tasks.update("t1", "k").set(Task.task_id, "z"), "SK207"),
        (lambda: tasks.update("t1", "k").set(Task.group, "z"), "SK208"),
        (lambda: users.update("u").set(User.version, 3), "SK208"),
        (lambda: tasks.update("t1", "k").remove(Task.title), "SK209"),
        (lambda: tasks.update("t1", "k").set(Task.title, "a").set(Task.title, "b"), "SK216"),
        (lambda: tasks.update("t1", "k").add(Task.title, 1), "SK218"),
        (lambda: tasks.update("t1", "k").add(Task.tags, []), "SK219"),
        (lambda: tasks.update("t1", "k").set(Task.title, 3), "SK201"),
        (lambda: tasks.update("t1", "k").set(Task.rank, True), "SK201"),
        (lambda: tasks.create(replace(TASK, rank="7")), "SK201"),
        (lambda: tasks.create(replace(TASK, rank=12345)), "SK205"),
        (lambda: tasks.create(replace(TASK, rank=-1)), "SK205"),
        (lambda: tasks.create(replace(TASK, rank=10**40 + 1)), "SK201"),
        (lambda: tasks.create(replace(TASK, effort=Decimal("NaN"))), "SK201"),
        (lambda: tasks.create(replace(TASK, seen=datetime(2025, 1, 1))), "SK201"),
        (lambda: tasks.create(replace(TASK, task_id="a#b")), "SK203"),
        (lambda: tasks.create(replace(TASK, task_id="")), "SK204"),
        (lambda: tasks.create(replace(TASK, task_id=None)), "SK206"),
        (lambda: tasks("t1", None), "SK206"),
        (lambda: tasks("t#1", "x"), "SK203"),
        (lambda: users(""), "SK204"),
        (lambda: users("あ" * 700), "SK226"),
        (lambda: tasks("t1", "x" * 1025), "SK226"),
        (lambda: tasks.create(Team(team_id="t", name="n")), "SK214"),
        (lambda: replace(TASK, titel="x"), "SK215"),
        (lambda: replace(TASK, group="x"), "SK215"),
        (lambda: Task.rank.one_of(), "SK211"),
        (lambda: bool(Task.rank == 1), "SK210"),
    ],
)
def test_mistakes_are_refused_before_anything_is_sent(build: Any, number: str) -> None:
    with pytest.raises(ValueRefused, match=number):
        build()


async def test_an_update_that_changes_nothing_is_refused(db: Database) -> None:
    with pytest.raises(ValueRefused, match="SK222"):
        await db.write(tasks.update("t1", "k"))


async def test_a_part_of_the_key_is_no_condition(db: Database) -> None:
    with pytest.raises(ValueRefused, match="SK213"):
        await db.write(tasks.update("t1", "k").set(Task.title, "x").when(Task.team_id == "t1"))
