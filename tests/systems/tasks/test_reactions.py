"""Open boards are told what happens, through the table's stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.live import LiveEvent
from sekkei.store import Embedded, Store
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.reactions import topic
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.rules.filters import Filter
from sekkei_systems.tasks.rules.imports import Board, ForeignTask
from tests.systems.tasks.conftest import World


@pytest.fixture
async def store(clock: ManualClock) -> AsyncIterator[Store]:
    """One store is enough: what the pump reads is tested on all of them."""
    embedded = Embedded(clock=clock)
    yield embedded
    await embedded.close()


class Listener:
    """A board that is open."""

    def __init__(self, world: World, team_id: str) -> None:
        self.events: list[LiveEvent] = []
        self._task = asyncio.create_task(self._listen(world, team_id))

    async def _listen(self, world: World, team_id: str) -> None:
        async for event in world.deployment.live.listen(topic(team_id)):
            self.events.append(event)

    async def heard(self, world: World) -> list[tuple[str, object]]:
        await world.settle()
        await asyncio.sleep(0)
        found = [(event.name, event.data) for event in self.events]
        self.events.clear()
        return found

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def test_a_board_hears_of_tasks_totals_comments_and_deletions(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    ren = await world.member("ren", team.team_id)
    await world.settle()
    listener = Listener(world, team.team_id)
    await asyncio.sleep(0)
    task = await world.service.tasks.create(aoi, TaskDraft("見える"))
    told = {"task": task.task_id, "status": "todo", "version": 1}
    totals = {"todo": 1, "doing": 0, "done": 0}
    assert sorted(await listener.heard(world), key=str) == [("task", told), ("totals", totals)]
    await world.service.tasks.change(ren, task.task_id, TaskChanges(status=Status.DONE))
    events = dict(await listener.heard(world))
    assert events["task"] == {"task": task.task_id, "status": "done", "version": 2}
    assert events["totals"] == {"todo": 0, "doing": 0, "done": 1}
    await world.service.comments.add(ren, task.task_id, "よし")
    assert ("comment", {"task": task.task_id}) in await listener.heard(world)
    await world.service.trash.put(aoi, task.task_id)
    assert ("gone", {"task": task.task_id}) in await listener.heard(world)
    await listener.close()


async def test_a_board_hears_nothing_of_other_teams(world: World) -> None:
    team, other = await world.team(), await world.service.teams.create("aoi", "ほか")
    await world.settle()
    listener = Listener(world, team.team_id)
    await asyncio.sleep(0)
    await world.service.tasks.create(await world.member("aoi", other.team_id), TaskDraft("よそ"))
    assert await listener.heard(world) == []
    await listener.close()


async def test_a_board_hears_once_of_an_import(world: World) -> None:
    """One event for each task made every open board ask 5,000 times."""
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    await world.settle()
    listener = Listener(world, team.team_id)
    await asyncio.sleep(0)
    found = [
        ForeignTask(f"x/{at}", TaskDraft(f"仕事{at}"), people=("Ren",), checks=(("一", False),)) for at in range(30)
    ]
    assert await world.service.imports.take_in(aoi, Board("trello", "板", found)) == 30
    heard = [name for name, _ in await listener.heard(world)]
    assert (heard.count("team"), {*heard}) == (1, {"team", "totals", "import"})
    assert list(await world.service.notes.page("ren")) == [], "nobody is called thirty times"
    (made, *_) = await world.service.tasks.page(aoi, Filter())
    await world.service.tasks.change(aoi, made.task_id, TaskChanges(status=Status.DOING))
    assert "task" in [name for name, _ in await listener.heard(world)]
    await listener.close()
