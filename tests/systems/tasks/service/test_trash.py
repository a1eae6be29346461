"""The trash: thirty days, then nothing is left."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.design import Database
from sekkei.runtime.refusals import Changed
from sekkei_systems.tasks.design import stored_tasks
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import NoSuchTask
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.rules.filters import Filter
from sekkei_systems.tasks.service.tasks import Tasks
from sekkei_systems.tasks.service.trash import LIFE
from tests.lost import answer_lost
from tests.systems.tasks.conftest import PURGING_ROUNDS, World


async def test_a_task_comes_back_as_it_was(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    tags = [await world.service.tags.add(aoi, name, "#2563eb") for name in "ab"]
    ids = frozenset(tag.tag_id for tag in tags)
    tasks, trash = world.service.tasks, world.service.trash
    made = await tasks.create(aoi, TaskDraft("戻す", "長" * 2_000, Status.DOING, tags=ids, assignee="ren"))
    await world.service.comments.add(aoi, made.task_id, "残る")
    await trash.put(aoi, made.task_id)
    await world.settle()
    assert [task.title for task in await trash.all(aoi)] == ["戻す"]
    assert (await world.service.teams.totals(aoi)).doing == 0
    assert list(await tasks.page(aoi, Filter(frozenset(Status)))) == []
    assert await world.service.people.work("ren") == []
    for attempt in (tasks.get(aoi, made.task_id), tasks.change(aoi, made.task_id, TaskChanges(title="x"))):
        with pytest.raises(NoSuchTask):
            await attempt
    back = await trash.take_back(aoi, made.task_id)
    await world.settle()
    assert TaskDraft.of(back) == TaskDraft.of(made)
    assert (await world.service.teams.totals(aoi)).doing == 1
    assert [one.text for one in await world.service.comments.all(aoi, made.task_id)] == ["残る"]
    assert [task.task_id for task in await tasks.page(aoi, Filter(frozenset(Status)))] == [made.task_id]
    assert await trash.all(aoi) == []


async def test_what_went_meanwhile_does_not_come_back_with_it(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    tag = await world.service.tags.add(aoi, "a", "#2563eb")
    made = await world.service.tasks.create(aoi, TaskDraft("x", tags=frozenset({tag.tag_id}), assignee="ren"))
    await world.service.trash.put(aoi, made.task_id)
    await world.service.tags.delete(aoi, tag.tag_id)
    await world.service.teams.remove(aoi, "ren")
    await world.settle()
    back = await world.service.trash.take_back(aoi, made.task_id)
    assert (back.tags, back.assignee) == (frozenset(), None)


async def test_after_thirty_days_it_is_gone_with_all_that_belonged_to_it(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("x", "長" * 2_000))
    await world.service.comments.add(aoi, made.task_id, "x")
    await world.service.trash.put(aoi, made.task_id)
    world.clock.advance(LIFE.total_seconds() + 1)
    assert await world.service.trash.all(aoi) == []
    with pytest.raises(NoSuchTask):
        await world.service.trash.take_back(aoi, made.task_id)
    assert not await world.jobs.recount(team.team_id)


async def test_purged_is_gone_at_once(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("x", "長" * 2_000))
    await world.service.comments.add(aoi, made.task_id, "x")
    with pytest.raises(NoSuchTask):
        await world.service.trash.purge(aoi, made.task_id)  # only what is in the trash
    await world.service.trash.put(aoi, made.task_id)
    with answer_lost(world.opened.context.db):
        await world.service.trash.purge(aoi, made.task_id)
    await world.settle(PURGING_ROUNDS)
    assert await world.opened.context.db.all(stored_tasks(team.team_id)) == []
    found = await world.deployment.store.call("Scan", {"TableName": "task-table-v3", "ConsistentRead": True})
    assert [item["SK"]["S"] for item in found["Items"] if made.task_id in item["SK"]["S"]] == []


async def test_a_version_that_is_not_the_newest_is_not_deleted(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("x"))
    await world.service.tasks.change(aoi, made.task_id, TaskChanges(title="y"))
    with pytest.raises(Changed):
        await world.service.trash.put(aoi, made.task_id, seen=made.version)
    assert (await world.service.tasks.get(aoi, made.task_id)).title == "y"


async def test_what_is_taken_back_meanwhile_stays(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by seed 155 of the world: it answered 500."""
    team = await world.team()
    aoi, trash = await world.admin("aoi", team.team_id), world.service.trash
    made = await world.service.tasks.create(aoi, TaskDraft("x"))
    await trash.put(aoi, made.task_id)
    write = Database.write

    async def overtaken(self: Database, *what: Any) -> Any:
        monkeypatch.setattr(Database, "write", write)
        await trash.take_back(aoi, made.task_id)
        return await write(self, *what)

    monkeypatch.setattr(Database, "write", overtaken)
    with pytest.raises(NoSuchTask):
        await trash.purge(aoi, made.task_id)
    assert (await world.service.tasks.get(aoi, made.task_id)).title == "x"


async def test_what_is_purged_before_its_deletion_is_answered_is_not_there(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by seed 10789 of the world: it answered 500."""
    team = await world.team()
    aoi, trash = await world.admin("aoi", team.team_id), world.service.trash
    made = await world.service.tasks.create(aoi, TaskDraft("x"))
    transact = Tasks._transact

    async def overtaken(self: Tasks, *what: Any) -> None:
        await transact(self, *what)
        await trash.purge(aoi, made.task_id)

    monkeypatch.setattr(Tasks, "_transact", overtaken)
    with pytest.raises(NoSuchTask):
        await trash.put(aoi, made.task_id)
