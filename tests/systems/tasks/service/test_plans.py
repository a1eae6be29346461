"""Checklists, dependencies without circles, limits."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

import pytest

from sekkei.design import Database
from sekkei_systems.tasks.design import stored_tasks
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import Circular, NoSuchBlocker, NoSuchCheck, NoSuchTask, TooLarge
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.rules.recurring import BadRule
from sekkei_systems.tasks.service.access import Admin
from sekkei_systems.tasks.service.plans import Marks
from tests.systems.tasks.conftest import PURGING_ROUNDS, World


async def _tasks(world: World, count: int) -> tuple[Admin, list[str]]:
    aoi = await world.admin("aoi", (await world.team()).team_id)
    made = [await world.service.tasks.create(aoi, TaskDraft(f"仕事{at}")) for at in range(count)]
    await world.settle()
    return aoi, [task.task_id for task in made]


async def test_a_checklist_is_ticked_by_several_at_once(world: World) -> None:
    aoi, (task,) = await _tasks(world, 1)
    plans = world.service.plans
    for text in ("甲", "乙", "丙"):
        plan = await plans.add_check(aoi, task, text)
    ids = [one.id for one in plan.checks]
    await asyncio.gather(*(plans.tick(aoi, task, id, True) for id in ids))
    assert [one.done for one in (await plans.get(aoi, task)).checks] == [True] * 3
    await plans.remove_check(aoi, task, ids[1])
    await plans.tick(aoi, task, ids[0], False)
    assert [(one.text, one.done) for one in (await plans.get(aoi, task)).checks] == [("甲", False), ("丙", True)]
    with pytest.raises(NoSuchCheck):
        await plans.tick(aoi, task, ids[1], True)
    with pytest.raises(NoSuchTask):
        await plans.add_check(aoi, "gone", "x")
    assert (await world.service.tasks.get(aoi, task)).version == 1, "the task itself is not written"


async def test_what_comes_first_is_shown_until_it_is_done(world: World) -> None:
    aoi, (first, second) = await _tasks(world, 2)
    plans = world.service.plans
    await plans.block(aoi, second, "TASK-1")
    await plans.add_check(aoi, second, "x")
    await world.settle()
    assert await plans.marks(aoi, [first, second]) == {second: Marks(0, 1, 1)}
    assert [one.task_id for one in (await plans.on_page(await plans.get(aoi, second))).blockers] == [first]
    await world.service.tasks.change(aoi, first, TaskChanges(status=Status.DONE))
    await world.settle()
    assert (await plans.marks(aoi, [second]))[second].blocked == 0
    await plans.unblock(aoi, second, first)
    assert (await plans.get(aoi, second)).blocked_by == frozenset()


async def test_no_circles(world: World) -> None:
    aoi, (a, b, c) = await _tasks(world, 3)
    plans = world.service.plans
    await plans.block(aoi, b, a)
    await plans.block(aoi, c, b)
    for task, by in ((a, a), (a, b), (a, c)):
        with pytest.raises(Circular):
            await plans.block(aoi, task, by)
    with pytest.raises(NoSuchBlocker):
        await plans.block(aoi, a, "TASK-99")


async def test_what_comes_first_is_taken_away_by_its_number_too(world: World) -> None:
    aoi, (a, b) = await _tasks(world, 2)
    plans = world.service.plans
    number = (await world.service.tasks.get(aoi, a)).number
    await plans.block(aoi, b, a)
    assert (await plans.unblock(aoi, b, f"TASK-{number}")).blocked_by == frozenset()
    await plans.block(aoi, b, a)
    await world.service.trash.put(aoi, a)
    assert (await plans.unblock(aoi, b, f"#{number}")).blocked_by == frozenset(), "gone or not"
    with pytest.raises(NoSuchBlocker):
        await plans.unblock(aoi, b, "TASK-99")


async def test_two_people_cannot_close_a_circle_together(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have looked before either has written."""
    aoi, (a, b) = await _tasks(world, 2)
    plans = world.service.plans
    check, both = type(plans)._check_circle, asyncio.Barrier(2)
    waits = 2

    async def together(self: object, *given: object) -> None:
        nonlocal waits
        await check(plans, *given)  # type: ignore[arg-type]
        waits -= 1
        if waits >= 0:
            await both.wait()

    monkeypatch.setattr(type(plans), "_check_circle", together)
    found = await asyncio.gather(plans.block(aoi, a, b), plans.block(aoi, b, a), return_exceptions=True)
    assert sorted(type(one).__name__ for one in found) == ["Circular", "Plan"]


async def test_limits_of_columns(world: World) -> None:
    aoi, _ = await _tasks(world, 1)
    team = await world.service.teams.limit(aoi, {Status.DOING: 3, Status.TODO: None})
    assert team.limits == {"doing": 3}
    with pytest.raises(TooLarge):
        await world.service.teams.limit(aoi, {Status.DOING: 1_000})
    assert (await world.service.teams.limit(aoi, {})).limits == {}


async def test_a_rule_is_one(world: World) -> None:
    aoi, (task,) = await _tasks(world, 1)
    assert (await world.service.plans.repeat(aoi, task, "weekly")).rule == "FREQ=WEEKLY"
    with pytest.raises(BadRule):
        await world.service.plans.repeat(aoi, task, "now and then")
    with pytest.raises(BadRule):
        await world.service.plans.repeat(aoi, task, "FREQ=YEARLY;INTERVAL=99")  # nobody would see it come again
    assert (await world.service.plans.repeat(aoi, task, "")).rule is None


@pytest.mark.parametrize("before", [True, False])
async def test_a_task_that_is_purged_meanwhile_is_not_there(
    world: World, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    """Before the checklist is written, or before it is answered."""
    aoi, (task,) = await _tasks(world, 1)
    transact = Database.transact

    async def overtaken(self: Database, *what: Any, **how: Any) -> None:
        monkeypatch.setattr(Database, "transact", transact)
        if not before:
            await transact(self, *what, **how)
        await world.service.trash.put(aoi, task)
        await world.service.trash.purge(aoi, task)
        await world.settle(PURGING_ROUNDS)
        if before:
            await transact(self, *what, **how)

    monkeypatch.setattr(Database, "transact", overtaken)
    with pytest.raises(NoSuchTask):
        await world.service.plans.add_check(aoi, task, "x")


# A task that is done comes again, once.


DONE = TaskChanges(status=Status.DONE)


async def test_the_next_one_has_new_dates_and_an_open_checklist(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    draft = TaskDraft("ゴミ出し", "長い" * 400, start=date(2025, 11, 5), end=date(2025, 11, 6), assignee="ren")
    made = await world.service.tasks.create(aoi, draft)
    plan = await world.service.plans.add_check(aoi, made.task_id, "袋")
    await world.service.plans.tick(aoi, made.task_id, plan.checks[0].id, True)
    await world.service.plans.repeat(aoi, made.task_id, "weekly")
    done = await world.service.tasks.change(aoi, made.task_id, DONE)
    await world.settle()
    assert await world.service.recurrence.done(done) is None, "the record comes again, and nothing more is made"
    for changes in (TaskChanges(status=Status.TODO), DONE):
        await world.service.tasks.change(aoi, made.task_id, changes)
    await world.settle()
    old, new = await world.opened.context.db.all(stored_tasks(team.team_id))
    assert (old.task_id, new.status, new.start, new.end) == (
        made.task_id,
        Status.TODO,
        date(2025, 11, 12),
        date(2025, 11, 13),
    )
    assert (await world.service.tasks.get(aoi, new.task_id)).description == draft.description
    assert (new.assignee, new.number) == ("ren", (made.number or 0) + 1)
    fresh = await world.service.plans.get(aoi, new.task_id)
    assert ([(one.text, one.done) for one in fresh.checks], fresh.rule) == ([("袋", False)], "FREQ=WEEKLY")
    totals = await world.service.teams.totals(aoi)
    assert (totals.todo, totals.done) == (1, 1)


async def test_without_a_rule_nothing_comes(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("一度だけ"))
    await world.service.tasks.change(aoi, made.task_id, DONE)
    await world.settle()
    assert len(await world.opened.context.db.all(stored_tasks(team.team_id))) == 1


async def test_who_has_the_task_and_finishes_it_makes_the_next(world: World) -> None:
    """They are looked at as who has it and as who makes it: one item stands in a transaction once."""
    team = await world.team("ren")
    ren = await world.member("ren", team.team_id)
    made = await world.service.tasks.create(ren, TaskDraft("毎日", assignee="ren"))
    await world.service.plans.repeat(ren, made.task_id, "daily")
    await world.service.tasks.change(ren, made.task_id, DONE)
    await world.settle()
    found = await world.opened.context.db.all(stored_tasks(team.team_id))
    assert [(one.assignee, one.created_by) for one in found] == [("ren", "ren")] * 2


async def test_the_next_of_a_subtask_is_made_by_the_stream(world: World) -> None:
    """Which looks at the parent: its role has to allow that."""
    aoi = await world.admin("aoi", (await world.team()).team_id)
    parent = await world.service.tasks.create(aoi, TaskDraft("親"))
    made = await world.service.tasks.create(aoi, TaskDraft("毎日"), parent.task_id)
    await world.service.plans.repeat(aoi, made.task_id, "daily")
    await world.service.tasks.change(aoi, made.task_id, DONE)
    await world.settle()
    assert len((await world.service.plans.get(aoi, parent.task_id)).children) == 2
