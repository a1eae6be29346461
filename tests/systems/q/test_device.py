"""What a device keeps of Q.: for one account, and no longer than that account is signed in."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page, Route, expect

from sekkei_systems.q.system import SYSTEM
from tests.browser import Serve, Site, Windows
from tests.systems.q.test_browser import KEPT, phone

KEPT_CACHES = "caches.keys().then((names) => names.filter((name) => name.startsWith('q-data')).sort())"

COUNT_AND_STAY = """
window.goings = [];
navigation.addEventListener("navigate", (event) => {
  if (event.hashChange) return;
  goings.push(new URL(event.destination.url).pathname);
  event.preventDefault();
});
"""


async def _is_kept(page: Page, person: str) -> bool:
    """The page as well as what it shows: one without the other does not open without a network."""
    return all([await page.evaluate(KEPT, [path, person]) for path in ("/q/", "/q/api/me")])


async def _sign_in(page: Page, site: Site, person: str) -> None:
    """Somebody else on the same device, who comes in as everybody does."""
    await page.goto(f"{site.url}/sign-in")
    await page.locator(f'button[name="person"][value="{person}"]').click()
    await expect(page).not_to_have_url(re.compile("/sign-in"))


async def _nothing_without_a_network(page: Page, site: Site) -> None:
    await page.context.set_offline(True)
    with pytest.raises(PlaywrightError, match=r"ERR_INTERNET_DISCONNECTED|ERR_FAILED"):
        await page.goto(f"{site.url}/q/")
    await page.context.set_offline(False)


async def test_the_next_person_on_the_device_sees_nothing_of_the_last(browser: Windows, serve: Serve) -> None:
    site = await serve(SYSTEM, demo=True)
    page = await phone(browser, site, "demo-aoi")
    assert await _is_kept(page, "demo-aoi")
    # Signed out elsewhere in the house: without a network nothing of them opens.
    await page.goto(f"{site.url}/account")
    await page.locator(".page-user summary, [data-menu] summary").first.click()
    await page.locator('form[action="/sign-out"] button').first.click()
    await expect(page).not_to_have_url(re.compile("/account"))
    assert await page.evaluate(KEPT_CACHES) == []
    await _nothing_without_a_network(page, site)
    # Somebody else signs in: without a network they see their own.
    await _sign_in(page, site, "demo-ren")
    await page.goto(f"{site.url}/q/")
    assert await _is_kept(page, "demo-ren")
    assert await page.evaluate(KEPT_CACHES) == ["q-data-demo-ren"]
    # Their session ends and a third one signs in beside the page that is still open: it is not theirs.
    other = await page.context.new_page()
    await page.context.clear_cookies()
    await _sign_in(other, site, "demo-yui")
    await page.evaluate("location.hash = '#/me'")
    await expect(page.locator("body")).to_have_attribute("data-user", "demo-yui")
    assert await _is_kept(page, "demo-yui")
    assert await page.evaluate(KEPT_CACHES) == ["q-data-demo-yui"]
    # Signed out from afar: the next word from the server empties the device, be it live or asked for.
    await site.client.shell.accounts.end_all_sessions("demo-yui")
    with suppress(PlaywrightError):  # it may be leaving already
        await page.evaluate("location.hash = '#/people'")
    await expect(page.locator("body[data-user=demo-yui]")).to_have_count(0)
    await expect(page.locator("body")).to_be_visible()
    assert await page.evaluate(KEPT_CACHES) == []
    await _nothing_without_a_network(page, site)


async def test_two_views_that_find_nobody_signed_in_leave_the_page_once(browser: Windows, serve: Serve) -> None:
    """The second going would break off the first."""
    site = await serve(SYSTEM, demo=True)
    page = await phone(browser, site, "demo-aoi", service_workers="block")
    await expect(page.locator(".q-left")).to_be_visible()
    await page.evaluate(COUNT_AND_STAY)
    asked: list[Route] = []

    async def answer_both(route: Route) -> None:
        asked.append(route)
        if len(asked) == 2:
            for one in asked:
                await one.fulfill(status=401, json={"code": "sign-in"})

    await page.route("**/q/api/**", answer_both)
    await page.evaluate("location.hash = '#/people'; setTimeout(() => (location.hash = '#/me'))")
    await expect(page.locator(".q-view .empty")).to_be_visible()
    assert await page.evaluate("goings") == ["/sign-in"]


async def test_what_was_kept_does_not_outlive_a_week(browser: Windows, serve: Serve) -> None:
    site = await serve(SYSTEM, demo=True)
    page = await phone(browser, site, "demo-aoi")
    assert await _is_kept(page, "demo-aoi")
    await page.evaluate(
        """async () => {
          const cache = await caches.open("q-data-demo-aoi");
          const found = await cache.match("/q/");
          const headers = new Headers(found.headers);
          headers.set("X-Kept-At", String(headers.get("X-Kept-At") - 8 * 24 * 3600 * 1000));
          await cache.put("/q/", new Response(await found.text(), { headers }));
        }"""
    )
    await _nothing_without_a_network(page, site)
    await page.goto(f"{site.url}/account")
    assert await page.evaluate(KEPT_CACHES) == []
