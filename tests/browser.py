"""For tests in a real browser: `serve` an application on a free port and look at it in headless Chromium.

    pytest_plugins are not needed: import the fixtures in a conftest.py
        from tests.browser import browser, serve        # noqa: F401

    async def test_board(browser, serve, shots):
        site = await serve(SYSTEM)                       # in this very process, on a store of its own
        page = await browser.person(site, "demo-aoi")    # a window of its own, signed in
        await page.goto(site.url + "/tasks/")
        async with another_page(page):                   # a click that leads elsewhere
            await page.get_by_role("button", name="保存").click()
        await shots(page, "board")

A test waits for what it is about, as long as a busy machine takes: `expect(...)`, never a moment of time, never the
event of a navigation, which may be over already or broken off by the next. A page that is not loaded yet is hidden, so
that nothing is clicked before the script that listens is there.

It is noon when the tests begin, here and in the browser, of an ordinary day in the middle of a week: what day it is and
how late must not decide whether a test passes. Time goes on as it does; chance begins with the same seed.

Tests that need it are skipped, with a line that says so, where there is no Chromium; `make browser` installs one.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Error, Locator, Page, Request, Route, async_playwright, expect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sekkei.clock import Clock, ManualClock
from sekkei.runtime.system import System
from sekkei.web.middleware import SESSION_COOKIE
from sekkei.web.server import bind, http_server
from sekkei.web.testing import Client, opened, test_settings

WHOLE = os.environ.get("SEKKEI_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""
CHROMIUM = os.environ.get("SEKKEI_CHROMIUM") or shutil.which("chromium-headless-shell") or WHOLE
"""It draws pages and nothing around them, neither notifications nor installed pages, in half the processor time."""
os.environ.setdefault("NODE_COMPILE_CACHE", str(Path(sys.prefix) / ".node-compiled"))
"""Playwright's driver is a program of Node, which compiles it for every test unless it may keep what it made."""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--font-render-hinting=none",
]
PATIENCE = 30_000
"""Milliseconds. A machine that has much to do is slow, not wrong."""
expect.set_options(timeout=PATIENCE)
HIDDEN_UNTIL_LOADED = """
if (self === top) {
  const hidden = new CSSStyleSheet();
  hidden.replaceSync(":root { visibility: hidden !important; }");
  document.adoptedStyleSheets = [hidden];
  addEventListener("load", () => (document.adoptedStyleSheets = []));
}
"""
NOON = 1_876_014_000.0
"""2029-06-13 12:00 in Japan, a Wednesday. Not in the past: a browser would take all that it keeps for too old."""
AHEAD = NOON - time.time()
ITS_TIME = """
self.Date = class extends Date {
  constructor(...given) { given.length ? super(...given) : super(self.Date.now()); }
  static now() { return super.now() + AHEAD; }
};
""".replace("AHEAD", str(round(AHEAD * 1000)))
WORDS_STAY = """{
  const later = self.setTimeout;
  self.setTimeout = (act, ms, ...given) => later(act, ms === 6000 ? 25000 : ms, ...given);
}"""
"""Words that leave after a moment (`leaveLater` in the shell's script) stay for whoever looks late."""
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 860}

FAILED = pytest.StashKey[bool]()
"""Whether a test has failed, known when its fixtures end."""


class Noon(ManualClock):
    """Runs as the machine's does, and began at noon."""

    def now(self) -> float:
        return time.time() + AHEAD

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass
class Site:
    """An application that listens."""

    url: str
    client: Client


class Windows:
    """One Chromium; every person gets a window that shares nothing with the others."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.problems: list[str] = []
        """What pages wrote as errors to the console, scripts that failed included; a test asserts that it is empty."""

    async def window(self, size: dict[str, int] | None = None, *, seen_loading: bool = False, **options: Any) -> Page:
        context = await self._browser.new_context(
            viewport=size or DESKTOP, locale=options.pop("locale", "ja-JP"), timezone_id="Asia/Tokyo", **options
        )
        context.set_default_timeout(PATIENCE)
        self._contexts.append(context)
        await context.add_init_script(ITS_TIME + WORDS_STAY)
        if not seen_loading and options.get("java_script_enabled", True):
            await context.add_init_script(HIDDEN_UNTIL_LOADED)
        page = await context.new_page()
        page.on("console", lambda said: self.problems.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        return page

    async def person(self, site: Site, person: str, size: dict[str, int] | None = None, **options: Any) -> Page:
        """A window in which somebody of the demo data is signed in."""
        page = await self.window(size, **options)
        client = site.client.another()
        await client.sign_in(person)
        await page.context.add_cookies(
            [{"name": SESSION_COOKIE, "value": client.cookies[SESSION_COOKIE], "url": site.url, "httpOnly": True}]
        )
        return page

    async def tell(self) -> None:
        """What everybody sees, for whoever has to find out why a test failed."""
        for page in (page for context in self._contexts for page in context.pages):
            with suppress(Error):  # it may be the page itself that is gone
                print(f"{page.url}\n{await page.locator('body').aria_snapshot(timeout=2_000)}\n")
        print("\n".join(self.problems))

    async def close(self) -> None:
        for context in self._contexts:
            await context.close()


@asynccontextmanager
async def another_page(page: Page) -> AsyncIterator[None]:
    """What is done inside leads to another page, or to the same one anew; go on when it stands."""
    await page.locator("html").evaluate("root => root.setAttribute('data-before', '')")
    yield
    await expect(page.locator("html[data-before]")).to_have_count(0)
    await expect(page.locator("html")).to_be_visible()


async def found_at(page: Page, url: str, wanted: Locator) -> Locator:
    """On a page that does not change by itself: what a worker brings a moment later."""
    async with asyncio.timeout(3 * PATIENCE / 1000):
        await page.goto(url)
        while not await wanted.count():
            await asyncio.sleep(0.1)  # the worker needs the machine too
            await page.reload()
    return wanted


async def drawn(page: Page) -> None:
    """Until what a page was told is on its screen.

    A page on which nothing moves may be given no frame at all; there is nothing to wait for then, and `evaluate` would.
    """
    await page.evaluate("""
        new Promise((done) => {
          requestIdleCallback(() => requestAnimationFrame(() => requestAnimationFrame(done)));
          setTimeout(done, 1000);
        })
    """)


async def eventually(holds: Callable[[], bool]) -> None:
    """For what no page shows: the server hears a moment later that somebody has hung up."""
    async with asyncio.timeout(PATIENCE / 1000):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def back_online(page: Page) -> None:
    await page.context.set_offline(False)
    await page.wait_for_function("navigator.onLine", polling=20)


@asynccontextmanager
async def overtaken(page: Page, address: str, ask: str) -> AsyncIterator[None]:
    """What the script `ask` makes a page ask for is answered at once, and arrives after all that is done inside."""
    asked: asyncio.Future[Request] = asyncio.get_running_loop().create_future()
    held = asyncio.Event()

    async def late(route: Route) -> None:
        answer = await route.fetch()
        asked.set_result(route.request)
        await held.wait()
        await route.fulfill(response=answer)

    await page.route(address, late, times=1)
    await page.evaluate(ask)
    older = await asked
    yield
    async with page.expect_response(lambda response: response.request == older):
        held.set()
    await page.evaluate("new Promise((drawn) => setTimeout(drawn))")


Serve = Callable[..., Awaitable[Site]]
Shots = Callable[..., Awaitable[Path]]


@pytest_asyncio.fixture
async def browser(request: pytest.FixtureRequest) -> AsyncIterator[Windows]:
    async with told_of(request, CHROMIUM) as windows:
        yield windows


@pytest_asyncio.fixture
async def whole_browser(request: pytest.FixtureRequest) -> AsyncIterator[Windows]:
    """With notifications and whatever else stands around pages."""
    async with told_of(request, WHOLE) as windows:
        yield windows


@asynccontextmanager
async def told_of(request: pytest.FixtureRequest, program: str) -> AsyncIterator[Windows]:
    """A browser that is asked what it shows when its test has failed."""
    if not program:
        pytest.skip("no Chromium here; `make browser` installs it")
    async with chromium_open(program) as windows:
        yield windows
        if request.node.stash.get(FAILED, False):
            await windows.tell()


@asynccontextmanager
async def chromium_open(program: str = CHROMIUM) -> AsyncIterator[Windows]:
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=program, args=FLAGS)
        windows = Windows(chromium)
        try:
            yield windows
        finally:
            await windows.close()
            await chromium.close()


def late(app: ASGIApp) -> ASGIApp:
    delay = float(os.environ.get("SEKKEI_SLOW") or 0)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(random.uniform(0, delay))
        await app(scope, receive, send)

    return answer if delay else app


def dated(app: ASGIApp, clock: Clock) -> ASGIApp:
    """Answers say when they were given, by the clock of the application."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def stamped(message: Message) -> None:
            if message["type"] == "http.response.start":
                date = (b"date", formatdate(clock.now(), usegmt=True).encode())
                message = {**message, "headers": [*message["headers"], date]}
            await send(message)

        await app(scope, receive, stamped)

    return answer


@pytest_asyncio.fixture
async def serve() -> AsyncIterator[Serve]:
    async with serving() as start:
        yield start


@asynccontextmanager
async def serving() -> AsyncIterator[Serve]:
    """`await serve(SYSTEM, ..., demo=True)`: listening on a free port, with the worker running.

    What the worker does every minute or every night it leaves alone, unless `recurring`: a test must not depend on
    the minute in which it runs.
    SEKKEI_SLOW=0.5 makes every answer up to that many seconds late: a test that waits for the wrong thing fails then.
    """
    async with AsyncExitStack() as stack:

        async def start(*systems: System, demo: bool = False, recurring: bool = False, **options: Any) -> Site:
            clock = options.setdefault("clock", Noon())
            socket = bind("127.0.0.1", 0)
            url = f"http://{options.pop('host', '127.0.0.1')}:{socket.getsockname()[1]}"
            settings = options.pop("settings", None) or test_settings(public_url=url)
            client = await stack.enter_async_context(opened(*systems, demo=demo, settings=settings, **options))
            ready = asyncio.Event()
            server = http_server(client.app, ready.set)
            server.config.app = dated(late(client.app), clock)
            server.config.date_header = False
            server.config.lifespan = "off"  # `opened` has begun it already
            task = asyncio.create_task(server.serve([socket]))

            async def stop() -> None:
                server.should_exit = True
                await task

            stack.push_async_callback(stop)
            await client.shell.deployment.worker.start(recurring=recurring)
            stack.push_async_callback(client.shell.deployment.worker.stop)
            await ready.wait()
            return Site(url, client)

        yield start


@pytest.fixture
def shots(tmp_path: Path, request: pytest.FixtureRequest) -> Shots:
    """`await shots(page, "board")`: a picture in the test's folder, or in SEKKEI_SHOTS to be looked at."""
    folder = Path(os.environ.get("SEKKEI_SHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)

    async def shoot(page: Page, name: str, *, whole: bool = True) -> Path:
        path = folder / f"{name}.png"
        try:
            await page.screenshot(path=path, full_page=whole, animations="disabled")
        except Error as error:
            # Chromium, not the page: it seldom has no surface at hand to take a picture of.
            if "Unable to capture screenshot" not in error.message:
                raise
            await drawn(page)
            await page.screenshot(path=path, full_page=whole, animations="disabled")
        return path

    return shoot
