"""Two people and an administrator, each in a window of their own, from joining to a ban."""

from __future__ import annotations

import re
from typing import Any

from playwright.async_api import Page, expect

from systems.q import SYSTEM
from tests.browser import PHONE, Serve, Shots, Windows

QUESTION = "最近、思わず立ち止まってしまったものは？"


async def phone(browser: Windows, site: Any, person: str, **options: Any) -> Page:
    page = await browser.person(site, person, PHONE, **options)
    page.on("dialog", lambda dialog: dialog.accept())
    await page.goto(f"{site.url}/q/")
    return page


async def test_answer_react_follow_and_moderate(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    aoi = await phone(browser, site, "demo-aoi")
    await expect(aoi.get_by_role("heading", name=QUESTION)).to_be_visible()
    await expect(aoi.locator(".q-left")).to_contain_text("オンタイムまで")
    await expect(aoi.locator(".q-post")).to_have_count(12)
    await shots(aoi, "q-today", whole=False)
    # The count is the server's: a family is one character.
    box = aoi.get_by_label("あなたの答え")
    await box.fill("夜の自販機の明かり👨‍👩‍👧‍👦")
    await expect(aoi.locator(".q-card .q-count")).to_have_text("10 / 80")
    await box.fill("あ" * 81)
    await expect(aoi.get_by_role("button", name="答える")).to_be_disabled()
    await box.fill("夜の自販機の明かり")
    await aoi.get_by_role("button", name="答える").click()
    await expect(aoi.locator(".q-mine")).to_contain_text("夜の自販機の明かり")
    await expect(aoi.locator(".q-mine .q-badge.on")).to_be_visible()
    await expect(aoi.locator(".q-post")).to_have_count(13)
    await expect(aoi.locator("#streak")).to_contain_text("日連続")
    # A reaction of one is there for the other.
    ren_post = aoi.locator(".q-post", has_text="鈴木 蓮")
    await ren_post.get_by_role("button", name="🔥 をおくる").click()
    await expect(ren_post.get_by_role("button", name="🔥 をおくる")).to_have_attribute("aria-pressed", "true")
    await shots(aoi, "q-answered")
    ren = await phone(browser, site, "demo-ren")
    own = ren.locator(".q-post.own")
    await expect(own.locator(".q-reaction", has_text="🔥")).to_contain_text("1")
    await own.locator(".q-who").click()
    await expect(ren.get_by_role("dialog")).to_contain_text("佐藤 葵")
    await ren.get_by_role("dialog").get_by_role("button", name="やめる").click()
    # Ren reports one post and blocks its author; the post is gone at once.
    bad = ren.locator(".q-post", has_text="夕焼けがすごくて")
    await bad.get_by_label("メニュー").click()
    await bad.get_by_role("button", name="通報").click()
    await ren.get_by_label("くわしく").fill("なんとなく")
    await ren.get_by_role("button", name="通報する").click()
    await expect(ren.locator(".toast.ok")).to_contain_text("通報しました")
    await bad.get_by_label("メニュー").click()
    await bad.get_by_role("button", name="ブロック").click()
    await expect(bad).to_have_count(0)
    await _moderate(browser, site, shots)
    assert browser.problems == []


async def _moderate(browser: Windows, site: Any, shots: Shots) -> None:
    admin = await browser.person(site, "demo-aoi")
    admin.on("dialog", lambda dialog: dialog.accept())
    await admin.goto(f"{site.url}/q/admin")
    await shots(admin, "q-admin")
    await admin.get_by_role("link", name="要確認の投稿").click()
    await expect(admin.get_by_text("バカみたいに寝る")).to_be_visible()
    await admin.get_by_role("button", name="投稿を削除").click()
    await expect(admin.get_by_text("要確認の投稿はありません")).to_be_visible()
    await admin.get_by_role("link", name="通報", exact=True).click()
    await expect(admin.get_by_text("なんとなく")).to_be_visible()
    await shots(admin, "q-admin-reports")
    await admin.locator("article", has_text="なんとなく").get_by_role("button", name="対応済みにする").click()
    await expect(admin.get_by_text("なんとなく")).to_have_count(0)
    await admin.goto(f"{site.url}/q/admin/users?q=@takumi")
    await admin.get_by_role("button", name="利用停止").first.click()
    await admin.get_by_label("理由").fill("規約違反")
    await admin.get_by_role("dialog").get_by_role("button", name="利用停止").click()
    await expect(admin.get_by_text("停止中")).to_be_visible()
    await admin.goto(f"{site.url}/q/admin/log")
    await expect(admin.locator("tbody tr").first).to_contain_text("利用停止")
    await shots(admin, "q-admin-log")
    for name in ("days", "questions", "submissions", "words"):
        await admin.goto(f"{site.url}/q/admin/{name}")
        await shots(admin, f"q-admin-{name}")


async def test_joining_and_leaving(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM)
    page = await browser.window(PHONE)
    page.on("dialog", lambda dialog: dialog.accept())
    await page.goto(f"{site.url}/q/")
    await shots(page, "q-landing")
    client = site.client.another()
    await client.sign_in_by_email("new@example.com", "新人")
    await page.context.add_cookies(
        [{"name": name, "value": value, "url": site.url} for name, value in client.cookies.items()]
    )
    await page.goto(f"{site.url}/q/")
    await shots(page, "q-join")
    await page.get_by_label("表示名").fill("新人さん")
    await page.get_by_label("生年月日").fill("2001-05-05")
    await page.get_by_role("button", name="つぎへ").click()
    await page.get_by_label(re.compile("^ID")).fill("shinjin")
    await page.get_by_role("button", name="この ID にする").click()
    await expect(page.get_by_text("今日のお題を待っています")).to_be_visible()
    await page.get_by_role("link", name="わたし").click()
    await expect(page.get_by_role("heading", name="新人さん")).to_be_visible()
    await page.get_by_text("設定", exact=True).click()
    await page.get_by_role("button", name="退会する").click()
    await expect(page.get_by_text("退会の手続き中です")).to_be_visible()
    await page.get_by_role("button", name="退会をやめる").click()
    await expect(page.get_by_role("heading", name="新人さん")).to_be_visible()
    unexpected = [one for one in browser.problems if "404" not in one and "403" not in one]
    assert unexpected == []  # the two are how the client learns that there is nobody, or no question, yet


async def test_locked_profiles_and_offline(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    dark = {"color_scheme": "dark"}
    sota = await phone(browser, site, "demo-sota", **dark)
    await expect(sota.locator(".q-post.own")).to_be_visible()
    await shots(sota, "q-today-dark", whole=False)
    await sota.get_by_role("link", name="ともだち").click()
    await sota.get_by_label("ID でさがす").fill("@mei")
    await sota.get_by_role("button", name="さがす").click()
    await expect(sota.get_by_text("@mei").first).to_be_visible()
    await shots(sota, "q-people-dark")
    await sota.locator(".q-line-item", has_text="@mei").first.get_by_role("link").click()
    await expect(sota.get_by_role("heading", name="高橋 芽衣")).to_be_visible()
    await expect(sota.locator(".q-memory").first).to_be_visible()
    await shots(sota, "q-profile-dark", whole=False)
    # Aoi wants to answer first, and so sees nothing yet.
    aoi = await phone(browser, site, "demo-aoi")
    await aoi.get_by_role("link", name="わたし").click()
    await aoi.get_by_text("設定", exact=True).click()
    await aoi.get_by_role("switch", name="答えてから見る").check()
    await expect(aoi.locator(".toast.ok")).to_be_visible()
    await shots(aoi, "q-me")
    await aoi.get_by_role("link", name="今日").click()
    await expect(aoi.get_by_text("あなたが答えると")).to_be_visible()
    await expect(aoi.locator(".q-post:not(.veiled)")).to_have_count(0)
    await shots(aoi, "q-locked", whole=False)
    # Without a network the shell opens, with what was seen last.
    await aoi.evaluate("navigator.serviceWorker.ready.then(() => true)")
    await aoi.reload()
    await expect(aoi.get_by_role("heading", name=QUESTION)).to_be_visible()
    assert browser.problems == []
    await aoi.context.set_offline(True)
    await aoi.reload()
    await expect(aoi.get_by_role("heading", name=QUESTION)).to_be_visible()
    await expect(aoi.locator("#offline")).to_be_visible()
    await shots(aoi, "q-offline", whole=False)
    await aoi.context.set_offline(False)
