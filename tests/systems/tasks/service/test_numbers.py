"""Every task of a team has a number of its own; no number ever means another task."""

from __future__ import annotations

import asyncio

import pytest

from sekkei_systems.tasks.refusals import NoSuchTask, NoSuchTeam
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.filters import Filter
from tests.systems.tasks.conftest import World


async def test_many_at_once_have_numbers_of_their_own(world: World) -> None:
    aoi = await world.admin("aoi", (await world.team()).team_id)
    made = await asyncio.gather(*(world.service.tasks.create(aoi, TaskDraft(f"仕事{at}")) for at in range(8)))
    numbers = [task.number for task in made]
    assert len(set(numbers)) == 8
    assert None not in numbers
    await world.settle()
    for task in made:
        assert await world.service.numbers.task_id(aoi, task.number or 0) == task.task_id


async def test_a_number_is_never_given_again(world: World) -> None:
    aoi = await world.admin("aoi", (await world.team()).team_id)
    service = world.service
    first = await service.tasks.create(aoi, TaskDraft("一番"))
    await service.trash.put(aoi, first.task_id)
    await service.trash.purge(aoi, first.task_id)
    await world.settle()
    second = await service.tasks.create(aoi, TaskDraft("二番"))
    assert second.number != first.number
    found = await service.numbers.task_id(aoi, first.number or 0)
    assert found == first.task_id, "it means the task that is gone, and no other"
    with pytest.raises(NoSuchTask):
        await service.tasks.get(aoi, found)


async def test_references_with_a_former_key_stay_good(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("買い物"))
    await world.service.teams.change(aoi, team.name, "", "shop")
    await world.settle()
    aoi = await world.admin("aoi", team.team_id)
    assert (aoi.key, aoi.keys) == ("SHOP", {"TASK", "SHOP"})
    for words in (f"SHOP-{made.number}", f"task-{made.number}", f"#{made.number}"):
        found = await world.service.tasks.page(aoi, Filter(text=words))
        assert [task.task_id for task in found] == [made.task_id]
        assert await world.service.tasks.answers(aoi, made, Filter(text=words))
    assert not list(await world.service.tasks.page(aoi, Filter(text=f"else-{made.number}")))


async def test_a_team_that_is_being_deleted_gives_no_numbers(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    await world.service.teams.delete(aoi)
    with pytest.raises(NoSuchTeam):
        await world.service.numbers.take(team.team_id, 1)
