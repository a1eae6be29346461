"""Passkeys, with Chromium's own authenticator in software."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect
from webauthn.helpers import bytes_to_base64url

from sekkei.clock import ManualClock
from sekkei.runtime import days
from sekkei.web.identity.design import Passkey, passkeys
from sekkei.web.identity.passkeys import BadPasskey
from sekkei.web.testing import opened, test_settings
from tests.browser import Serve, Shots, Site, Windows
from tests.lost import answer_lost
from tests.web.example import SYSTEM

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
ASKED_MAX = 60


async def site_by_name(serve: Serve) -> Site:
    """At localhost: browsers have no passkeys for IP addresses."""
    return await serve(SYSTEM, demo=True, host="localhost")


async def authenticator(page: Page, **changes: Any) -> tuple[Any, str]:
    session = await page.context.new_cdp_session(page)
    await session.send("WebAuthn.enable")
    options = {**AUTHENTICATOR, **changes}
    made = await session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return session, made["authenticatorId"]


async def add(page: Page, site: Site) -> None:
    await page.goto(site.url + "/account")
    await page.get_by_label("名前", exact=True).last.fill("自分の電話")
    await page.get_by_role("button", name="パスキーを追加する").click()


async def test_add_one_sign_in_with_it_and_delete_it(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await site_by_name(serve)
    page = await browser.person(site, "demo-aoi")
    await authenticator(page)
    await add(page, site)
    await expect(page.get_by_role("cell", name="自分の電話")).to_be_visible()
    await shots(page, "passkeys")
    (kept,) = await site.client.shell.passkeys.of("demo-aoi")
    await page.context.clear_cookies()
    await page.goto(site.url + "/sign-in?next=/example/")
    await page.get_by_role("button", name="パスキーでサインイン").click()
    await expect(page).to_have_url(site.url + "/example/")
    (used,) = await site.client.shell.passkeys.of("demo-aoi")
    assert used.used_at is not None
    assert used.sign_count > kept.sign_count
    await page.goto(site.url + "/account")
    row = page.get_by_role("row", name="自分の電話")
    await row.get_by_role("button", name="削除").click()
    await expect(page.get_by_text("保存しました")).to_be_visible()
    assert await site.client.shell.passkeys.of("demo-aoi") == []
    await page.context.clear_cookies()
    await page.goto(site.url + "/sign-in")
    await page.get_by_role("button", name="パスキーでサインイン").click()
    await expect(page.get_by_text("パスキーを確認できませんでした。")).to_be_visible()


async def test_a_signature_counts_once_and_for_its_own_question(browser: Windows, serve: Serve) -> None:
    site = await site_by_name(serve)
    page = await browser.person(site, "demo-aoi")
    await authenticator(page)
    await add(page, site)
    await expect(page.get_by_role("cell", name="自分の電話")).to_be_visible()
    await page.context.clear_cookies()
    await page.goto(site.url + "/sign-in")
    async with page.expect_response("**/sign-in/passkey") as answered:
        await page.get_by_role("button", name="パスキーでサインイン").click()
    answer = await answered.value
    assert answer.ok
    given = answer.request.post_data_json
    thief = site.client.another(host=site.url.removeprefix("http://"))
    assert (await thief.json("POST", "/sign-in/passkey", given)).status == 422
    asked = (await thief.json("POST", "/sign-in/passkey/ask", {})).json()
    replayed = {**given, "ceremony": asked["ceremony"]}
    refused = await thief.json("POST", "/sign-in/passkey", replayed)
    assert (refused.status, refused.json()["code"]) == (422, "bad-passkey")


async def test_whoever_is_not_checked_by_their_device_gets_nowhere(browser: Windows, serve: Serve) -> None:
    site = await site_by_name(serve)
    page = await browser.person(site, "demo-aoi")
    await authenticator(page, isUserVerified=False)
    await add(page, site)
    await expect(page.get_by_text("パスキーは使われませんでした。")).to_be_visible()
    assert await site.client.shell.passkeys.of("demo-aoi") == []


@pytest.mark.parametrize(
    "credential", [{}, {"id": "x"}, {"id": "x", "response": {"userHandle": "!!"}}, {"response": 1}]
)
async def test_nonsense_is_refused(credential: dict[str, Any]) -> None:
    async with opened(SYSTEM, settings=test_settings(public_url="http://localhost:8000")) as client:
        asked = (await client.json("POST", "/sign-in/passkey/ask", {})).json()
        assert asked["options"]["userVerification"] == "required"
        given = {"ceremony": asked["ceremony"], "credential": credential}
        for ceremony in (asked["ceremony"], "unknown"):
            reply = await client.json("POST", "/sign-in/passkey", {**given, "ceremony": ceremony})
            assert (reply.status, reply.json()["code"]) == (422, "bad-passkey")


@pytest.mark.parametrize("nth", [1, 2])
async def test_a_signature_is_good_although_an_answer_was_lost(monkeypatch: pytest.MonkeyPatch, nth: int) -> None:
    """First the question is taken away, then the use is counted."""
    async with opened(SYSTEM, settings=test_settings(public_url="http://localhost:8000")) as client:
        shell = client.shell
        account = await shell.accounts.create("hana@example.com", "花")
        now = days.now(shell.clock)
        held = Passkey(
            account_id=account.id, credential="c", public_key="k", sign_count=1, name="phone", created_at=now
        )
        await shell.db.write(passkeys.create(held))
        monkeypatch.setattr(shell.passkeys, "_verified", lambda passkey, challenge, credential: passkey.sign_count + 1)
        asked = await shell.passkeys.ask()
        signed = {"id": "c", "response": {"userHandle": bytes_to_base64url(account.id.encode())}}
        with answer_lost(shell.db, nth=nth):
            assert (await shell.passkeys.account(asked["ceremony"], signed)).id == account.id
        with pytest.raises(BadPasskey):
            await shell.passkeys.account(asked["ceremony"], signed)


async def test_a_stranger_gets_so_many_questions_and_no_more() -> None:
    """Each is a row in the store."""
    settings = test_settings(public_url="http://localhost:8000", values={"rate_limit": "on"})
    async with opened(SYSTEM, settings=settings, clock=ManualClock()) as client:
        statuses = [(await client.json("POST", "/sign-in/passkey/ask", {})).status for _ in range(ASKED_MAX + 1)]
        assert statuses == [200] * ASKED_MAX + [429]


async def test_there_are_none_at_an_address_without_a_name() -> None:
    async with opened(SYSTEM) as client:
        assert "data-passkey" not in (await client.get("/sign-in")).text
        assert (await client.json("POST", "/sign-in/passkey/ask", {})).status == 404
