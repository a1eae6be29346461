"""Subtasks: both sides always agree, whatever two people do at once, and whatever goes to the trash."""

from __future__ import annotations

import asyncio

import pytest

from sekkei.runtime.refusals import Refusal
from sekkei_systems.tasks.design import Plan, every_task, plans
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import (
    HasSubtasks,
    NoSuchParent,
    Overwritten,
    OwnParent,
    ParentIsSubtask,
    TooManySubtasks,
)
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.service import subtasks as module
from sekkei_systems.tasks.service.access import Admin
from tests.systems.tasks.conftest import PURGING_ROUNDS, World

SAME = TaskChanges()


async def _tasks(world: World, count: int) -> tuple[Admin, list[str]]:
    aoi = await world.admin("aoi", (await world.team()).team_id)
    made = [await world.service.tasks.create(aoi, TaskDraft(f"仕事{at}")) for at in range(count)]
    return aoi, [task.task_id for task in made]


async def _family(world: World, aoi: Admin, task_id: str) -> tuple[str | None, list[str]]:
    found = (await world.service.plans.on_page(await world.service.plans.get(aoi, task_id))).family
    return found.parent and found.parent.task_id, [one.task_id for one in found.children]


async def _stored(world: World, aoi: Admin) -> set[tuple[str, str]]:
    """Who is part of what, as both sides have it."""
    found = await world.opened.context.db.all(plans.where(Plan.team_id == aoi.team_id).consistent())
    up = {(one.parent, one.task_id) for one in found if one.parent}
    down = {(one.task_id, child) for one in found for child in one.children}
    assert up == down
    assert not {parent for parent, _ in up} & {child for _, child in up}, "one level"
    return up


async def test_a_task_becomes_part_of_another_and_is_taken_out(world: World) -> None:
    aoi, (parent, child) = await _tasks(world, 2)
    tasks = world.service.tasks
    changed = await tasks.change(aoi, child, TaskChanges(title="小さい"), parent="TASK-1")
    assert (changed.title, changed.version) == ("小さい", 2), "one change, one version"
    assert await _family(world, aoi, child) == (parent, [])
    assert await _family(world, aoi, parent) == (None, [child])
    assert (await tasks.get(aoi, parent)).version == 1, "the parent itself is not written"
    line = (await tasks.activity(aoi, child)).items[0]
    assert line.changes == {"title": ["仕事1", "小さい"], "parent": ["", "#1"]}
    assert (await tasks.change(aoi, child, SAME, parent=parent)).version == 2, "it is so already"
    await tasks.change(aoi, child, SAME, parent=None)
    assert await _stored(world, aoi) == set()
    await tasks.undo(aoi, child, 3)
    assert await _stored(world, aoi) == {(parent, child)}
    with pytest.raises(Overwritten):
        await tasks.undo(aoi, child, 2)


async def test_what_is_refused_changes_nothing(world: World) -> None:
    aoi, (parent, child, other) = await _tasks(world, 3)
    tasks = world.service.tasks
    await tasks.change(aoi, child, SAME, parent=parent)
    await world.service.trash.put(aoi, other)
    strangers = await world.admin("ren", (await world.team(admin="ren")).team_id)
    theirs = await tasks.create(strangers, TaskDraft("よそ"))
    refused: list[tuple[str, str, type[Refusal]]] = [
        (parent, parent, OwnParent),
        (parent, child, ParentIsSubtask),
        (parent, other, NoSuchParent),
        (child, other, NoSuchParent),
        (child, "TASK-99", NoSuchParent),
        (child, theirs.task_id, NoSuchParent),
        (child, "x#y", NoSuchParent),
    ]
    for task, wanted, error in refused:
        with pytest.raises(error):
            await tasks.change(aoi, task, TaskChanges(title="変わらない"), parent=wanted)
    third = (await tasks.create(aoi, TaskDraft("三"))).task_id
    for work in (tasks.change(aoi, parent, SAME, parent=third), tasks.create(aoi, TaskDraft("孫"), child)):
        with pytest.raises((HasSubtasks, ParentIsSubtask)):
            await work
    assert await _stored(world, aoi) == {(parent, child)}
    assert (await tasks.get(aoi, parent)).title == "仕事0"


async def test_the_trash_keeps_what_belongs_together(world: World) -> None:
    aoi, (parent, child, other) = await _tasks(world, 3)
    tasks, trash = world.service.tasks, world.service.trash
    for one in (child, other):
        await tasks.change(aoi, one, SAME, parent=parent)
    await trash.put(aoi, parent)
    assert await _family(world, aoi, child) == (None, []), "a task of its own"
    await trash.put(aoi, child)
    await trash.take_back(aoi, parent)
    assert await _family(world, aoi, parent) == (None, [other])
    await trash.take_back(aoi, child)
    assert await _family(world, aoi, parent) == (None, sorted([child, other]))
    assert await _stored(world, aoi) == {(parent, child), (parent, other)}


async def test_ties_to_the_trash_are_cut_when_they_are_in_the_way(world: World) -> None:
    aoi, (parent, child, sibling) = await _tasks(world, 3)
    tasks, trash = world.service.tasks, world.service.trash
    for one in (child, sibling):
        await tasks.change(aoi, one, SAME, parent=parent)
    await trash.put(aoi, parent)
    await tasks.change(aoi, sibling, SAME, parent=child)
    assert await _stored(world, aoi) == {(child, sibling)}
    await trash.put(aoi, sibling)
    await trash.take_back(aoi, parent)
    await tasks.change(aoi, child, SAME, parent=parent)
    assert await _stored(world, aoi) == {(parent, child)}
    await trash.take_back(aoi, sibling)
    assert await _family(world, aoi, sibling) == (None, [])


async def test_what_goes_for_good_leaves_nothing_behind(world: World) -> None:
    aoi, (parent, a, b, c) = await _tasks(world, 4)
    tasks, trash = world.service.tasks, world.service.trash
    for one in (a, b, c):
        await tasks.change(aoi, one, SAME, parent=parent)
    for gone, left in ((a, {(parent, b), (parent, c)}), (parent, set[tuple[str, str]]())):
        await trash.put(aoi, gone)
        await trash.purge(aoi, gone)
        await world.settle(PURGING_ROUNDS)
        assert await _stored(world, aoi) == left
    assert len(await world.opened.context.db.all(every_task(aoi.team_id))) == 2


async def test_a_new_subtask_in_one_line(world: World) -> None:
    aoi, (parent,) = await _tasks(world, 1)
    made = await world.service.quick.create(aoi, "電話 明日まで !高", parent=parent)
    assert (made.title, str(made.end)) == ("電話", "2025-11-07")
    assert await _stored(world, aoi) == {(parent, made.task_id)}
    await world.service.tasks.change(aoi, made.task_id, TaskChanges(status=Status.DONE))
    await world.settle()
    family = (await world.service.plans.marks(aoi, [parent, made.task_id]))[parent].family
    assert (family.done, family.open) == (1, 0)
    assert (await world.service.tasks.get(aoi, parent)).status is Status.TODO, "it does not close by itself"


async def test_there_is_an_end_to_them(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for many who add one at the same moment."""
    monkeypatch.setattr(module, "CHILDREN_MAX", 3)
    aoi, (parent,) = await _tasks(world, 1)
    wanted = [world.service.tasks.create(aoi, TaskDraft(f"子{at}"), parent) for at in range(6)]
    found = await asyncio.gather(*wanted, return_exceptions=True)
    assert sum(isinstance(one, TooManySubtasks) for one in found) == 3
    assert len(await _stored(world, aoi)) == 3
    await world.settle()
    assert len(await world.opened.context.db.all(every_task(aoi.team_id))) == 4


async def test_two_people_at_once(world: World) -> None:
    """Two take the same task; one takes what the other makes a parent; a parent goes while something is added."""
    aoi, (a, b, c, d) = await _tasks(world, 4)
    tasks, trash = world.service.tasks, world.service.trash
    await asyncio.gather(tasks.change(aoi, c, SAME, parent=a), tasks.change(aoi, c, SAME, parent=b))
    assert len(await _stored(world, aoi)) == 1
    await tasks.change(aoi, c, SAME, parent=None)
    both = await asyncio.gather(
        tasks.change(aoi, a, SAME, parent=b), tasks.change(aoi, b, SAME, parent=a), return_exceptions=True
    )
    assert sum(isinstance(one, Refusal) for one in both) == 1
    (tied,) = await _stored(world, aoi)
    await tasks.change(aoi, tied[1], SAME, parent=None)
    chain = await asyncio.gather(
        tasks.change(aoi, b, SAME, parent=a), tasks.change(aoi, c, SAME, parent=b), return_exceptions=True
    )
    assert sum(isinstance(one, Refusal) for one in chain) == 1
    await _stored(world, aoi)
    added = await asyncio.gather(trash.put(aoi, d), tasks.create(aoi, TaskDraft("遅い"), d), return_exceptions=True)
    if isinstance(added[1], BaseException):
        assert isinstance(added[1], NoSuchParent)
    await _stored(world, aoi)
