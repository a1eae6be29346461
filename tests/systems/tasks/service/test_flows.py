"""What is done is written down with when it was begun, out of its history."""

from __future__ import annotations

from datetime import date

from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.service import Admin
from tests.systems.tasks.conftest import World

FIRST, LAST = date(2025, 11, 1), date(2025, 11, 30)


async def _move(world: World, aoi: Admin, task_id: str, *statuses: Status) -> None:
    for status in statuses:
        await world.service.tasks.change(aoi, task_id, TaskChanges(status=status))
        await world.settle()  # a stream keeps its records for a day
        world.clock.advance(86_400)


async def test_done_reopened_and_done_again(world: World) -> None:
    aoi = await world.admin("aoi", (await world.team()).team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事"))
    flows = world.service.flows
    await _move(world, aoi, made.task_id, Status.DOING, Status.DONE)
    (one,) = await flows.between(aoi, FIRST, LAST)
    assert one.begun_at is not None
    assert (one.title, one.number, (one.done_at - one.begun_at).days) == ("仕事", made.number, 1)
    await _move(world, aoi, made.task_id, Status.TODO)
    assert await flows.between(aoi, FIRST, LAST) == []
    await _move(world, aoi, made.task_id, Status.DONE)
    (again,) = await flows.between(aoi, FIRST, LAST)
    assert (again.begun_at, again.done_at > one.done_at) == (one.begun_at, True)
    await world.service.trash.put(aoi, made.task_id)
    await world.settle()
    assert await flows.between(aoi, FIRST, LAST) == []
    await world.service.trash.take_back(aoi, made.task_id)
    await world.settle()
    assert await flows.between(aoi, FIRST, LAST) == [again]
