"""What the stream tells people: once, however often it says so, and nothing of what is in the trash."""

from __future__ import annotations

from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.service.herald import Herald
from tests.systems.tasks.conftest import World


async def test_a_record_that_comes_again_tells_nobody_twice(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事", assignee="ren"))
    herald = Herald(world.opened.context.db, world.clock)
    for _ in range(3):
        await herald.changed(None, made)
    assert await world.service.notes.unread("ren") == 1


async def test_nobody_is_told_of_what_is_in_the_trash(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事", assignee="ren"))
    said = await world.service.comments.add(aoi, made.task_id, "@Ren")
    await world.service.trash.put(aoi, made.task_id)
    await Herald(world.opened.context.db, world.clock).said(said)
    assert await world.service.notes.unread("ren") == 0
