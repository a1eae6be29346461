"""The console as people use it, in Chromium: by keyboard, on a phone, in the dark, in both languages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.async_api import Page, expect

from examples.online_shop import design
from sekkei.advice.sample_data import furnished
from sekkei.store.protocol import Store
from sekkei.store.read_only import ReadOnly
from sekkei.web.console.target import Looked
from tests.browser import DESKTOP, PHONE, Serve, Shots, Site, Windows
from tests.web.console.test_letters import FLEX, POST
from tests.web.example import SYSTEM

SHOP = "/console/tables/OnlineShop"
ORDER = "o%23order_id-000000000000"
TABLET = {"width": 820, "height": 1180}


async def looking(serve: Serve, *, write: bool = False) -> tuple[Site, Store]:
    store = await furnished(design, "dev")
    seen = store if write else ReadOnly(store)
    looked = Looked(seen, {"online-shop": design}, "dev", ":memory:", write, alone=True, sampled=True)
    return await serve(looked=looked), store


async def fits(page: Page) -> bool:
    """Nothing reaches beyond the page's side."""
    return bool(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


async def test_a_collection_is_asked_for_by_keyboard_alone(browser: Windows, serve: Serve, shots: Shots) -> None:
    site, store = await looking(serve)
    page = await browser.window()
    await page.goto(site.url + SHOP)
    await page.get_by_label("PK =").focus()
    await page.keyboard.type("o#order_id-000000000000")
    await page.keyboard.press("Tab")  # the operator
    await page.keyboard.press("Tab")  # the sort key
    await page.keyboard.type("p#")
    await page.keyboard.press("Enter")
    await expect(page.locator("td.coloured")).to_have_count(6)
    assert "key=o%23order_id" in page.url
    assert "attr" not in page.url, "what is empty is not in the address"
    await shots(page, "collection")
    await page.locator("td.coloured a").first.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="order_items")).to_be_visible()
    await page.goto(site.url + SHOP)
    await page.get_by_text("最近の問い合わせ").click()
    await page.get_by_role("link", name="OnlineShop: key=o#order_id").click()
    await expect(page.locator("td.coloured")).to_have_count(6)
    assert browser.problems == []
    await store.close()


async def test_a_question_is_saved_under_a_name_and_forgotten(browser: Windows, serve: Serve, shots: Shots) -> None:
    site, store = await looking(serve)
    page = await browser.window()
    await page.goto(f"{site.url}{SHOP}?key={ORDER}")
    await page.get_by_text("最近の問い合わせ").click()
    await page.get_by_label("この問い合わせの名前").fill("ある注文")
    await page.keyboard.press("Enter")
    saved = page.get_by_role("group", name="保存した問い合わせ")
    await expect(saved.get_by_role("link", name="ある注文")).to_be_visible()
    await shots(page, "saved-question")
    await page.goto(f"{site.url}/console/partiql?lang=en")
    await page.get_by_text("Recent").click()
    await page.get_by_role("group", name="Saved").get_by_role("link", name="ある注文").click()
    await expect(page.locator("td.coloured").first).to_be_visible()
    await page.get_by_text("Recent").click()
    await page.get_by_role("button", name="Forget: ある注文").click()
    await expect(page.get_by_role("group", name="Saved").get_by_role("link")).to_have_count(0)
    assert browser.problems == []
    await store.close()


async def test_an_item_is_looked_at_as_it_was(browser: Windows, serve: Serve, shots: Shots) -> None:
    site, store = await looking(serve, write=True)
    key = {"PK": {"S": "o#order_id-000000000000"}, "SK": {"S": "p#product_id-000000000000"}}
    asked = {"PointInTimeRecoveryEnabled": True}
    await store.call("UpdateContinuousBackups", {"TableName": "OnlineShop", "PointInTimeRecoverySpecification": asked})
    for quantity in ("3", "7"):
        values = {":n": {"N": quantity}}
        update = {"UpdateExpression": "SET quantity = :n", "ExpressionAttributeValues": values}
        await store.call("UpdateItem", {"TableName": "OnlineShop", "Key": key, **update})
    page = await browser.window()
    await page.goto(f"{site.url}{SHOP}/item?key={ORDER}&sort=p%23product_id-000000000000")
    await page.get_by_role("link", name="履歴", exact=True).click()
    await expect(page.locator(".change")).to_have_count(2)
    await page.locator(".change").last.get_by_role("link").click()
    await expect(page.locator("#then table")).to_be_visible()
    await shots(page, "history")
    for size, scheme in ((PHONE, "dark"), (TABLET, "light")):
        window = await browser.window(size, color_scheme=scheme)
        await window.goto(f"{page.url}&lang=en")
        await expect(window.get_by_role("heading", name="History")).to_be_visible()
        assert await fits(window)
        await shots(window, f"history-{scheme}")
    assert browser.problems == []
    await store.close()


async def test_messages_look_as_they_arrive(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM)
    outbox = site.client.shell.outbox
    await outbox.put("line", "U1", {"messages": json.dumps([FLEX])}, id="card")
    await outbox.put("discord", "C1", POST, id="post")
    for number, (size, scheme, language) in enumerate(((DESKTOP, "light", "ja"), (PHONE, "dark", "en"))):
        page = await browser.window(size, color_scheme=scheme)
        for id, text in (("web/card", "ちいさな寄付"), ("web/post", "飲み会")):
            await page.goto(f"{site.url}/console/outbox/message?id={id.replace('/', '%2F')}&lang={language}")
            await expect(page.locator(".seen").get_by_text(text)).to_be_visible()
            assert await fits(page)
            await shots(page, f"message-{id[4:]}-{number}")
    assert browser.problems == []


async def test_an_item_is_edited_and_the_change_undone(browser: Windows, serve: Serve, shots: Shots) -> None:
    site, store = await looking(serve, write=True)
    page = await browser.window(locale="en-US")
    await page.goto(f"{site.url}{SHOP}/item?key={ORDER}&sort=i%23invoice_id-000000000000")
    await page.get_by_role("link", name="Edit").click()
    await page.get_by_label("amount").fill("77")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator("td.value", has_text="77")).to_be_visible()
    await page.get_by_role("link", name="Journal").click()
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_text("Undone.")).to_be_visible()
    await shots(page, "journal")
    assert browser.problems == []
    await store.close()


@pytest.mark.parametrize("size", [DESKTOP, TABLET, PHONE], ids=["desktop", "tablet", "phone"])
async def test_every_page_fits_and_a_made_up_example_runs(
    browser: Windows, serve: Serve, shots: Shots, size: dict[str, int]
) -> None:
    site, store = await looking(serve)
    dark: dict[str, Any] = {"color_scheme": "dark"} if size is PHONE else {}
    page = await browser.window(size, **dark)
    paths = [
        "/console/tables",
        SHOP,
        f"{SHOP}?index=GSI1&attr=quantity&is=ge&value=3",
        f"{SHOP}/item?key={ORDER}&sort={ORDER}",
        "/console/patterns",
        "/console/designs/online-shop/map?pattern=whole_order",
        "/console/partiql?statement=SELECT+*+FROM+%22OnlineShop%22",
    ]
    for number, path in enumerate(paths):
        await page.goto(site.url + path)
        assert await fits(page), path
        await shots(page, f"{size['width']}-{number}")
    await page.goto(site.url + "/console/patterns/online-shop/whole_order")
    await page.get_by_role("link", name="例を試す").click()
    await expect(page.locator("tbody tr")).to_have_count(13)
    assert browser.problems == []
    await store.close()


async def test_titles_end_inside_their_boxes(browser: Windows, serve: Serve) -> None:
    from sekkei_systems.chiipochi.system import SYSTEM

    site = await serve(SYSTEM)
    page = await browser.window()
    outside = """[...document.querySelectorAll(".map svg text")].filter((text) => {
        const box = text.getBBox();
        return ![...text.parentElement.querySelectorAll("rect")].some((rect) => {
            const around = rect.getBBox();
            return box.x >= around.x && box.x + box.width <= around.x + around.width;
        });
    }).map((text) => text.textContent)"""
    for language in ("ja", "en"):
        await page.goto(f"{site.url}/console/designs/chiipochi/map?lang={language}")
        assert await page.locator(".map svg text.title").count() > 10
        assert await page.evaluate(outside) == []
    assert browser.problems == []


async def test_the_map_is_walked_and_a_pattern_priced_by_keyboard_alone(
    browser: Windows, serve: Serve, shots: Shots
) -> None:
    from sekkei_systems.tasks.system import SYSTEM

    site = await serve(SYSTEM)
    page = await browser.window(locale="en-US")
    await page.goto(f"{site.url}/console/designs/tasks/map")
    await page.locator(".map svg a").first.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".map svg g.lit")).to_have_count(1)
    await page.get_by_role("link", name="default_board", exact=True).first.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Cost and heat")).to_be_visible()
    await page.get_by_label("Calls", exact=True).fill("5k/s")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("A month at 5k/s")).to_be_visible()
    await page.get_by_role("button", name="Simulate an hour").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".heat svg")).to_be_visible()
    for size, scheme in ((PHONE, "dark"), (TABLET, "light")):
        window = await browser.window(size, color_scheme=scheme)
        await window.goto(page.url)
        await expect(window.locator(".heat svg")).to_be_visible()
        assert await fits(window)
        await shots(window, f"cost-{scheme}")
    assert browser.problems == []


async def test_every_control_has_a_name(browser: Windows, serve: Serve) -> None:
    site, store = await looking(serve, write=True)
    page = await browser.window()
    nameless = """[...document.querySelectorAll("a, button, input:not([type=hidden]), select, textarea, [tabindex]")]
        .filter((one) => one.getClientRects().length)
        .filter((one) => {
            const labels = [...(one.labels ?? [])].map((label) => label.textContent).join("");
            const own = one.matches("input, select, textarea, [role=region]") ? "" : one.textContent;
            return !(one.ariaLabel || labels || own || one.title).trim();
        }).map((one) => one.outerHTML.slice(0, 120))"""
    one = f"key={ORDER}&sort={ORDER}"
    paths = ["", "?attr=quantity&is=between&value=1&and=3", f"/item?{one}", f"/edit?{one}", "/new", f"/history?{one}"]
    others = ["patterns/online-shop/whole_order?go=1&order_id=x", "partiql?statement=SELECT+*+FROM+OnlineShop"]
    for path in [*(SHOP + path for path in paths), *(f"/console/{path}" for path in others), "/console/journal"]:
        await page.goto(site.url + path)
        await expect(page.locator("html")).to_be_visible()
        assert await page.evaluate(nameless) == [], path
    await store.close()
