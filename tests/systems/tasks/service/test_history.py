"""What the stream writes down: who changed what."""

from __future__ import annotations

from datetime import date

from sekkei_systems.tasks.design import activities
from sekkei_systems.tasks.rules.drafts import Changes, Draft
from sekkei_systems.tasks.rules.statuses import Priority, Status
from sekkei_systems.tasks.service.history import History
from tests.systems.tasks.conftest import World


async def test_every_change_is_told_once_the_latest_first(world: World) -> None:
    team = await world.team("ren")
    tasks = world.service.tasks
    made = await tasks.create("aoi", team.team_id, Draft("仕事"))
    await tasks.change("ren", team.team_id, made.task_id, Changes(status=Status.DOING, end=date(2025, 12, 1)))
    await tasks.comment("aoi", team.team_id, made.task_id, "見ました")
    last = await tasks.change("aoi", team.team_id, made.task_id, Changes(priority=Priority.HIGH, description="詳しく"))
    await world.settle()
    told = await tasks.activity("ren", team.team_id, made.task_id)
    assert [(one.who_name, one.changes) for one in told] == [
        ("Aoi", {"priority": ["", "high"], "description": ["", ""]}),
        ("Ren", {"status": ["todo", "doing"], "end": ["", "2025-12-01"]}),
    ]
    before = await world.opened.context.db.get(activities(team.team_id, made.task_id, last.version).consistent())
    await History(world.opened.context.db, world.clock).changed(made, last)  # the same record again
    assert await world.opened.context.db.get(activities(team.team_id, made.task_id, last.version)) == before


async def test_a_deleted_task_leaves_no_history(world: World) -> None:
    team = await world.team()
    made = await world.service.tasks.create("aoi", team.team_id, Draft("仕事"))
    await world.service.tasks.change("aoi", team.team_id, made.task_id, Changes(title="別の仕事"))
    await world.settle()
    assert len(await world.service.tasks.activity("aoi", team.team_id, made.task_id)) == 1
    await world.service.tasks.delete("aoi", team.team_id, made.task_id)
    await world.settle()
    assert await world.service.tasks.activity("aoi", team.team_id, made.task_id) == []
