"""Joining with the terms that the operator has set, and agreeing anew when they have changed."""

from __future__ import annotations

from playwright.async_api import expect

from sekkei.web.testing import test_settings as settings_of_tests
from sekkei_systems.q.design.models import User
from sekkei_systems.q.design.tables import users
from sekkei_systems.q.system import SYSTEM
from tests.browser import Serve, Shots, Windows
from tests.systems.q.test_browser import phone

TERMS = {"q_terms_version": "2026-11-15", "q_terms_url": "/q/docs", "q_privacy_url": "/q/docs"}


async def test_terms_are_agreed_to_by_version(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, settings=settings_of_tests(values=TERMS))
    page = await phone(browser, site, "demo-ren", locale="en")
    await expect(page.get_by_role("link", name="Terms")).to_have_attribute("href", "/q/docs")
    await page.get_by_label("Date of birth").fill("2000-04-01")
    await shots(page, "q-terms")
    await page.get_by_role("button", name="Next").click()  # the browser does not let it pass without the tick
    await expect(page.get_by_role("heading", name="Welcome")).to_be_visible()
    await page.get_by_role("checkbox").check()
    await page.get_by_role("button", name="Next").click()
    await expect(page.get_by_role("heading", name="Choose your ID")).to_be_visible()
    await page.get_by_label("ID", exact=True).fill("ren_id")
    await page.get_by_role("button", name="Use this ID").click()
    await expect(page.get_by_text("Waiting for today's question").or_(page.locator(".q-card"))).to_be_visible()
    # The terms have changed since.
    db = site.client.shell.deployment.systems["q"].context.db
    await db.write(users.update("demo-ren").set(User.terms_version, "2025-01-01"))
    await page.reload()
    await expect(page.get_by_role("heading", name="Our terms have changed")).to_be_visible()
    await page.get_by_role("checkbox").check()
    await page.get_by_role("button", name="Next").click()
    await expect(page.get_by_role("heading", name="Our terms have changed")).to_have_count(0)
    found = await db.need(users("demo-ren").consistent())
    assert found.terms_version == "2026-11-15"
