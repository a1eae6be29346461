"""Webhooks: who is told what, once; what is sealed, limited and taken along."""

from __future__ import annotations

import json

import pytest

from sekkei.runtime.data_subjects import Person
from sekkei_systems.tasks.design import (
    Hook,
    HookDelivery,
    HookEvent,
    deliveries_in,
    hooks,
    hooks_of,
)
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.ports.hooks import HookSender
from sekkei_systems.tasks.refusals import NotAdmin, TooLarge
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.rules.hooks import BadHookUrl, of_task
from sekkei_systems.tasks.service.hooks import HOOKS_MAX, KIND, HookStopped, NoEvents, NoSuchDelivery, NoSuchHook
from tests.systems.leaving import leave
from tests.systems.tasks.conftest import World

URL = "https://hooks.example.com/in"
ALL = frozenset(HookEvent)


@pytest.fixture(autouse=True)
def no_network(world: World) -> None:
    """Names are looked up nowhere: nothing arrives."""

    async def nowhere(host: str, port: int) -> list[str]:
        return []

    sender = world.opened.parts.transports[KIND]
    assert isinstance(sender, HookSender)
    sender._resolve = nowhere


async def told(world: World, team_id: str) -> list[HookDelivery]:
    await world.settle()
    found = await world.opened.context.db.all(deliveries_in(team_id).consistent())
    return sorted(found, key=lambda one: one.delivery_id)


async def test_every_event_is_told_once_to_whoever_asked(world: World) -> None:
    team = await world.team("ren")
    aoi, ren = await world.admin("aoi", team.team_id), await world.member("ren", team.team_id)
    await world.settle()
    await world.service.hooks.add(aoi, URL, ALL)
    quiet, _ = await world.service.hooks.add(aoi, URL, frozenset({HookEvent.TASK_MOVED}))
    task = await world.service.tasks.create(aoi, TaskDraft("見積もり"))
    await world.settle()
    await world.service.tasks.change(ren, task.task_id, TaskChanges(status=Status.DONE))
    await world.service.comments.add(ren, task.task_id, "よし")
    await world.settle()
    await world.service.trash.put(aoi, task.task_id)
    await world.settle()
    await world.service.teams.remove(aoi, "ren")
    found = await told(world, team.team_id)
    loud = sorted(one.event for one in found if one.hook_id != quiet.hook_id)
    assert loud == ["comment.created", "member.left", "task.created", "task.deleted", "task.done"]
    assert [one.event for one in found if one.hook_id == quiet.hook_id] == ["task.moved"]
    (done,) = (one for one in found if one.event == "task.done")
    assert done.event_id == f"msg_{task.task_id}_2"
    assert '"name":"Ren"' in done.body


async def test_what_a_task_is_part_of_is_told(world: World) -> None:
    """It stands beside the task, so nothing of the task itself has changed."""
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    parent, task = [await world.service.tasks.create(aoi, TaskDraft(name)) for name in ("全体", "一部")]
    await world.settle()
    await world.service.hooks.add(aoi, URL, frozenset({HookEvent.TASK_CHANGED}))
    for wanted in (parent.task_id, None):
        await world.service.tasks.change(aoi, task.task_id, TaskChanges(), parent=wanted)
        await world.settle()
    bodies = [json.loads(one.body)["data"] for one in await told(world, team.team_id)]
    assert sorted((one["task"]["parent"] or "", one["changes"]["parent"][1]) for one in bodies) == [
        ("", ""),
        (parent.task_id, f"#{parent.number}"),
    ]


async def test_a_record_that_comes_again_is_told_once(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    await world.settle()
    await world.service.hooks.add(aoi, URL, ALL)
    task = await world.service.tasks.create(aoi, TaskDraft("一度"))
    await world.settle()
    await world.service.hooks.tell(team.team_id, of_task(None, task))
    assert [one.event for one in await told(world, team.team_id)] == ["task.created"]


async def test_the_secret_is_sealed_and_belongs_to_its_address(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    first, secret = await world.service.hooks.add(aoi, URL, ALL)
    second, _ = await world.service.hooks.add(aoi, URL, ALL)
    assert secret.startswith("whsec_")
    assert secret.removeprefix("whsec_") not in first.secret
    log = world.service.hook_log
    assert log.secret(first) != log.secret(second)
    await world.opened.context.db.write(hooks.update(team.team_id, second.hook_id).set(Hook.secret, first.secret))
    assert log.secret(await world.service.hooks.get(aoi, second.hook_id)) is None


async def test_what_is_refused(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    with pytest.raises(NotAdmin):
        await world.admin("ren", team.team_id)
    with pytest.raises(BadHookUrl):
        await world.service.hooks.add(aoi, "http://hooks.example.com", ALL)
    with pytest.raises(NoEvents):
        await world.service.hooks.add(aoi, URL, frozenset())
    with pytest.raises(NoSuchHook):
        await world.service.hooks.change(aoi, "none", URL, ALL)
    with pytest.raises(NoSuchHook):
        await world.service.hooks.delete(aoi, "none")
    for _ in range(HOOKS_MAX):
        made, _ = await world.service.hooks.add(aoi, URL, ALL)
    with pytest.raises(TooLarge):
        await world.service.hooks.add(aoi, URL, ALL)
    with pytest.raises(NoSuchDelivery):
        await world.service.hooks.again(aoi, made.hook_id, "none")
    await world.service.hook_log.missed(made, gone=True)
    with pytest.raises(HookStopped):
        await world.service.hooks.test(aoi, made.hook_id)
    assert (await world.service.hooks.resume(aoi, made.hook_id)).stopped_at is None


async def test_an_address_goes_with_its_log_and_with_its_team(world: World) -> None:
    team = await world.team()
    await world.settle()
    db, aoi = world.opened.context.db, await world.admin("aoi", team.team_id)
    made, _ = await world.service.hooks.add(aoi, URL, ALL)
    await world.service.hooks.add(aoi, URL, ALL)
    await world.service.tasks.create(aoi, TaskDraft("一つ"))
    assert len(await told(world, team.team_id)) == 2
    await world.service.hooks.delete(aoi, made.hook_id)
    assert len(await told(world, team.team_id)) == 1
    await world.service.teams.delete(aoi)
    assert await told(world, team.team_id) == []
    assert await db.all(hooks_of(team.team_id).consistent()) == []


async def test_what_was_told_of_somebody_goes_with_them(world: World) -> None:
    team = await world.team("ren")
    await world.settle()
    aoi, ren = await world.admin("aoi", team.team_id), await world.member("ren", team.team_id)
    await world.service.hooks.add(aoi, URL, frozenset({HookEvent.TASK_CREATED}))
    await world.service.tasks.create(ren, TaskDraft("蓮の"))
    await world.service.tasks.create(aoi, TaskDraft("葵の"))
    assert len(await told(world, team.team_id)) == 2
    await leave(world.opened.parts.personal, Person("ren", "ren@example.com", "Ren"))
    (left,) = await told(world, team.team_id)
    assert "葵の" in left.body
