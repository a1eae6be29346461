"""Two people and an administrator, each in a window of their own, from joining to a ban."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

from playwright.async_api import Locator, Page, Route, expect

from sekkei_systems.q.design.models import Visibility
from sekkei_systems.q.service.people import Profile, Visitor
from sekkei_systems.q.system import SYSTEM
from tests.browser import PHONE, Serve, Shots, Site, Windows, drawn
from tests.systems.q.named import ByName

QUESTION = "最近、思わず立ち止まってしまったものは？"
SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


KEPT = """
async ([path, person]) => {
  for (let tries = 0; tries < 400; tries++) {
    const name = `q-data-${person}`;
    if ((await caches.has(name)) && (await caches.match(path, { cacheName: name }))) return true;
    await new Promise((done) => setTimeout(done, 50));
  }
  return false;
}
"""


async def phone(browser: Windows, site: Site, person: str, **options: Any) -> Page:
    # All is drawn by its script, so that nothing can be clicked too early; and how it loads is looked at.
    page = await browser.person(site, person, PHONE, seen_loading=True, **options)
    await page.add_init_script(SHIFTS)
    await page.goto(f"{site.url}/q/")
    return page


async def still(page: Page) -> None:
    """Nothing has moved under anybody's finger."""
    await drawn(page)
    assert await page.evaluate("window.shifted") < 0.01


async def tab(page: Page, name: str) -> None:
    await page.locator(".q-tabs").get_by_role("link", name=name).click()


async def choose(page: Page, place: Locator, item: str) -> None:
    await place.locator("summary").click()
    await place.get_by_role("button", name=item, exact=True).click()


async def agree(page: Page, label: str) -> None:
    await page.get_by_role("dialog").get_by_role("button", name=label, exact=True).click()
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_answer_react_follow_and_moderate(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    aoi = await phone(browser, site, "demo-aoi")
    await expect(aoi.get_by_role("heading", name=QUESTION)).to_be_visible()
    await expect(aoi.locator(".q-left")).to_contain_text("オンタイムまで")
    posts = aoi.get_by_role("article")
    await expect(aoi.locator(".q-locked")).to_be_visible()
    await expect(posts).to_have_count(0)
    await still(aoi)
    await shots(aoi, "q-today", whole=False)
    # The count is the server's: a family is one character.
    box = aoi.get_by_label("あなたの答え")
    await box.fill("夜の自販機の明かり👨‍👩‍👧‍👦")
    await expect(aoi.locator(".q-card .q-count")).to_have_text("10 / 80")
    await box.fill("あ" * 81)
    await expect(aoi.get_by_role("button", name="答える").first).to_be_disabled()
    await box.fill("夜の自販機の明かり")
    await aoi.get_by_role("button", name="答える").first.click()
    await expect(aoi.locator(".q-mine")).to_contain_text("夜の自販機の明かり")
    await expect(aoi.locator(".q-mine")).to_be_focused()
    await expect(aoi.locator(".q-mine .q-badge.on")).to_be_visible()
    await expect(aoi.locator(".q-locked")).to_have_count(0)
    await expect(posts.nth(9)).to_be_visible()
    await expect(aoi.locator("#streak")).to_contain_text("日連続")
    # A reaction of one is there for the other.
    ren_post = aoi.get_by_role("article", name="鈴木 蓮")
    async with aoi.expect_response(lambda answer: answer.request.method == "PUT"):  # shown before it is sent
        await ren_post.get_by_role("button", name="🔥 をおくる").click()
    await expect(ren_post.get_by_role("button", name="🔥 をおくる（1件）")).to_have_attribute("aria-pressed", "true")
    await shots(aoi, "q-answered")
    ren = await phone(browser, site, "demo-ren")
    own = ren.locator(".q-post.own")
    await expect(own.get_by_role("button", name="🔥 をおくる（1件）")).to_be_visible()
    await own.get_by_role("button", name="1件", exact=True).click()
    await expect(ren.get_by_role("dialog")).to_contain_text("佐藤 葵")
    await ren.get_by_role("dialog").get_by_role("button", name="閉じる").click()
    await _keep_away(ren)
    await _moderate(browser, site, shots)
    assert browser.problems == []


async def _keep_away(ren: Page) -> None:
    """Ren reports one post, mutes its author, thinks better of it, and blocks them; the post is gone at once."""
    bad = ren.get_by_role("article", name="田中 颯太")
    await choose(ren, bad, "通報")
    await ren.get_by_label("嫌がらせ・いじめ").check()
    await ren.get_by_label("くわしく").fill("なんとなく")
    await agree(ren, "通報する")
    await choose(ren, bad, "ミュート")
    await expect(bad).to_have_count(0)
    await tab(ren, "わたし")
    await ren.locator(".q-links").get_by_role("link", name="設定").click()
    await ren.get_by_text("ミュートした人").click()
    await ren.get_by_role("button", name="ミュート解除: 田中 颯太").click()
    await expect(ren.get_by_text("まだいません")).to_be_visible()
    await tab(ren, "今日")
    await choose(ren, bad, "ブロック")
    await agree(ren, "ブロック")
    await expect(bad).to_have_count(0)


async def decide(place: Locator, label: str) -> None:
    """Every action asks once more; the question has the focus, so that Enter is enough."""
    question = place.locator("summary", has_text=label)
    await expect(question).to_be_visible()  # what is still loading takes no focus
    await question.press("Enter")
    await expect(place.get_by_role("button", name=label)).to_be_focused()
    await place.get_by_role("button", name=label).press("Enter")


async def _moderate(browser: Windows, site: Site, shots: Shots) -> None:
    admin = await browser.person(site, "demo-aoi")
    await admin.goto(f"{site.url}/q/admin")
    await shots(admin, "q-admin")
    await admin.get_by_role("link", name="要確認の投稿").click()
    await expect(admin.get_by_text("バカみたいに寝る")).to_be_visible()
    await decide(admin.locator("article", has_text="バカみたいに寝る"), "投稿を削除")
    await expect(admin.get_by_text("バカみたいに寝る")).to_have_count(0)
    await admin.get_by_role("link", name="通報", exact=True).click()
    case = admin.locator("article", has_text="なんとなく")
    await expect(case).to_contain_text("嫌がらせ")
    await shots(admin, "q-admin-reports")
    await decide(case, "対応済みにする")
    await expect(case).to_have_count(0)
    await admin.goto(f"{site.url}/q/admin/users?q=@takumi")
    await admin.get_by_role("link", name="匠").click()
    await admin.locator("#ban").get_by_label("理由").fill("規約違反")
    await admin.get_by_label("匠 さんを利用停止にします").check()
    await shots(admin, "q-admin-user")
    await admin.get_by_role("button", name="利用停止にする").click()
    await expect(admin.get_by_text("停止中")).to_be_visible()
    await admin.goto(f"{site.url}/q/admin/log")
    await expect(admin.locator("tbody tr").first).to_contain_text("規約違反")
    await shots(admin, "q-admin-log")
    for name in ("days", "questions", "submissions", "words"):
        await admin.goto(f"{site.url}/q/admin/{name}")
        await shots(admin, f"q-admin-{name}")


async def test_the_console_without_a_script(browser: Windows, serve: Serve) -> None:
    site = await serve(SYSTEM, demo=True)
    admin = await browser.person(site, "demo-aoi", PHONE, java_script_enabled=False)
    await admin.goto(f"{site.url}/q/admin/submissions")
    proposal = admin.locator("article", has_text="カバンの中で")
    await proposal.locator("summary", has_text="承認").click()
    await proposal.get_by_role("button", name="承認（確定）").click()
    await expect(proposal).to_have_count(0)
    await admin.goto(f"{site.url}/q/admin/words")
    await admin.get_by_label("語", exact=True).fill("バカ")
    await admin.get_by_role("button", name="追加").click()
    await expect(admin.get_by_text("すでに使われています")).to_be_visible()
    await admin.goto(f"{site.url}/q/admin/users/friend-promo_x")
    await admin.locator("#ban").get_by_label("理由").fill("宣伝")
    await admin.get_by_label("お得情報 さんを利用停止にします").check()
    await admin.get_by_role("button", name="利用停止にする").click()
    await expect(admin.get_by_text("停止中")).to_be_visible()
    await admin.goto(f"{site.url}/q/admin/log?admin=demo-yui&action=REVIEW_SUBMISSION")
    rows = admin.locator("tbody tr")
    await expect(rows.filter(has_text="yui@demo.example")).to_have_count(await rows.count())
    await expect(rows.filter(has_text="お題を審査")).to_have_count(await rows.count())
    assert await rows.count() == 2


async def test_joining_and_leaving(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM)
    page = await browser.window(PHONE)
    await page.goto(f"{site.url}/q/")
    await shots(page, "q-landing")
    client = site.client.another()
    await client.sign_in_by_email("new@example.com", "新人")
    await page.context.add_cookies(
        [{"name": name, "value": value, "url": site.url} for name, value in client.cookies.items()]
    )
    await page.goto(f"{site.url}/q/")
    await expect(page.get_by_label("表示名")).to_have_value("新人")
    await page.get_by_label("表示名").fill("新人さん")
    await page.get_by_label("生年月日").fill("2001-05-05")
    await shots(page, "q-join")
    await page.get_by_role("button", name="つぎへ").click()
    # What cannot be is said beside the field, which keeps the focus.
    field = page.get_by_label("ID", exact=True)
    await expect(field).to_be_focused()
    await expect(page.get_by_role("navigation", name="メニュー")).to_be_hidden()
    await site.client.another().sign_in_by_email("first@example.com", "先客")
    await field.fill("Shin-jin")
    await expect(field).to_have_value("shin-jin")
    await page.get_by_role("button", name="この ID にする").click()
    assert not await field.evaluate("field => field.validity.valid")
    await field.fill("shinjin")
    await page.get_by_role("button", name="この ID にする").click()
    await expect(page.get_by_text("今日のお題を待っています")).to_be_visible()
    await tab(page, "わたし")
    await expect(page.get_by_role("heading", name="新人さん")).to_be_visible()
    await page.locator(".q-links").get_by_role("link", name="設定").click()
    await page.get_by_role("button", name="退会する").click()
    await agree(page, "退会する")
    await expect(page.get_by_text("退会の手続き中です")).to_be_visible()
    await page.get_by_role("button", name="退会をやめる").click()
    await expect(page.get_by_text("今日のお題を待っています")).to_be_visible()
    unexpected = [one for one in browser.problems if "404" not in one and "403" not in one]
    assert unexpected == []  # the two are how the client learns that there is nobody, or no question, yet


async def test_people_and_profiles(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    sota = await phone(browser, site, "demo-sota", color_scheme="dark")
    await expect(sota.locator(".q-post.own")).to_be_visible()
    await shots(sota, "q-today-dark", whole=False)
    await tab(sota, "ともだち")
    await sota.get_by_label("ID でさがす").fill("@nobody_here")
    await sota.get_by_role("button", name="さがす").click()
    await expect(sota.get_by_text("@nobody_here という人は見つかりませんでした")).to_be_visible()
    await sota.get_by_label("ID でさがす").fill("@promo_x")
    await sota.get_by_role("button", name="さがす").click()
    found = sota.get_by_role("search").locator(".q-line-item", has_text="@promo_x")
    # Following changes the button where it is, and nothing else.
    await found.get_by_role("button", name="フォロー: お得情報").click()
    await expect(found.get_by_role("button", name="フォロー中: お得情報")).to_be_focused()
    await found.get_by_role("button", name="フォロー中: お得情報").click()
    await agree(sota, "フォローをやめる")
    await expect(found.get_by_role("button", name="フォロー: お得情報")).to_be_focused()
    await shots(sota, "q-people-dark")
    mei = await phone(browser, site, "demo-mei")
    await expect(mei.locator("#requests-dot")).to_be_visible()
    await tab(mei, "ともだち")
    asking = mei.locator("section", has=mei.get_by_role("heading", name="フォロー申請"))
    await expect(asking.locator(".q-line-item")).to_have_count(2)
    await asking.get_by_role("button", name="承認").first.click()
    await expect(asking.locator(".q-line-item")).to_have_count(1)
    await sota.evaluate("window.shifted = 0")  # what was found has moved the list, on request
    await sota.locator(".q-line-item", has_text="@mei").first.get_by_role("link").click()
    await expect(sota.get_by_role("heading", name="高橋 芽衣")).to_be_visible()
    await expect(sota.locator(".q-memory").first).to_be_visible()
    await shots(sota, "q-profile-dark", whole=False)
    await sota.locator(".q-memory a").first.click()
    await expect(sota.get_by_role("heading", name=QUESTION)).to_be_visible()
    await expect(sota.get_by_role("article", name="高橋 芽衣")).to_be_visible()
    await still(sota)
    assert [one for one in browser.problems if "404" not in one] == []  # nobody is called so


async def test_by_keyboard_and_when_the_server_says_no(browser: Windows, serve: Serve) -> None:
    site = await serve(SYSTEM, demo=True)
    aoi = await phone(browser, site, "demo-aoi", reduced_motion="reduce")
    await expect(aoi.get_by_label("あなたの答え")).to_be_visible()
    # What was written and not sent survives; what is sent is shown as the text that it is.
    text = "<img src=x onerror=alert(1)> & <b>太字</b>"
    await aoi.get_by_label("あなたの答え").fill(text)
    await aoi.reload()
    await expect(aoi.get_by_label("あなたの答え")).to_have_value(text)
    await aoi.get_by_label("あなたの答え").press("Enter")
    await expect(aoi.locator(".q-mine .q-text")).to_have_text(text)
    fire = aoi.get_by_role("article", name="鈴木 蓮").get_by_role("button", name="🔥 をおくる")
    await fire.focus()
    await aoi.keyboard.press("Enter")
    await expect(fire).to_have_attribute("aria-pressed", "true")
    await expect(fire).to_be_focused()
    async with aoi.expect_response(lambda answer: answer.request.method == "DELETE"):  # shown before it is sent
        await aoi.keyboard.press("Enter")
    await expect(fire).to_have_attribute("aria-pressed", "false")
    # A refusal takes back what was shown too early, and says why.
    refusals: list[str] = []

    async def refuse(route: Route) -> None:
        refusals.append(route.request.method)
        body = {"code": "no-such-answer", "detail": "この回答は見られません。", "status": 404}
        await route.fulfill(status=404, content_type="application/problem+json", body=json.dumps(body))

    await aoi.route("**/reaction", refuse)
    await aoi.keyboard.press("Enter")
    await expect(aoi.locator(".toast.error")).to_contain_text("この回答は見られません")
    await expect(fire).to_have_attribute("aria-pressed", "false")
    assert refusals == ["PUT"]
    await choose(aoi, aoi.locator(".q-mine"), "答えを削除")
    await agree(aoi, "削除する")
    await aoi.locator(".q-mine").get_by_role("button", name="元に戻す").click()
    await expect(aoi.locator(".q-mine .q-text")).to_have_text(text)
    assert [one for one in browser.problems if "404" not in one] == []


async def test_answer_first_and_without_a_network(whole_browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    aoi = await phone(whole_browser, site, "demo-aoi")
    # The worker keeps what was seen, the visit that brought it included.
    for kept in ("/q/", "/q/api/me", "/q/api/today", "/q/api/timeline"):
        assert await aoi.evaluate(KEPT, [kept, "demo-aoi"]), kept
    await tab(aoi, "わたし")
    await expect(aoi.locator(".q-memory").first).to_be_visible()
    await shots(aoi, "q-me")
    await aoi.locator(".q-links").get_by_role("link", name="設定").click()
    await expect(aoi.get_by_role("switch", name="非公開アカウント")).to_be_visible()
    await expect(aoi.get_by_role("switch", name="答えてから見る")).to_have_count(0)  # the operator's rule
    await shots(aoi, "q-settings")
    await tab(aoi, "今日")
    await expect(aoi.get_by_text("あなたが答えると")).to_be_visible()
    await expect(aoi.get_by_role("article")).to_have_count(0)
    await shots(aoi, "q-locked", whole=False)
    await tab(aoi, "わたし")
    await expect(aoi.locator(".q-memory").first).to_be_visible()
    assert await aoi.evaluate(KEPT, ["/q/api/users/demo-aoi/answers", "demo-aoi"])
    await tab(aoi, "今日")
    await expect(aoi.get_by_role("heading", name=QUESTION)).to_be_visible()
    session = await aoi.context.new_cdp_session(aoi)
    errors = (await session.send("Page.getInstallabilityErrors"))["installabilityErrors"]
    assert [error["errorId"] for error in errors] == ["in-incognito"]  # as every window of a test is
    assert whole_browser.problems == []
    await aoi.context.set_offline(True)
    await aoi.reload()
    await expect(aoi.get_by_role("heading", name=QUESTION)).to_be_visible()
    await expect(aoi.locator("#offline")).to_be_visible()
    await shots(aoi, "q-offline", whole=False)
    await aoi.get_by_label("あなたの答え").fill("電波のないところ")
    await aoi.get_by_role("button", name="答える").first.click()
    await expect(aoi.get_by_role("alert").filter(has_text="オフラインのため送れませんでした")).to_be_visible()
    await tab(aoi, "わたし")
    await expect(aoi.locator(".q-memory").first).to_be_visible()
    await aoi.locator(".q-links").get_by_role("link", name="お題の提案と投票").click()
    await expect(aoi.get_by_text("オフラインです", exact=True)).to_be_visible()
    # Back again, nothing of it was lost.
    await aoi.context.set_offline(False)
    await tab(aoi, "今日")
    await expect(aoi.locator("#offline")).to_be_hidden()
    await aoi.get_by_role("button", name="答える").first.click()
    await expect(aoi.locator(".q-mine .q-text")).to_have_text("電波のないところ")
    await expect(aoi.get_by_role("article", name="鈴木 蓮")).to_be_visible()


async def test_a_long_timeline_goes_on(browser: Windows, serve: Serve) -> None:
    site = await serve(SYSTEM, demo=True)
    opened = site.client.shell.deployment.systems["q"]
    service = ByName(opened.parts.service)
    for number in range(12):
        id = f"more-{number:02}"
        await service.people.join(Visitor(id, f"{id}@example.com", id), date(2000, 4, 1))
        await service.people.choose_app_id(id, id.replace("-", "_"))
        await service.people.change(id, Profile(visibility_type=Visibility.FOLLOWERS))
        await service.following.follow("demo-aoi", id)
        await service.answers.answer(id, f"{number}番目")
    await service.answers.answer("demo-aoi", "わたしも")
    aoi = await phone(browser, site, "demo-aoi")
    posts = aoi.get_by_role("article")
    await expect(posts).to_have_count(20)
    await aoi.get_by_role("button", name="もっと見る").click()
    await expect(posts).to_have_count(25)
    await expect(posts.nth(20).get_by_role("link")).to_be_focused()
    await expect(aoi.get_by_role("button", name="もっと見る")).to_be_hidden()
    # To somebody's page and back: to the same place.
    await aoi.evaluate("scrollTo(0, 900)")
    await posts.nth(6).get_by_role("link").click()
    await expect(aoi.locator(".q-profile")).to_be_visible()
    await aoi.go_back()
    await expect(posts).to_have_count(20)
    assert await aoi.evaluate("scrollY") > 600
    # The session is over: back to the same page after signing in.
    await aoi.context.clear_cookies()
    await tab(aoi, "ともだち")
    await expect(aoi).to_have_url(f"{site.url}/sign-in?next=%2Fq%2F%23%2Fpeople")


async def test_card_code_proposals_votes_and_notices(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    ren = await phone(browser, site, "demo-ren")
    await choose(ren, ren.locator(".q-mine"), "カードにして送る")
    card = ren.get_by_role("dialog").get_by_role("img")
    await expect(card).to_have_js_property("naturalWidth", 1080)
    await expect(ren.get_by_role("link", name="画像を保存")).to_have_attribute("download", re.compile(r"q-.*\.png"))
    await shots(ren, "q-card", whole=False)
    await ren.keyboard.press("Escape")
    await tab(ren, "ともだち")
    await ren.get_by_role("button", name="QR コード").click()
    code = ren.get_by_role("img", name=f"{site.url}/q/#/id/ren を開くQRコード")
    await expect(code).to_have_js_property("complete", True)
    assert await code.evaluate("image => image.naturalWidth") > 0
    await ren.keyboard.press("Escape")
    await tab(ren, "わたし")
    await expect(ren.get_by_role("heading", name="この1週間にもらったリアクション")).to_be_visible()
    await ren.locator(".q-links").get_by_role("link", name="お題の提案と投票").click()
    # One proposal a day, and today's was made already.
    await ren.get_by_label("お題を提案").fill("もう一つ聞きたいことは？")
    await ren.get_by_role("button", name="提案する").click()
    await expect(ren.get_by_role("alert")).to_contain_text("1日1件")
    # Whichever waits to be asked: by chance one or the other is on the plan already. A vote moves it in the list.
    words = await ren.locator(".q-line-item:has(.q-vote) .grow").first.text_content()
    vote = ren.get_by_role("button", name=words)
    was = await vote.get_attribute("aria-pressed")
    await vote.click()
    await expect(vote).to_have_attribute("aria-pressed", "false" if was == "true" else "true")
    await expect(vote).to_be_focused()
    await ren.get_by_role("link", name="もどる").click()
    await ren.locator(".q-links").get_by_role("link", name="設定").click()
    digest = ren.get_by_role("switch", name="週のまとめ")
    await digest.set_checked(not await digest.is_checked())
    wanted = await digest.is_checked()
    await expect(ren.locator(".toast.ok")).to_be_visible()
    await ren.reload()
    await expect(digest).to_be_checked(checked=wanted)
    assert [one for one in browser.problems if "409" not in one] == []  # the second proposal


async def test_language_and_sign_out(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    yui = await phone(browser, site, "demo-yui")
    await tab(yui, "わたし")
    await yui.locator(".q-links").get_by_role("link", name="設定").click()
    await yui.get_by_label("言語").select_option("en")
    await expect(yui.get_by_role("heading", name="Settings")).to_be_visible()
    assert yui.url == f"{site.url}/q/#/settings"
    await tab(yui, "Today")
    await expect(yui.locator(".q-mine")).to_contain_text("On time")
    await shots(yui, "q-today-en", whole=False)
    await tab(yui, "Me")
    await yui.locator(".q-links").get_by_role("link", name="Settings").click()
    await yui.get_by_role("button", name="Sign out").click()
    await expect(yui).not_to_have_url(re.compile("/q/"))
    assert [name for name in await yui.evaluate("caches.keys()") if name.startswith("q-data")] == []
    assert await yui.evaluate("Object.keys(localStorage)") == []
    assert browser.problems == []
