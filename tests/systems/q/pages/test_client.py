"""What the phone client is served with: its words, its manifest, its worker, and the policy that keeps text text."""

from __future__ import annotations

import asyncio
import re
from datetime import date
from pathlib import Path

import sekkei_systems.q
from sekkei.web.testing import Client, opened
from sekkei_systems.q.pages.client import MODULES, SHELL_FILES
from sekkei_systems.q.system import SYSTEM
from sekkei_systems.q.texts import say
from tests.systems.q.conftest import World

ROOM = Path(sekkei_systems.q.__file__).parent
SCRIPTS = sorted((ROOM / "static").glob("*.js"))
OTHER_PAGES = ("landing.js", "admin.js")
SCRIPTED = "\n".join(path.read_text() for path in SCRIPTS)
SOURCES = "\n".join(
    path.read_text() for path in [*SCRIPTS, *sorted((ROOM / "templates").glob("*.html")), ROOM / "pages" / "client.py"]
)


def test_every_word_that_the_script_asks_for_is_there_and_none_is_idle() -> None:
    client = say.section("ja", "client")
    asked = set(re.findall(r"""["']([a-z][a-z.-]*[a-z])["']""", SOURCES))
    asked |= set(re.findall(r"""["']client\.([a-z.-]*[a-z])["']""", SOURCES))
    begun = tuple(set(re.findall(r"t\(`([a-z.-]+\.)\$\{", SOURCES)) | {"category."})
    assert {key for key in re.findall(r"""\bt\(["']([a-z.-]+)["']""", SCRIPTED) if key not in client} == set()
    assert {key for key in client if key not in asked and not key.startswith(begun)} == set()


def test_the_worker_keeps_every_script_that_the_page_imports() -> None:
    imported = {
        name.removeprefix("../") if name.startswith("../") else f"q/{name.removeprefix('./')}"
        for path in SCRIPTS
        if path.name not in OTHER_PAGES
        for name in re.findall(r'from "([^"]+)"', path.read_text())
    }
    assert imported <= set(MODULES) <= set(SHELL_FILES)
    assert {f"q/{path.name}" for path in SCRIPTS if path.name not in OTHER_PAGES} == {
        name for name in SHELL_FILES if name.startswith("q/") and name.endswith(".js")
    }


def test_no_script_makes_markup_of_text() -> None:
    for sink in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", 'setAttribute("style"'):
        assert sink not in SOURCES


async def test_the_page_lets_nothing_inline_run() -> None:
    async with opened(SYSTEM, demo=True) as client:
        await client.sign_in("demo-aoi")
        page = await client.get("/q/")
        policy = page.header("content-security-policy") or ""
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'" in policy
        assert not re.search(r"<[^>]+ (?:style|on\w+)=", page.text)


async def test_it_can_be_installed() -> None:
    async with opened(SYSTEM) as client:
        manifest = (await client.get("/q/manifest.webmanifest?lang=en")).json()
        assert (manifest["display"], manifest["scope"], manifest["lang"]) == ("standalone", "/q/", "en")
        kinds = {(icon["sizes"], icon["purpose"]) for icon in manifest["icons"]}
        assert {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")} <= kinds
        for icon in manifest["icons"]:
            found = await client.get(icon["src"])
            assert (found.status, found.header("content-type")) == (200, icon["type"])
        worker = await client.get("/q/sw.js")
        assert (worker.header("content-type") or "").startswith("text/javascript")
        for name in SHELL_FILES:
            assert client.shell.static.url(name) in worker.text


async def test_a_new_question_is_told_to_open_pages(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi")
    await world.service.planning.plan(date(2025, 11, 6))
    world.clock.advance(10 * 3600 + 60)
    listening = asyncio.create_task(client.events("/q/live", 2))
    for _ in range(1000):
        if client.shell.deployment.live.listeners("q/today"):
            break
        await asyncio.sleep(0)
    await world.opened.parts.scheduled["publish"]({})
    reply = await listening
    assert "event: published" in reply.text
