"""Team tasks as people see them: how long a board takes in Chromium, and an action until the eye sees it.

Teams are measured in turn, so that whatever else the machine does meets both alike. An action is measured in the page,
from the event to the second frame after what it changes has changed.
"""

from __future__ import annotations

import asyncio
import math
import statistics
from collections.abc import Sequence
from typing import Any

from playwright.async_api import Page

from bench.markdown import table
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.service import Service
from sekkei_systems.tasks.system import SYSTEM
from tests.browser import CHROMIUM, Site, Windows, chromium_open, serving

SIZES = (10, 2_000)
LOADS = 40
ACTIONS = 30

SEEN = """async ([action, key, options]) => {
  const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const press = (target) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...options }));
  const changed = (is) => new Promise((done) => {
    if (is()) return done();
    const look = new MutationObserver(() => is() && (look.disconnect(), done()));
    look.observe(document.documentElement, { subtree: true, childList: true, attributes: true });
  });
  await frames();
  const card = document.querySelector('.column[data-status="todo"] .task-card:not([hidden])');
  const link = card?.querySelector(".task-link");
  const begun = performance.now();
  if (action === "move") {
    link.focus();
    press(link);
    await changed(() => card.closest(".column").dataset.status === "doing");
  } else if (action === "add") {
    const form = document.querySelector('[data-quick="todo"]');
    const before = document.querySelectorAll(".pending-card").length;
    form.elements.namedItem("text").value = `計測 ${begun}`;
    form.requestSubmit();
    await changed(() => document.querySelectorAll(".pending-card").length > before);
  } else if (action === "delete") {
    link.focus();
    press(link);
    await changed(() => card.hidden || !card.isConnected);
  } else if (action === "select") {
    link.focus();
    press(link);
    await changed(() => document.activeElement !== link);
  } else {
    press(document.body);
    await changed(() => document.querySelector("dialog[open]"));
  }
  await frames();
  const taken = performance.now() - begun;
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  return taken;
}"""
DEEDS: dict[str, tuple[str, str, dict[str, bool]]] = {
    "select the next card (↓)": ("select", "ArrowDown", {}),
    "move a card (Shift+→)": ("move", "ArrowRight", {"shiftKey": True}),
    "add in one line": ("add", "", {}),
    "open the palette (Ctrl+K)": ("palette", "k", {"ctrlKey": True}),
    "delete a card": ("delete", "Delete", {}),
}


def run(sizes: Sequence[int] = SIZES, loads: int = LOADS, actions: int = ACTIONS) -> None:
    if not CHROMIUM:
        print("Not measured: there is no Chromium here (`make browser`).")
        return
    asyncio.run(_measure(sizes, loads, actions))


async def _measure(sizes: Sequence[int], loads: int, actions: int) -> None:
    async with chromium_open() as browser, serving() as serve:
        site = await serve(SYSTEM)
        boards = [await _board(site, size) for size in sizes]
        print(await _loads(browser, site, sizes, boards, loads))
        print()
        print(await _actions(browser, site, sizes, boards, actions))


async def _board(site: Site, size: int) -> str:
    from bench.tasks import team_of  # which uses this

    await site.client.sign_in("demo-aoi")
    await site.client.get("/tasks/")
    opened = site.client.shell.deployment.systems["tasks"]
    service: Service = opened.parts.service
    team_id, _ = await team_of(opened.context.db, service, "demo-aoi", size)
    await site.client.work()
    admin = await service.access.admin("demo-aoi", team_id)
    await service.tasks.create(admin, TaskDraft("一つめ"))
    return f"{site.url}/tasks/teams/{team_id}"


async def _loads(browser: Windows, site: Site, sizes: Sequence[int], boards: Sequence[str], loads: int) -> str:
    page = await browser.person(site, "demo-aoi", seen_loading=True)
    taken: list[list[float]] = [[] for _ in boards]
    for turn in range(loads + 2):  # the first two fill the caches
        for at, board in enumerate(boards):
            await page.goto(board)
            milliseconds = await page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
            if turn >= 2:
                taken[at].append(float(milliseconds))
    rows = [_row("median", [statistics.median(some) for some in taken]), _row("p95", [_p95(some) for some in taken])]
    return table(["board in Chromium, ms", *(f"team of {size:,}" for size in sizes), "ratio"], rows)


async def _actions(browser: Windows, site: Site, sizes: Sequence[int], boards: Sequence[str], actions: int) -> str:
    pages = []
    for board in boards:
        page = await browser.person(site, "demo-aoi", seen_loading=True)
        await page.goto(board)
        await page.wait_for_selector('html[data-keys="ready"]')
        pages.append(page)
    rows = []
    for name, deed in DEEDS.items():
        taken: list[list[float]] = [[] for _ in pages]
        for _ in range(actions):
            for at, page in enumerate(pages):
                taken[at].append(await _seen(page, site, deed))
        rows.append(_row(f"{name}: median", [statistics.median(some) for some in taken]))
        rows.append(_row(f"{name}: p95", [_p95(some) for some in taken]))
    return table(["until it is seen, ms", *(f"team of {size:,}" for size in sizes), "ratio"], rows)


async def _seen(page: Page, site: Site, deed: tuple[str, str, dict[str, bool]]) -> float:
    """With a card to do it to."""
    if not await page.locator('.column[data-status="todo"] .task-card:not([hidden])').count():
        await page.reload()
        await page.wait_for_selector('html[data-keys="ready"]')
        if not await page.locator('.column[data-status="todo"] .task-card').count():
            service: Service = site.client.shell.deployment.systems["tasks"].parts.service
            admin = await service.access.admin("demo-aoi", page.url.rpartition("/")[2])
            for at in range(10):
                await service.tasks.create(admin, TaskDraft(f"また {at}"))
            await page.reload()
            await page.wait_for_selector('html[data-keys="ready"]')
    found: Any = await page.evaluate(SEEN, list(deed))
    await page.evaluate("fetch('/live/nothing')")  # what it asked of the server is answered before the next
    return float(found)


def _row(name: str, values: Sequence[float]) -> list[str]:
    return [name, *(f"{value:.0f}" for value in values), f"{values[-1] / values[0]:.2f}"]


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[math.ceil(len(values) * 0.95) - 1]
