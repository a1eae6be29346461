"""By the clock: yesterday's totals, and counters that are put right."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from sekkei_systems import days
from sekkei_systems.tasks.design import (
    SavedView,
    Totals,
    day_totals,
    notes_of,
    saved_views,
    stored_tasks,
    tasks,
    team_users,
    totals,
    views_of,
)
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.jobs import SNAPSHOT_LIFE
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from tests import calls
from tests.systems.tasks.conftest import World
from tests.systems.tasks.late import Late

DAY_SECONDS = 86_400


async def test_each_day_is_written_down_once_after_midnight_in_japan(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    await world.deployment.worker.start()
    await world.deployment.worker.stop()
    await world.service.tasks.create(aoi, TaskDraft("a"))
    await world.service.tasks.create(aoi, TaskDraft("b", status=Status.DONE))
    await world.settle()
    first = days.today(world.clock)
    world.clock.advance(DAY_SECONDS / 2 + 10 * 60)  # 00:10 on the next day
    await world.settle()
    await world.service.tasks.create(aoi, TaskDraft("翌日"))
    await world.settle()
    found = await world.opened.context.db.get(day_totals(team.team_id, first).consistent())
    assert found is not None
    assert (found.todo, found.doing, found.done) == (1, 0, 1)
    assert found.expires is not None
    assert found.expires - days.now(world.clock) > SNAPSHOT_LIFE - timedelta(minutes=5)
    shown = await world.service.teams.days(aoi, 30)
    assert [(day.day, day.todo) for day in shown] == [(first, 1), (first + timedelta(days=1), 2)]


async def test_the_counter_of_all_never_expires(world: World) -> None:
    team = await world.team()
    key = {"PK": {"S": f"TEAM#{team.team_id}"}, "SK": {"S": "COUNTER#ALL"}}
    answer = await world.deployment.store.call(
        "GetItem", {"TableName": "task-table-v3", "Key": key, "ConsistentRead": True}
    )
    assert answer["Item"]["type"] == {"S": "counter"}
    assert "expiresAt" not in answer["Item"]


async def test_a_wrong_counter_is_put_right_at_night(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    await world.deployment.worker.start()
    await world.deployment.worker.stop()
    await world.service.tasks.create(aoi, TaskDraft("a"))
    await world.service.tasks.create(aoi, TaskDraft("b", status=Status.DOING))
    await world.opened.context.db.write(totals.put(Totals(team_id=team.team_id, todo=7, done=-1)))
    await world.settle()
    world.clock.advance(DAY_SECONDS)
    await world.settle()
    found = await world.service.teams.totals(aoi)
    assert (found.todo, found.doing, found.done) == (1, 1, 0)


async def test_days_begin_at_midnight_in_japan(world: World) -> None:
    assert days.today(world.clock) == date(2025, 11, 6)
    world.clock.advance(DAY_SECONDS / 2 - 1)
    assert days.today(world.clock) == date(2025, 11, 6)
    world.clock.advance(1)
    assert days.today(world.clock) == date(2025, 11, 7)


async def test_a_recount_never_writes_a_number_that_was_not_true_at_one_moment(world: World) -> None:
    """Two opposite moves while it counts leave the counter as it was, and the tasks elsewhere than they were seen."""
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    tasks = world.service.tasks
    drafts = [TaskDraft(f"{n}", status=Status.TODO if n < 2 else Status.DOING) for n in range(4)]
    made = sorted([await tasks.create(aoi, draft) for draft in drafts], key=lambda task: task.task_id)
    todo = next(task for task in made if task.status is Status.TODO)
    doing = next(task for task in made if task.status is Status.DOING)
    count = world.jobs._counted

    async def moved_while_counting(team_id: str) -> dict[Status, int]:
        counted = await count(team_id)
        if not seen:
            seen.append(counted)
            await tasks.change(aoi, todo.task_id, TaskChanges(status=Status.DOING))
            await tasks.change(aoi, doing.task_id, TaskChanges(status=Status.TODO))
            return {**counted, Status.TODO: 3, Status.DOING: 1}  # one was counted before its move, the other after
        return counted

    seen: list[dict[Status, int]] = []
    world.jobs._counted = moved_while_counting  # type: ignore[method-assign]
    assert not await world.jobs.recount(team.team_id)
    found = await world.service.teams.totals(aoi)
    assert (found.todo, found.doing, found.done) == (2, 2, 0)


# Whoever is back in the team when a job of their removal comes


async def _removed(world: World) -> tuple[str, str]:
    """Ren, who had a task; the job has not begun. Returns the team and the task."""
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    task = await world.service.tasks.create(aoi, TaskDraft("仕事", assignee="ren"))
    await world.settle()
    await world.service.teams.remove(aoi, "ren")
    return team.team_id, task.task_id


async def test_whoever_is_back_keeps_what_they_are_given(world: World) -> None:
    team_id, before = await _removed(world)
    ren = await world.join(team_id, "ren")
    since = await world.service.tasks.create(ren, TaskDraft("戻ってから", assignee="ren"))
    await world.settle()
    found = await world.opened.context.db.all(stored_tasks(team_id))
    assert {one.task_id: one.assignee for one in found} == {before: "ren", since.task_id: "ren"}


@pytest.mark.parametrize("step", ["_unassign", "_forget_views", "_forget_notes"])
async def test_whoever_comes_back_in_that_moment_keeps_what_is_theirs(world: World, step: str) -> None:
    """Between the look of a step and its write."""
    team_id, task_id = await _removed(world)
    db = world.opened.context.db
    view = SavedView(user_id="ren", team_id=team_id, view_id="1", name="私の", place="list", query="assignee=ren")
    await db.write(saved_views.put(view))

    async def comes_back() -> None:
        world.jobs.db = db
        with calls.working("http"):
            await world.join(team_id, "ren")

    world.jobs.db = Late(db, comes_back)  # type: ignore[assignment]
    await getattr(world.jobs, step)({"team_id": team_id, "user_id": "ren"}, None)
    assert await db.get(team_users(team_id, "ren").consistent()) is not None
    assert (await db.need(tasks(team_id, task_id).consistent())).assignee == "ren"
    assert await db.all(views_of("ren", team_id).consistent()) == [view]
    assert len(await db.all(notes_of("ren").consistent())) == 1
