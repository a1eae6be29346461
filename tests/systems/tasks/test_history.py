"""What the stream writes down: who changed what, and what somebody should know."""

from __future__ import annotations

from datetime import date

from sekkei_systems.tasks.changes import Changes, Draft
from sekkei_systems.tasks.entities import NoteKind, activities
from sekkei_systems.tasks.history import History
from sekkei_systems.tasks.statuses import Priority, Status
from tests.systems.tasks.conftest import World


async def _kinds(world: World, who: str) -> list[NoteKind]:
    return [note.kind for note in await world.service.notes.page(who)]


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


async def test_whoever_is_called_or_given_a_task_is_told_and_nobody_else(world: World) -> None:
    team = await world.team("ren", "mei")
    tasks, notes = world.service.tasks, world.service.notes
    made = await tasks.create("aoi", team.team_id, Draft("仕事", assignee="mei"))
    comment = await tasks.comment("aoi", team.team_id, made.task_id, "@Ren 見てください @Aoi @Nobody")
    await world.settle()
    assert await _kinds(world, "ren") == [NoteKind.MENTION]
    assert sorted(kind.value for kind in await _kinds(world, "mei")) == ["assigned", "comment"]
    assert await _kinds(world, "aoi") == []
    assert await notes.unread("mei") == 2
    await History(world.opened.context.db, world.clock).said(comment)  # the same record again
    await world.settle()
    assert await notes.unread("ren") == 1
    await notes.read_all("ren")
    assert await notes.unread("ren") == 0
    assert [note.read for note in await notes.page("ren")] == [True]


async def test_what_one_does_oneself_is_no_news(world: World) -> None:
    team = await world.team()
    made = await world.service.tasks.create("aoi", team.team_id, Draft("仕事", assignee="aoi"))
    await world.service.tasks.comment("aoi", team.team_id, made.task_id, "メモ @Aoi")
    await world.settle()
    assert await _kinds(world, "aoi") == []


async def test_a_deleted_task_leaves_no_history(world: World) -> None:
    team = await world.team()
    made = await world.service.tasks.create("aoi", team.team_id, Draft("仕事"))
    await world.service.tasks.change("aoi", team.team_id, made.task_id, Changes(title="別の仕事"))
    await world.settle()
    assert len(await world.service.tasks.activity("aoi", team.team_id, made.task_id)) == 1
    await world.service.tasks.delete("aoi", team.team_id, made.task_id)
    await world.settle()
    assert await world.service.tasks.activity("aoi", team.team_id, made.task_id) == []
