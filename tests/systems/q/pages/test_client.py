"""What the phone client is served with: its words, its manifest, its worker, and the policy that keeps text text."""

from __future__ import annotations

import asyncio
import re
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import sekkei_systems.q
from sekkei.web.testing import Client, opened
from sekkei_systems.q.pages.client import MODULES, SHELL_FILES
from sekkei_systems.q.rules import pictures
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


# Where a link that invites leads.


async def test_strangers_see_who_invites_and_go_on_there_after_signing_in(site: tuple[Client, World]) -> None:
    client, world = site
    await world.join("host")
    token, _ = await world.service.invites.make("host")
    page = await client.get(f"/q/i/{token}")
    assert page.status == 200
    assert "HostさんがQ.に招待しています" in page.text
    assert f"/sign-in?next=%2Fq%2F%23%2Finvite%2F{token}" in page.text
    english = await client.get(f"/q/i/{token}", headers={"Accept-Language": "en"})
    assert "Host invites you to Q." in english.text


async def test_a_link_that_is_over_still_welcomes(site: tuple[Client, World]) -> None:
    client, _ = site
    for token in ("0" * 32, "<script>"):
        page = await client.get(f"/q/i/{token}")
        assert page.status == 200
        assert "招待がなくても参加できます" in page.text
        assert "<script>" not in page.text.replace('<script type="module"', "")


async def test_members_go_inside(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi")
    reply = await client.get(f"/q/i/{'0' * 32}")
    assert (reply.status, reply.location) == (303, f"/q/#/invite/{'0' * 32}")


# Pictures of one's own: the code to be found by, and the card of an answer.


SVG = "{http://www.w3.org/2000/svg}"


async def test_the_code_leads_to_the_owner(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi")
    drawn = await client.get("/q/code.svg")
    assert drawn.header("content-type") == "image/svg+xml"
    assert drawn.body == pictures.code(f"{client.shell.settings.public_url}/q/#/id/demo_aoi_id")
    assert drawn.body != pictures.code(f"{client.shell.settings.public_url}/q/#/id/demo_ren_id")


async def test_a_card_of_ones_own_answer_only(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi", "author")
    await world.follow(("demo-aoi", "author"))
    day = (await world.ask("<好きな & 色>は？")).day
    await world.answer("author", "ほかの人")
    assert (await client.get(f"/q/cards/{day}.svg")).status == 404
    await world.answer("demo-aoi", "赤 <b>&amp;</b> 青")
    reply = await client.get(f"/q/cards/{day}.svg")
    drawn = ElementTree.fromstring(reply.body)
    words = "".join(one.text or "" for one in drawn.iter(f"{SVG}text"))
    assert "<好きな & 色>は？" in words
    assert "赤 <b>&amp;</b> 青" in words.replace("\u3000", " ")
    assert (await client.get("/q/cards/yesterday.svg")).status == 404
    await world.service.answers.delete("demo-aoi", day)
    assert (await client.get(f"/q/cards/{day}.svg")).status == 404
