"""Many tasks at once, and all of them back."""

from __future__ import annotations

import pytest

from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import NoSuchChange, NoSuchTask, Overwritten
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.service import Admin
from tests.systems.tasks.conftest import World


async def _three(world: World) -> tuple[Admin, list[str]]:
    aoi = await world.admin("aoi", (await world.team()).team_id)
    drafts = [TaskDraft("甲"), TaskDraft("乙", status=Status.DOING), TaskDraft("丙", status=Status.DONE)]
    return aoi, [(await world.service.tasks.create(aoi, draft)).task_id for draft in drafts]


async def _statuses(world: World, aoi: Admin, ids: list[str]) -> list[str]:
    return [(await world.service.tasks.get(aoi, id)).status.value for id in ids]


async def test_a_change_of_many_is_taken_back_from_many(world: World) -> None:
    aoi, ids = await _three(world)
    done = await world.service.batches.change(aoi, [*ids, "gone"], TaskChanges(status=Status.DOING))
    assert (done.changed, list(done.refused)) == (3, ["gone"])
    assert await _statuses(world, aoi, ids) == ["doing"] * 3
    assert done.batch_id is not None
    back = await world.service.batches.undo(aoi, done.batch_id)
    assert (back.changed, back.refused) == (2, {}), "one of them had been there already"
    assert await _statuses(world, aoi, ids) == ["todo", "doing", "done"]
    totals = await world.service.teams.totals(aoi)
    assert (totals.todo, totals.doing, totals.done) == (1, 1, 1)


async def test_what_was_changed_again_since_stays(world: World) -> None:
    aoi, ids = await _three(world)
    done = await world.service.batches.change(aoi, ids, TaskChanges(status=Status.DONE))
    await world.service.tasks.change(aoi, ids[0], TaskChanges(status=Status.DOING))
    back = await world.service.batches.undo(aoi, done.batch_id or "")
    assert {id: type(why) for id, why in back.refused.items()} == {ids[0]: Overwritten}
    assert await _statuses(world, aoi, ids) == ["doing", "doing", "done"]


async def test_what_was_thrown_away_together_comes_back_together(world: World) -> None:
    aoi, ids = await _three(world)
    done = await world.service.batches.delete(aoi, [*ids, "gone"])
    assert (done.changed, list(done.refused)) == (3, ["gone"])
    with pytest.raises(NoSuchTask):
        await world.service.tasks.get(aoi, ids[0])
    await world.service.trash.purge(aoi, ids[2])
    back = await world.service.batches.undo(aoi, done.batch_id or "")
    assert (back.changed, list(back.refused)) == (2, [ids[2]])
    assert await _statuses(world, aoi, ids[:2]) == ["todo", "doing"]


async def test_nothing_changed_is_nothing_to_undo(world: World) -> None:
    aoi, ids = await _three(world)
    done = await world.service.batches.change(aoi, ids[:1], TaskChanges(status=Status.TODO))
    assert (done.changed, done.batch_id) == (1, None)
    with pytest.raises(NoSuchChange):
        await world.service.batches.undo(aoi, "none")


async def test_another_team_cannot_undo_it(world: World) -> None:
    aoi, ids = await _three(world)
    done = await world.service.batches.change(aoi, ids, TaskChanges(status=Status.DONE))
    other = await world.admin("mei", (await world.team(admin="mei")).team_id)
    with pytest.raises(NoSuchChange):
        await world.service.batches.undo(other, done.batch_id or "")
