"""Notes: whoever is called or given a task is told, and nobody else."""

from __future__ import annotations

from sekkei_systems.tasks.design import NoteKind
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.service.herald import Herald
from tests.systems.tasks.conftest import World


async def _kinds(world: World, who: str) -> list[NoteKind]:
    return [note.kind for note in await world.service.notes.page(who)]


async def test_whoever_is_called_or_given_a_task_is_told_and_nobody_else(world: World) -> None:
    team = await world.team("ren", "mei")
    aoi = await world.admin("aoi", team.team_id)
    tasks, notes = world.service.tasks, world.service.notes
    made = await tasks.create(aoi, TaskDraft("仕事", assignee="mei"))
    comment = await world.service.comments.add(aoi, made.task_id, "@Ren 見てください @Aoi @Nobody")
    await world.settle()
    assert await _kinds(world, "ren") == [NoteKind.MENTION]
    assert sorted(kind.value for kind in await _kinds(world, "mei")) == ["assigned", "comment"]
    assert await _kinds(world, "aoi") == []
    assert await notes.unread("mei") == 2
    await Herald(world.opened.context.db, world.clock).said(comment)  # the same record again
    await world.settle()
    assert await notes.unread("ren") == 1
    await notes.read_all("ren")
    assert await notes.unread("ren") == 0
    assert [note.read for note in await notes.page("ren")] == [True]


async def test_what_one_does_oneself_is_no_news(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事", assignee="aoi"))
    await world.service.comments.add(aoi, made.task_id, "メモ @Aoi")
    await world.settle()
    assert await _kinds(world, "aoi") == []
