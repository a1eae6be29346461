"""Signing in, staying signed in, and being signed out."""

from __future__ import annotations

import re

import pytest

from sekkei.clock import ManualClock
from sekkei.kit.signing import OneTimeCode
from sekkei.runtime.design import newest_messages
from sekkei.web.identity.accounts import CodeOver
from sekkei.web.identity.sign_in import CHALLENGE_COOKIE
from sekkei.web.middleware import HOST_SESSION_COOKIE, SESSION_COOKIE
from sekkei.web.testing import Client, opened, test_settings
from tests.lost import answer_lost
from tests.web.example import SYSTEM

DAY = 24 * 3600


async def mailed_code(client: Client) -> str:
    page = await client.shell.deployment.runtime.page(newest_messages(), size=1)
    found = re.search(r"\d{6}", page.items[0].body["text"])
    assert found is not None
    return found[0]


async def sign_up(client: Client, email: str = "hana@example.com", password: str = "correct horse") -> None:
    await client.post("/sign-up", {"name": "花", "email": email, "password": password})
    await client.post("/sign-in/code", {"code": await mailed_code(client)})


async def is_signed_in(client: Client) -> bool:
    return (await client.get("/account")).status == 200


async def test_sign_up_proves_the_address_first() -> None:
    async with opened(SYSTEM) as client:
        reply = await client.post(
            "/sign-up", {"name": "花", "email": " Hana@Example.com ", "password": "correct horse"}
        )
        assert (reply.status, reply.location) == (303, "/sign-in/code")
        assert await client.shell.accounts.by_email("hana@example.com") is None
        reply = await client.post("/sign-in/code", {"code": await mailed_code(client)})
        assert reply.status == 303
        account = await client.shell.accounts.by_email("hana@example.com")
        assert account is not None
        assert account.name == "花"
        assert "花" in (await client.get("/account")).text


async def test_by_password_and_a_wrong_one_says_nothing_of_who_exists() -> None:
    async with opened(SYSTEM) as client:
        await sign_up(client)
        other = client.another()
        texts = []
        for email in ("hana@example.com", "nobody@example.com"):
            reply = await other.post("/sign-in", {"email": email, "password": "wrong horse"})
            assert reply.status == 422
            texts.append(re.sub(r"[0-9a-f]{16,}", "", reply.text.replace(email, "")))
        assert texts[0] == texts[1]
        reply = await other.post(
            "/sign-in", {"email": "HANA@example.com", "password": "correct horse", "next": "/example/"}
        )
        assert (reply.status, reply.location) == (303, "/example/")
        assert await is_signed_in(other)


async def test_the_password_is_stored_as_argon2id_and_the_rest_as_hashes() -> None:
    async with opened(SYSTEM) as client:
        await sign_up(client)
        token = await client.shell.accounts.make_token((await _account(client)).id, "x")
        stored = str((await client.shell.deployment.store.call("Scan", {"TableName": "sekkei-web"}))["Items"])
        assert "$argon2id$" in stored
        cookie = client.cookies[SESSION_COOKIE].partition(".")[2]
        for secret in ("correct horse", cookie, token.partition(".")[2]):
            assert secret not in stored


async def _account(client: Client):  # type: ignore[no-untyped-def]
    return await client.shell.accounts.by_email("hana@example.com")


async def test_a_session_that_was_there_before_is_not_carried_on() -> None:
    """Fixation: whoever planted a session in a browser must not share it after the sign-in."""
    async with opened(SYSTEM) as client:
        attacker = client.another()
        await attacker.sign_in("demo-ren")
        planted = attacker.cookies[SESSION_COOKIE]
        victim = client.another()
        victim.cookies[SESSION_COOKIE] = planted
        await victim.post("/sign-in/demo", {"person": "demo-aoi"})
        assert victim.cookies[SESSION_COOKIE] != planted
        assert "佐藤 葵" in (await victim.get("/account")).text
        assert not await is_signed_in(attacker)
        victim.cookies[SESSION_COOKIE] = "demo-aoi." + "x" * 43
        assert not await is_signed_in(victim)


async def test_sign_out_ends_the_session_on_the_server_too() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        stolen = client.cookies[SESSION_COOKIE]
        assert (await client.post("/sign-out")).status == 303
        assert SESSION_COOKIE not in client.cookies
        client.cookies[SESSION_COOKIE] = stolen
        assert not await is_signed_in(client)


async def test_sign_out_everywhere_and_a_new_password_end_every_other_session() -> None:
    async with opened(SYSTEM) as client:
        laptop, phone = client.another(), client.another()
        for device in (laptop, phone):
            await device.sign_in()
        await laptop.post("/account/password", {"password": "a new password"})
        assert await is_signed_in(laptop)
        assert not await is_signed_in(phone)
        await phone.sign_in()
        await laptop.post("/account/sign-out-everywhere")
        assert not await is_signed_in(laptop)
        assert not await is_signed_in(phone)


async def test_a_session_ends_after_thirty_quiet_days_and_goes_on_while_used() -> None:
    clock = ManualClock()
    async with opened(SYSTEM, clock=clock) as client:
        await client.sign_in()
        for _ in range(3):
            clock.advance(20 * DAY)
            assert await is_signed_in(client)
        clock.advance(31 * DAY)
        assert not await is_signed_in(client)


async def test_a_code_is_good_once_for_ten_minutes_and_five_attempts() -> None:
    clock = ManualClock()
    async with opened(SYSTEM, clock=clock) as client:
        await client.post("/sign-in/mail", {"email": "hana@example.com"})
        code, challenge = await mailed_code(client), client.cookies[CHALLENGE_COOKIE]
        wrong = f"{(int(code) + 1) % 1_000_000:06d}"
        for _ in range(OneTimeCode.TRIES_MAX - 2):
            assert "コードが違います" in (await client.post("/sign-in/code", {"code": wrong})).text
        assert (await client.post("/sign-in/code", {"code": f" {code[:3]} {code[3:]} "})).status == 303
        assert await is_signed_in(client)
        replay = client.another()
        replay.cookies[CHALLENGE_COOKIE] = challenge
        assert (await replay.post("/sign-in/code", {"code": code})).status == 410

        late = client.another()
        await late.post("/sign-in/mail", {"email": "hana@example.com"})
        code = await mailed_code(client)
        clock.advance(10 * 60 + 1)
        assert (await late.post("/sign-in/code", {"code": code})).status == 410
        assert not await is_signed_in(late)


async def test_a_code_is_good_although_the_answer_was_lost() -> None:
    """First the try is counted, then the code is used up; nobody else was quicker."""
    async with opened(SYSTEM) as client:
        accounts = client.shell.accounts
        id, code = await accounts.challenge("hana@example.com")
        with answer_lost(client.shell.db, nth=2):
            account, _ = await accounts.answer(id, code)
        assert account.email == "hana@example.com"
        with pytest.raises(CodeOver):
            await accounts.answer(id, code)


async def test_after_five_wrong_codes_the_right_one_is_too_late() -> None:
    async with opened(SYSTEM) as client:
        await client.post("/sign-in/mail", {"email": "hana@example.com"})
        code = await mailed_code(client)
        wrong = f"{(int(code) + 1) % 1_000_000:06d}"
        for _ in range(OneTimeCode.TRIES_MAX):
            await client.post("/sign-in/code", {"code": wrong})
        assert (await client.post("/sign-in/code", {"code": code})).status == 410
        assert not await is_signed_in(client)


async def test_a_code_works_only_in_the_browser_that_asked_for_it() -> None:
    async with opened(SYSTEM) as client:
        await client.post("/sign-in/mail", {"email": "hana@example.com"})
        code = await mailed_code(client)
        thief = client.another()
        await thief.post("/sign-in/mail", {"email": "thief@example.com"})
        assert (await thief.post("/sign-in/code", {"code": code})).status == 422
        assert not await is_signed_in(thief)


async def test_sign_up_for_an_address_that_has_an_account_signs_in_to_it() -> None:
    async with opened(SYSTEM) as client:
        await sign_up(client, password="correct horse")
        again = client.another()
        await again.post("/sign-up", {"name": "偽", "email": "hana@example.com", "password": "other password"})
        await again.post("/sign-in/code", {"code": await mailed_code(client)})
        account = await _account(client)
        assert account.name == "花"
        third = client.another()
        reply = await third.post("/sign-in", {"email": "hana@example.com", "password": "other password"})
        assert reply.status == 422


@pytest.mark.parametrize(
    "email",
    [
        "",
        "x",
        "a@b",
        "a b@example.com",
        "a@example.com\nBcc: x@y.example",
        "a" * 250 + "@x.jp",
        "a" * 65 + "@example.com",
        f"a@{'b' * 64}.example",
        "ａｏｉ@example.com",
        "あおい@example.com",
        "aoi@例.example",
    ],
)
async def test_what_is_no_address_is_refused_and_no_mail_goes_out(email: str) -> None:
    async with opened(SYSTEM) as client:
        assert (await client.post("/sign-in/mail", {"email": email})).status == 422
        assert (await client.post("/sign-up", {"email": email, "name": "x"})).status == 422
        assert not (await client.shell.deployment.runtime.page(newest_messages())).items


@pytest.mark.parametrize(
    "next", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/a\nb"]
)
async def test_nobody_is_sent_to_another_site_after_signing_in(next: str) -> None:
    async with opened(SYSTEM) as client:
        reply = await client.post("/sign-in/demo", {"person": "demo-aoi", "next": next})
        assert (reply.status, reply.location) == (303, "/")


# The demo


async def test_demo_sign_in_works_on_ones_own_machine() -> None:
    async with opened(SYSTEM) as client:
        assert "佐藤 葵" in (await client.get("/")).text
        assert (await client.post("/sign-in/demo", {"person": "demo-aoi"})).status == 303
        assert await is_signed_in(client)
        assert (await client.another().post("/sign-in/demo", {"person": "nobody"})).status == 404


@pytest.mark.parametrize("case", ["from another machine", "through a proxy", "bound to the world", "no demo"])
async def test_demo_sign_in_is_refused_off_loopback(case: str) -> None:
    settings = test_settings(demo=case != "no demo")
    async with opened(SYSTEM, settings=settings, loopback=case != "bound to the world") as client:
        client.address = "192.168.1.20" if case == "from another machine" else "127.0.0.1"
        token = await client.token()
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
        if case == "through a proxy":
            headers["X-Forwarded-For"] = "203.0.113.9"
        reply = await client.request("POST", "/sign-in/demo", f"person=demo-aoi&_csrf={token}".encode(), headers)
        assert reply.status == 403
        assert SESSION_COOKIE not in client.cookies
        if case != "through a proxy":
            assert "佐藤 葵" not in (await client.get("/")).text
            assert (await client.get("/console/outbox")).status == 303


# Cookies and tokens


async def test_cookies_are_out_of_reach_of_scripts_and_secure_over_https() -> None:
    async with opened(SYSTEM) as client:
        reply = await client.post("/sign-in/demo", {"person": "demo-aoi"})
        cookie = next(value for name, value in reply.headers if name == "set-cookie" and SESSION_COOKIE in value)
        assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(cookie.split("; "))
        assert "Secure" not in cookie
    settings = test_settings(public_url="https://tasks.example.com")
    async with opened(SYSTEM, settings=settings) as client:
        await client.shell.accounts.set_password(await client.sign_in_by_email("a@example.com"), "correct horse")
        client.sign_out()
        reply = await client.post("/sign-in", {"email": "a@example.com", "password": "correct horse"})
        cookie = next(value for name, value in reply.headers if name == "set-cookie" and SESSION_COOKIE in value)
        assert "Secure" in cookie.split("; ")
        assert reply.header("strict-transport-security")
        assert cookie.startswith(f"{HOST_SESSION_COOKIE}=")
        assert "domain" not in cookie.lower()


async def test_who_signed_in_before_stays_so_under_the_name_that_only_we_can_set() -> None:
    settings = test_settings(public_url="https://tasks.example.com")
    async with opened(SYSTEM, settings=settings) as client:
        await client.sign_in_by_email("a@example.com")
        before = client.cookies[SESSION_COOKIE]
        assert (await client.get("/account")).status == 200
        assert client.cookies[HOST_SESSION_COOKIE] == before
        assert SESSION_COOKIE not in client.cookies
        other = client.another()
        await other.sign_in_by_email("b@example.com")
        client.cookies[SESSION_COOKIE] = other.cookies[SESSION_COOKIE]
        assert "a@example.com" in (await client.get("/account")).text, "what a neighbouring host planted is not read"
        await client.post("/sign-out", {})
        assert not {SESSION_COOKIE, HOST_SESSION_COOKIE} & set(client.cookies)


@pytest.mark.parametrize("password", ["password1", "12345678", "a@example.com"])
async def test_a_password_that_is_tried_first_is_refused(password: str) -> None:
    async with opened(SYSTEM) as client:
        fields = {"email": "a@example.com", "name": "A", "password": password}
        reply = await client.post("/sign-up", fields)
        assert reply.status == 422
        assert "推測されます" in reply.text
        await client.sign_in_by_email("a@example.com")
        assert (await client.post("/account/password", {"password": password})).status == 422


async def test_a_personal_token_is_shown_once_works_and_can_be_taken_back() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        shown = await client.post("/account/tokens", {"name": "手元のスクリプト"})
        found = re.search(r"sekkei_[\w.-]+", shown.text)
        assert found is not None
        assert found[0] not in (await client.get("/account")).text
        program = client.another(bearer=found[0])
        assert (await program.json("GET", "/example/api/hello")).json()["text"] == "佐藤 葵"
        (token,) = await client.shell.accounts.tokens("demo-aoi")
        await client.post("/account/tokens/delete", {"hash": token.hash})
        reply = await program.json("GET", "/example/api/hello")
        assert (reply.status, reply.json()["code"]) == (401, "bad-bearer")


async def test_nobody_deletes_the_token_of_somebody_else() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in("demo-aoi")
        await client.post("/account/tokens", {"name": "x"})
        (token,) = await client.shell.accounts.tokens("demo-aoi")
        stranger = client.another()
        await stranger.sign_in("demo-ren")
        await stranger.post("/account/tokens/delete", {"hash": token.hash})
        assert len(await client.shell.accounts.tokens("demo-aoi")) == 1


@pytest.mark.parametrize(
    "cookie", ["x", "demo-aoi.", ".", "demo-aoi." + "あ" * 30, "A#B." + "x" * 43, "x" * 5000, "%00.%00"]
)
async def test_nonsense_in_the_cookie_is_nobody(cookie: str) -> None:
    async with opened(SYSTEM) as client:
        client.cookies[SESSION_COOKIE] = cookie.encode().decode("latin-1")
        assert not await is_signed_in(client)


async def test_an_address_in_letters_that_few_mail_servers_take_is_refused_as_it_is_typed() -> None:
    """The code would not arrive: SES takes none of them, and SMTP servers only with SMTPUTF8."""
    async with opened(SYSTEM) as client:
        reply = await client.post("/sign-up", {"name": "花", "email": "花@example.com"})
        assert reply.status == 422
        assert "花@example.com" in reply.text, "to be put right"


async def test_a_token_opens_the_apis_but_not_the_account() -> None:
    async with opened(SYSTEM) as client:
        await sign_up(client)
        account = await client.shell.accounts.by_email("hana@example.com")
        assert account is not None
        program = client.another(bearer=await client.shell.accounts.make_token(account.id, "script"))
        assert (await program.json("GET", "/example/api/notes")).status == 200
        assert (await program.get("/account")).status == 403
        forms = {"name": {"name": "x"}, "password": {"password": "a new password"}, "tokens": {"name": "x"}}
        for page, fields in {**forms, "tokens/delete": {"hash": "x"}, "sign-out-everywhere": {}}.items():
            assert (await program.post(f"/account/{page}", fields, token="")).status == 403
        assert len(await client.shell.accounts.tokens(account.id)) == 1
        assert await is_signed_in(client)
        assert (
            await client.another().post("/sign-in", {"email": account.email, "password": "correct horse"})
        ).status == 303


async def test_it_says_when_no_mail_can_go_out() -> None:
    """Nobody waits for a code that stays in the outbox."""
    async with opened(SYSTEM, settings=test_settings(demo=False)) as client:
        await client.post("/sign-in/mail", {"email": "hana@example.com"})
        assert "メールを送るように設定されていません" in (await client.get("/sign-in/code")).text
        client.shell.deployment.worker.delivery._transports["mail"] = client.shell.deployment.worker.delivery._local
        assert "メールを送るように設定されていません" not in (await client.get("/sign-in/code")).text


async def test_whoever_comes_from_a_system_signs_in_to_that() -> None:
    async with opened(SYSTEM) as client:
        client.language = "en"
        title = client.shell.deployment.systems["example"].system.title["en"]
        for path in ("/sign-in", "/sign-up"):
            assert f"{title}</h1>" in (await client.get(f"{path}?next=/example/")).text
            for elsewhere in ("/", "/nowhere/", "//example/", "x"):
                page = await client.get(f"{path}?next={elsewhere}")
                assert page.status == 200
                assert title not in page.text
        again = await client.post("/sign-up", {"name": "", "email": "x", "next": "/example/"})
        assert again.status == 422
        assert f"{title}</h1>" in again.text
