"""What pages and writes cost: calls of the store and units by DynamoDB's formula. The figures are in docs/adr/0011."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from datetime import date, timedelta

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime import wakeups
from sekkei.store import Embedded
from sekkei.web.testing import Client, opened
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.service import Service
from sekkei_systems.tasks.service.access import Admin
from sekkei_systems.tasks.system import SYSTEM
from tests.systems.tasks.metered import Metered

TASKS = 600
FIRST = date(2025, 1, 1)


class Team:
    """A team with many tasks, behind a store that counts."""

    def __init__(self, store: Metered, client: Client, admin: Admin) -> None:
        self.store, self.client, self.admin = store, client, admin
        self.service: Service = client.shell.deployment.systems["tasks"].parts.service
        self.path = f"/tasks/teams/{admin.team_id}"

    async def cost(self, work: Awaitable[object]) -> tuple[int, float]:
        with self.store.counting() as bill:
            await work
        return len(bill.calls), bill.units


@pytest.fixture
async def team(clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Team]:
    """The clock stands still: what is known for a minute stays known. The pulse never rests, and costs nothing here."""
    monkeypatch.setattr(wakeups, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(wakeups, "TELL_SECONDS", 0.0)
    store = Metered(Embedded(clock=clock))
    async with opened(SYSTEM, store=store, clock=clock) as client:
        await client.sign_in("demo-aoi")
        await client.get("/tasks/")
        service: Service = client.shell.deployment.systems["tasks"].parts.service
        made = await service.teams.create("demo-aoi", "測る")
        admin = await service.access.admin("demo-aoi", made.team_id)
        tags = [(await service.tags.add(admin, name, "#2563eb")).tag_id for name in ("画面", "API", "急ぎ")]
        drafts = [_draft(number, tags) for number in range(TASKS)]
        for at in range(0, TASKS, 15):
            await service.tasks.create_together(admin.team_id, admin.user_id, drafts[at : at + 15])
        yield Team(store, client, admin)


def _draft(number: int, tags: list[str]) -> TaskDraft:
    return TaskDraft(
        f"タスク その{number}",
        "短い説明を書いておく。" * 3,
        list(Status)[number % 3],
        FIRST + timedelta(days=number % 300),
        tags=frozenset({tags[number % 3]}),
        assignee="demo-aoi" if number % 2 else None,
    )


async def test_pages_stay_within_their_budgets(team: Team) -> None:
    """One call of each is the shell's: who is signed in."""
    task = await team.service.tasks.create(team.admin, TaskDraft("一つ", assignee="demo-aoi"))
    budgets = {
        "": (8, 20),
        "?order=hand": (8, 20),
        f"/cards/{task.task_id}": (2, 5),
        "/columns/todo": (6, 12),
        "/tasks": (6, 14),
        f"/tasks/{task.task_id}": (9, 12),
        f"/tasks/{task.task_id}/comments": (3, 5),
        "/settings": (8, 14),
    }
    found = {path: await team.cost(team.client.get(team.path + path)) for path in budgets}
    over = {path: cost for path, cost in found.items() if cost[0] > budgets[path][0] or cost[1] > budgets[path][1]}
    assert over == {}, f"over the budget {budgets}"


async def test_writes_stay_within_their_budgets(team: Team) -> None:
    service, admin = team.service, team.admin
    long = await service.tasks.create(admin, TaskDraft("千文字", "あ" * 1_000, assignee="demo-aoi"))
    short = await service.tasks.create(admin, TaskDraft("短い"))
    longest = await service.tasks.create(admin, TaskDraft("一万文字", "あ" * 10_000))

    async def units(work: Awaitable[object]) -> float:
        """What the stream does with it is part of the price."""
        with team.store.counting() as bill:
            await work
            await team.client.work()
        return sum(units for table, units in bill.by_table.items() if "task-table" in table)

    doing = TaskChanges(status=Status.DOING)
    await team.client.work()
    for work, most in (
        (service.comments.add(admin, long.task_id, "a" * 1_000), 12),
        (service.comments.add(admin, long.task_id, "あ" * 330 + "！ＡＢ"), 12),
        (service.tasks.change(admin, long.task_id, doing), 121),
        (service.tasks.change(admin, short.task_id, doing), 60),
        (service.tasks.change(admin, longest.task_id, doing), 121),
    ):
        assert await units(work) <= most
