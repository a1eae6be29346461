"""Five people, five windows, one board: edits, comments, moves, renames, deletions, offline and back.

A round is a minute in which everybody does something at the same time. After each it is quiet for a moment: then all
boards, none of which is ever loaded anew, show what the table holds, and the counter equals a recount. At the end
everything that anybody typed is somewhere.
"""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass, field

import pytest
from playwright.async_api import Page, Response, TimeoutError, expect

from sekkei.design import Database
from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei_systems.tasks.design import Role, Task, comments_in, stored_tasks
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.service import Service
from sekkei_systems.tasks.service.access import Admin
from sekkei_systems.tasks.service.people import Visitor
from sekkei_systems.tasks.system import SYSTEM
from tests.browser import Serve, Site, Windows, another_page, back_online

TASKS = 12
COLUMNS = [status.value for status in Status]
SHOWN = """() => JSON.stringify(Object.fromEntries([...document.querySelectorAll(".column")].map((column) => [
  column.dataset.status,
  [Number(column.querySelector("[data-total]").textContent), [...column.querySelectorAll(".task-card:not([hidden])")]
    .map((card) => [card.dataset.task, card.querySelector(".task-link").textContent]).sort()],
])))"""
"""What a board shows."""


@dataclass(slots=True)
class Team:
    """One team, its table, and what was typed."""

    site: Site
    service: Service
    admin: Admin
    chance: random.Random
    lines: dict[str, list[str]] = field(default_factory=dict)
    """In descriptions, by task."""
    titles: dict[str, list[str]] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"{self.site.url}/tasks/teams/{self.admin.team_id}"

    @property
    def db(self) -> Database:
        return self.site.client.shell.deployment.systems["tasks"].context.db

    async def stored(self) -> list[Task]:
        return await self.db.all(stored_tasks(self.admin.team_id))

    async def open(self) -> list[Task]:
        return sorted((one for one in await self.stored() if not one.deleted_at), key=lambda one: one.task_id)


@dataclass(slots=True)
class Window:
    """Somebody's: a board that stays, and a page that goes from task to task."""

    team: Team
    name: str
    board: Page
    page: Page

    def words(self, what: str) -> str:
        return f"{self.name} {what} {self.team.chance.randrange(10**6)}"

    async def visit(self, task: Task) -> None:
        await self.page.goto(f"{self.team.url}/tasks/{task.task_id}")
        await expect(self.page.locator("[data-task-form][data-live-state=open]")).to_be_visible()

    async def save(self) -> None:
        """Where somebody else changed the same, both are kept."""
        for _ in range(5):
            async with another_page(self.page):
                await self.page.get_by_role("button", name="保存", exact=True).click()
            clashes = self.page.locator("[data-clashes] select")
            if not await clashes.count():
                await expect(self.page.locator(".toast.ok")).to_be_visible()
                return
            for at in range(await clashes.count()):
                await clashes.nth(at).select_option(label="両方")
        raise AssertionError("it cannot be saved")

    async def write(self, task: Task, line: str) -> None:
        area = self.page.get_by_label("説明")
        await area.fill(f"{await area.input_value()}\n{line}".strip())
        self.team.lines.setdefault(task.task_id, []).append(line)

    # What people do

    async def describe(self, task: Task) -> None:
        await self.visit(task)
        await self.write(task, self.words("記す"))
        await self.save()

    async def rename(self, task: Task) -> None:
        title = self.words("改名")
        await self.visit(task)
        await self.page.get_by_label("タイトル").fill(title)
        self.team.titles.setdefault(task.task_id, []).append(title)
        await self.save()

    async def comment(self, task: Task) -> None:
        text = self.words("いわく")
        await self.visit(task)
        await self.page.get_by_label("コメントを書く").fill(text)
        await self.page.get_by_role("button", name="コメントする").click()
        await expect(self.page.locator("[data-comments-list]")).to_contain_text(text)
        self.team.said.append(text)

    async def move(self, task: Task) -> None:
        """By keys, as far as it goes."""
        card = self.board.locator(f'.task-card[data-task="{task.task_id}"]')
        status = await card.get_attribute("data-status") or ""
        to = COLUMNS[COLUMNS.index(status) + (1 if status != "done" else -1)]
        async with self.board.expect_response(lambda answer: _patched(answer, task)):
            await card.locator(".task-link").focus()
            await self.board.keyboard.press("Shift+ArrowRight" if status != "done" else "Shift+ArrowLeft")
        await expect(self.board.locator(f'.column[data-status="{to}"] [data-task="{task.task_id}"]')).to_be_visible()

    async def add(self, task: Task) -> None:
        title = self.words("追加")
        line = self.board.locator('[data-quick="todo"] [name=text]')
        await line.fill(title)
        await line.press("Enter")
        await expect(self.board.locator(".task-card .task-link", has_text=title)).to_be_visible()
        self.team.added.append(title)

    async def delete(self, task: Task) -> None:
        await self.visit(task)
        async with another_page(self.page):
            await self.page.get_by_role("button", name="削除", exact=True).last.click()

    async def go_offline_and_come_back(self, task: Task) -> None:
        """What was typed meanwhile is refused, kept, and saved in the end."""
        await self.visit(task)
        await self.page.context.set_offline(True)
        await self.write(task, self.words("圏外"))
        await self.page.get_by_role("button", name="保存", exact=True).click()
        await expect(self.page.get_by_text("入力はこの端末に残っています。").first).to_be_visible()
        await back_online(self.page)
        await self.save()


def _patched(answer: Response, task: Task) -> bool:
    return answer.request.method == "PATCH" and answer.url.endswith(task.task_id)


DEEDS = ("describe", "rename", "comment", "move", "add", "delete", "go_offline_and_come_back")


async def five_windows(browser: Windows, serve: Serve, seed: int) -> tuple[Team, list[Window]]:
    site = await serve(SYSTEM)
    service: Service = site.client.shell.deployment.systems["tasks"].parts.service
    for one in DEMO_PEOPLE[:5]:
        await service.people.arrive(Visitor(one.id, one.email, one.name))
    made = await service.teams.create(DEMO_PEOPLE[0].id, "五人")
    admin = await service.access.admin(DEMO_PEOPLE[0].id, made.team_id)
    for one in DEMO_PEOPLE[1:5]:
        invited = await service.invitations.invite(admin, one.email, Role.MEMBER)
        token = service.invitations.token_of(invited)
        await service.invitations.accept(Visitor(one.id, one.email, one.name), made.team_id, invited.invite_id, token)
    for at in range(TASKS):
        await service.tasks.create(admin, TaskDraft(f"仕事{at}", status=list(Status)[at % 3]))
    team = Team(site, service, admin, random.Random(seed))
    return team, list(await asyncio.gather(*(window_of(browser, team, one.id, one.name) for one in DEMO_PEOPLE[:5])))


async def window_of(browser: Windows, team: Team, id: str, name: str) -> Window:
    board = await browser.person(team.site, id)
    page = await board.context.new_page()
    page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.accept()))
    await board.goto(team.url)
    await board.wait_for_selector('[data-live-state="open"]')
    await board.wait_for_selector('html[data-keys="ready"]')
    return Window(team, name.split()[-1], board, page)


async def everybody(team: Team, windows: list[Window], round: int) -> None:
    """Each with a task of their own; in every third round all but one with the same."""
    tasks = team.chance.sample(await team.open(), len(windows))
    if round % 3 == 0:
        deeds = ["describe", "describe", "comment", "rename", "go_offline_and_come_back"]
        tasks = [tasks[0]] * 4 + [tasks[4]]
    else:
        deeds = [team.chance.choice(DEEDS) for _ in windows]
    print(round, [(window.name, deed, task.title) for window, deed, task in zip(windows, deeds, tasks, strict=True)])
    await asyncio.gather(
        *(getattr(window, deed)(task) for window, deed, task in zip(windows, deeds, tasks, strict=True))
    )


async def quiet(team: Team, windows: list[Window]) -> None:
    """All boards show what the table holds, and the counter is a recount."""
    found = await team.open()
    columns = {name: sorted([one.task_id, one.title] for one in found if one.status.value == name) for name in COLUMNS}
    totals = await team.service.teams.totals(team.admin)
    assert {name: len(cards) for name, cards in columns.items()} == {name: getattr(totals, name) for name in COLUMNS}
    wanted = json.dumps(
        {name: [len(cards), cards] for name, cards in columns.items()}, ensure_ascii=False, separators=(",", ":")
    )
    await asyncio.gather(*(shows(window, wanted) for window in windows))


async def shows(window: Window, wanted: str) -> None:
    try:
        await window.board.wait_for_function(
            f'wanted => (document.querySelector("[data-more]")?.click(), ({SHOWN})() === wanted)', arg=wanted
        )
    except TimeoutError:
        shown = await window.board.evaluate(SHOWN)
        assert json.loads(shown) == json.loads(wanted), f"the board of {window.name}"


async def nothing_is_lost(team: Team) -> None:
    stored = {one.task_id: await team.service.tasks.whole(one) for one in await team.stored()}
    for id, lines in team.lines.items():
        assert [line for line in lines if line not in stored[id].description] == []
    called = {id: await every_title(team, one) for id, one in stored.items()}
    assert {id: set(titles) - called[id] for id, titles in team.titles.items() if set(titles) - called[id]} == {}
    assert set(team.added) - set().union(*called.values()) == set()
    said = {one.text for one in await team.db.all(comments_in(team.admin.team_id))}
    assert set(team.said) - said == set()


async def every_title(team: Team, task: Task) -> set[str]:
    """What it is called, and what it was."""
    lines = await team.service.tasks.activity(team.admin, task.task_id)
    return {task.title, *(title for line in lines for title in line.changes.get("title", []))}


async def remove(team: Team, admin: Window, gone: Window) -> None:
    """Somebody is taken out of the team while their board is open."""
    await admin.page.goto(f"{team.url}/settings")
    row = admin.page.locator(".row-item", has_text=gone.name)
    async with another_page(admin.page):
        await row.get_by_role("button", name="外す").click()
    answer = await gone.page.goto(team.url)
    assert answer is not None
    assert answer.status == 404


async def run(browser: Windows, serve: Serve, seed: int, rounds: int) -> None:
    team, windows = await five_windows(browser, serve, seed)
    for round in range(rounds):
        await everybody(team, windows, round)
        await quiet(team, windows)
    await remove(team, windows[0], windows[-1])
    await windows[1].add((await team.open())[0])
    await quiet(team, windows[:-1])
    await nothing_is_lost(team)


async def test_five_people_in_five_windows(browser: Windows, serve: Serve) -> None:
    await run(browser, serve, seed=7, rounds=2)


@pytest.mark.torture
@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_five_people_for_ten_minutes(browser: Windows, serve: Serve, seed: int) -> None:
    await run(browser, serve, seed, rounds=10)
