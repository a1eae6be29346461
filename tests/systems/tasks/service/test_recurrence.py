"""A task that is done comes again, once."""

from __future__ import annotations

from datetime import date

from sekkei_systems.tasks.design import stored_tasks
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from tests.systems.tasks.conftest import World

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
