"""People: one address, one row; and their work in all teams."""

from __future__ import annotations

import pytest

from sekkei_systems.tasks.design import Task, stored_tasks, users
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import (
    EmailTaken,
)
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.service.people import People, Visitor
from sekkei_systems.tasks.system import wiring_of
from tests.systems.tasks.conftest import World


async def test_signing_up_takes_the_address_once(world: World) -> None:
    await world.arrive("aoi")
    again = await world.service.people.arrive(Visitor("aoi", "aoi@example.com", "Aoi"))
    assert again == await world.opened.context.db.get(users("aoi").consistent())
    with pytest.raises(EmailTaken):
        await world.service.people.arrive(Visitor("other", "aoi@example.com", "Other"))
    found = await world.service.people.by_email("aoi@example.com")
    assert found is not None
    assert found.user_id == "aoi"


async def _stored(world: World, team_id: str) -> list[Task]:
    """What a scan of the team's own items says, without any index."""
    return await world.opened.context.db.all(stored_tasks(team_id))


def _ids(tasks: list[Task]) -> set[str]:
    return {task.task_id for task in tasks}


async def test_my_work_is_open_and_only_of_my_teams(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    tasks = world.service.tasks
    mine = await tasks.create(aoi, TaskDraft("蓮の仕事", assignee="ren"))
    done = await tasks.create(aoi, TaskDraft("蓮の済んだ仕事", assignee="ren", status=Status.DONE))
    await world.settle()
    assert _ids(await world.service.people.work("ren")) == {mine.task_id}
    await tasks.change(aoi, done.task_id, TaskChanges(status=Status.DOING))
    await world.settle()
    assert _ids(await world.service.people.work("ren")) == {mine.task_id, done.task_id}
    await world.service.teams.remove(aoi, "ren")
    assert await world.service.people.work("ren") == []
    await world.settle()
    assert {task.assignee for task in await _stored(world, team.team_id)} == {None}


async def test_a_name_that_is_changed_back_arrives_too(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    for name in ("Ren", "鈴木 蓮", "Ren"):
        await world.service.people.seen(Visitor("ren", "ren@example.com", name))
        for _ in range(4):
            await world.settle()  # in bad weather a step of the job may have to be tried again
        assert {one.user_name for one in await world.service.teams.members(aoi)} == {"Aoi", name}


async def test_another_process_may_have_seen_another_name(world: World) -> None:
    await world.arrive("ren")
    here, there = world.service.people, wiring_of(world.opened.context).build(People)
    ren, other = Visitor("ren", "ren@example.com", "Ren"), Visitor("ren", "ren@example.com", "蓮")
    await here.seen(ren)
    await there.seen(other)
    world.clock.advance(61)
    await here.seen(ren)
    assert (await here.get("ren")).name == "Ren"
