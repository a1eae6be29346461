"""One connection for all tabs of a browser."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest

from sekkei.web import live
from sekkei.web.live import PATHS_MAX
from sekkei.web.testing import Client, opened, test_settings
from tests.browser import Serve, Shots, Windows, eventually
from tests.web.example import SYSTEM

TOPIC = "example/demo-aoi"


def path(*on: str, **more: str) -> str:
    return "/live?" + urlencode([("on", each) for each in on] + list(more.items()))


def messages(text: str) -> list[tuple[str, Any]]:
    found = []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        found.append((fields["event"], orjson.loads(fields["data"])))
    return found


async def heard(client: Client, count: int, address: str) -> list[tuple[str, Any]]:
    return messages((await client.events(address, count)).text)


async def test_events_say_which_route_they_belong_to() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        life = client.shell.deployment.live.life
        client.shell.deployment.live.publish(TOPIC, "note", {"text": "x"})
        client.shell.deployment.live.publish("example/demo-ren", "note", {"text": "not theirs"})
        client.shell.deployment.live.publish(TOPIC, "note", {"text": "y"})
        hello, first, second = await heard(client, 3, path("/example/live", after=f"{life}-0"))
        assert hello == ("hello", {"life": life, "at": 3})
        assert first == ("event", {"on": ["/example/live"], "name": "note", "data": {"text": "x"}, "at": 1})
        assert second[1]["data"] == {"text": "y"}


@pytest.mark.parametrize("wrong", ["/example/", "/example/api/notes", "/nowhere", "/live", "//evil.example/x", "x", ""])
async def test_only_routes_that_listen_are_asked(wrong: str) -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        calls = client.shell.deployment.store.calls
        before = calls.total()
        found = await heard(client, 1, path("/example/live", wrong))
        assert found[1] == ("reload", {"on": [wrong]})
        assert calls.total() - before == 1, "no other page was made for it"


async def test_nobody_hears_what_is_not_theirs() -> None:
    async with opened(SYSTEM) as client:
        client.shell.deployment.live.publish(TOPIC, "note", "a secret")
        life = client.shell.deployment.live.life
        found = await heard(client, 1, path("/example/live", after=f"{life}-0"))
        assert found[1] == ("reload", {"on": ["/example/live"]})
        assert not client.shell.deployment.live.listeners(TOPIC)


async def test_none_and_too_many_are_refused() -> None:
    async with opened(SYSTEM) as client:
        assert (await client.get("/live")).status == 422
        assert (await client.get(path(*(f"/example/{n}" for n in range(PATHS_MAX + 1))))).status == 422
        assert (await client.get(path("/" + "x" * 400))).status == 422


async def test_where_it_is_off_browsers_are_told_so() -> None:
    async with opened(SYSTEM, settings=test_settings(values={"live": "off"})) as client:
        await client.sign_in()
        assert (await client.get(path("/example/live"))).status == 204


async def test_what_ends_rights_ends_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "HEARTBEAT_SECONDS", 3600)
    async with opened(SYSTEM) as client:
        await client.sign_in()
        listening = asyncio.create_task(client.events(path("/example/live"), 1_000))
        while not client.shell.deployment.live.listeners(TOPIC):  # noqa: ASYNC110
            await asyncio.sleep(0)
        other = client.another()
        other.cookies.update(client.cookies)
        await other.post("/account/sign-out-everywhere")
        client.shell.deployment.live.publish(TOPIC, "note", "a secret")
        found = messages((await asyncio.wait_for(listening, 15)).text)
        assert found[1:] == [("reload", {"on": ["/example/live"]})]


SHOW = """document.querySelector("#notes").addEventListener("live:note", (event) => {
    const item = document.createElement("li");
    item.textContent = event.detail.text;
    event.target.append(item);
})"""
TABS = 8


async def tabs_of(windows: Windows, site: Any, script: str) -> list[Any]:
    first = await windows.person(site, "demo-aoi")
    await first.context.add_init_script(script)
    pages = [first] + [await first.context.new_page() for _ in range(TABS - 1)]
    for page in pages:
        await page.goto(site.url + "/example/")
        await page.evaluate(SHOW)
    for page in pages:
        await page.wait_for_selector('[data-live-state="open"]')
    return pages


async def in_all(pages: list[Any], words: str) -> None:
    for page in pages:
        await page.locator("#notes li", has_text=words).wait_for()
        assert await page.locator("#notes li", has_text=words).count() == 1


@pytest.mark.parametrize("script", ["", "delete window.SharedWorker"], ids=["worker", "elected"])
async def test_eight_tabs_have_one_connection(browser: Windows, serve: Serve, script: str) -> None:
    site = await serve(SYSTEM, demo=True)
    pages = await tabs_of(browser, site, script)
    notebook = site.client.another()
    await notebook.sign_in("demo-aoi")
    await notebook.post("/example/", {"text": "卵"})
    await in_all(pages, "卵")
    await eventually(lambda: site.client.shell.connections.open == Counter({"demo-aoi": 1}))
    await pages[0].close()  # where a tab was elected, the first has the connection
    await notebook.post("/example/", {"text": "味噌"})
    await in_all(pages[1:], "味噌")
    assert browser.problems == []


async def test_a_lost_connection_is_seen_and_so_is_its_return(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    page = await browser.person(site, "demo-aoi")
    await page.route("**/live?*", lambda route: route.abort())
    await page.context.add_init_script("delete window.SharedWorker")  # whose requests no test can hold back
    await page.goto(site.url + "/example/")
    await page.get_by_text("接続が切れました").wait_for()
    await shots(page, "live-lost")
    await page.unroute("**/live?*")
    await page.evaluate("dispatchEvent(new Event('online'))")  # or it tries again after a pause that grows
    await page.get_by_text("接続が戻りました").wait_for()
    await shots(page, "live-back")
    await page.locator("[data-live-sign]").wait_for(state="hidden")
