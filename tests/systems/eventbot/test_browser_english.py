"""Every page of an organiser's, on a phone, in English: it fits, and nothing of it is left in Japanese."""

from __future__ import annotations

import re

from sekkei_systems.eventbot.system import SYSTEM
from tests.browser import PHONE, Serve, Shots, Windows, browser, serve, shots

__all__ = ["browser", "serve", "shots"]

GUILD = "/eventbot/guilds/900000000000000001"
JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠]")


async def test_pages_of_the_organiser(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    page = await browser.person(site, "demo-aoi", PHONE)
    await page.goto(f"{site.url}{GUILD}?lang=en")
    found = await page.locator("main a[href*='/events/']").first.get_attribute("href")
    event = (found or "").partition("?")[0].rstrip("/")
    for path in ("/eventbot/", GUILD, f"{GUILD}/settings", f"{GUILD}/new", event, f"{event}/edit"):
        await page.goto(f"{site.url}{path}")
        await shots(page, f"en-{path.strip('/').replace('/', '-')[-30:]}")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        labels = await page.locator("main label, main th, main button, main legend, main h2").all_inner_texts()
        left = [text for text in labels if JAPANESE.search(text) and not text.startswith("as ")]  # people's names stay
        assert left == [], path
    assert browser.problems == []
