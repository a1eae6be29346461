"""The account page: tokens with scope and end, single sessions, and everything that ends them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime import days
from sekkei.web.identity.accounts import USED_NOTED_AFTER, digest, name_of
from sekkei.web.identity.authenticators import TRIES_MAX, WINDOW_SECONDS
from sekkei.web.identity.design import ApiToken, tokens
from sekkei.web.testing import Client, opened, test_settings
from tests.web.example import SYSTEM

AOI = "demo-aoi"


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with opened(SYSTEM, clock=ManualClock()) as found:
        await found.sign_in(AOI)
        yield found


async def made(client: Client, **fields: object) -> Client:
    page = await client.post("/account/tokens", {"name": "script", **fields})
    found = re.search(r"sekkei_[\w.-]+", page.text)
    assert found is not None, page.status
    return client.another(bearer=found[0])


async def read(program: Client) -> int:
    return (await program.json("GET", "/example/api/notes")).status


async def write(program: Client) -> int:
    return (await program.json("POST", "/example/api/notes", {"text": "x"})).status


def pass_time(client: Client, time: timedelta) -> None:
    assert isinstance(client.shell.clock, ManualClock)
    client.shell.clock.advance(time.total_seconds())


async def test_a_token_that_reads_does_not_write(client: Client) -> None:
    program = await made(client, access="read")
    assert (await read(program), await write(program)) == (200, 403)
    refused = await program.json("POST", "/example/api/notes", {"text": "x"})
    assert refused.json()["code"] == "out-of-scope"
    assert "*:read" in refused.json()["detail"]
    program = await made(client, access="write")
    assert (await read(program), await write(program)) == (200, 201)


async def test_a_token_for_one_system_opens_no_other(client: Client) -> None:
    program = await made(client, access="write", systems=["example"])
    assert await write(program) == 201
    (token,) = await client.shell.accounts.tokens(AOI)
    assert token.scope == "*:write", "all that there are: all"
    await client.shell.db.write(tokens.update(AOI, token.hash).set(ApiToken.scope, "elsewhere:write"))
    assert (await read(program), await write(program)) == (403, 403)
    listening = await program.events("/live?on=/example/live", 1)
    assert listening.status == 403


async def test_a_token_has_an_end(client: Client) -> None:
    program = await made(client, days="7")
    pass_time(client, timedelta(days=7) - timedelta(seconds=1))
    assert await read(program) == 200
    pass_time(client, timedelta(seconds=1))
    assert await read(program) == 401


@pytest.mark.parametrize("wrong", [{"days": "0"}, {"days": "100000"}, {"access": "all"}, {"systems": ["nowhere"]}])
async def test_other_choices_are_refused(client: Client, wrong: dict[str, object]) -> None:
    assert (await client.post("/account/tokens", {"name": "x", **wrong})).status == 422
    assert await client.shell.accounts.tokens(AOI) == []


async def test_its_last_use_is_noted_once_an_hour(client: Client) -> None:
    program = await made(client)
    assert "未使用" in (await client.get("/account")).text
    pass_time(client, timedelta(minutes=5))
    await read(program)
    first = days.now(client.shell.clock)
    pass_time(client, USED_NOTED_AFTER - timedelta(seconds=1))
    await read(program)
    assert [token.used_at for token in await client.shell.accounts.tokens(AOI)] == [first]
    pass_time(client, timedelta(seconds=1))
    await read(program)
    assert [token.used_at for token in await client.shell.accounts.tokens(AOI)] == [days.now(client.shell.clock)]
    assert "未使用" not in (await client.get("/account")).text


async def test_tokens_end_with_everything_else(client: Client) -> None:
    for path, fields in (("/account/sign-out-everywhere", {}), ("/account/password", {"password": "correct horse"})):
        program = await made(client)
        assert await read(program) == 200
        assert (await client.post(path, fields)).status == 303
        assert await read(program) == 401
        assert await client.shell.accounts.tokens(AOI) == []
        await client.sign_in(AOI)


async def test_the_version_alone_ends_them(client: Client) -> None:
    """As when a system bans somebody, in a transaction of its own."""
    program = await made(client)
    await client.shell.db.write(client.shell.accounts.signing_out(AOI))
    assert await read(program) == 401


async def test_a_token_of_before_works_is_marked_and_ends_too(client: Client) -> None:
    secret = "x" * 43
    old = ApiToken(account_id=AOI, hash=digest(secret), name="old", created_at=days.now(client.shell.clock))
    await client.shell.db.write(tokens.create(old))
    program = client.another(bearer=f"sekkei_{AOI}.{secret}")
    pass_time(client, timedelta(days=25))
    assert (await read(program), await write(program)) == (200, 201)
    assert "期限・範囲なし" in (await client.get("/account")).text
    await client.shell.db.write(client.shell.accounts.signing_out(AOI))
    assert await read(program) == 401


async def test_one_browser_can_be_signed_out(client: Client) -> None:
    other = client.another()
    await other.sign_in(AOI)
    theirs = digest(other.cookies["sekkei_session"].partition(".")[2])
    assert theirs in (await client.get("/account")).text
    assert (await client.post("/account/sessions/end", {"hash": theirs})).location == "/account"
    assert (await other.get("/account")).status == 303
    assert (await client.get("/account")).status == 200
    mine = digest(client.cookies["sekkei_session"].partition(".")[2])
    assert (await client.post("/account/sessions/end", {"hash": mine})).location == "/"
    assert (await client.get("/account")).status == 303


async def test_nobody_ends_the_session_of_somebody_else(client: Client) -> None:
    stranger = client.another()
    await stranger.sign_in("demo-ren")
    mine = digest(client.cookies["sekkei_session"].partition(".")[2])
    await stranger.post("/account/sessions/end", {"hash": mine})
    assert (await client.get("/account")).status == 200


async def test_one_app_can_be_signed_out(client: Client) -> None:
    account = await client.shell.accounts.get(AOI)
    assert account is not None
    pair = await client.shell.apps.begin(account, "電話")
    app = client.another(bearer=pair.access)
    assert await read(app) == 200
    assert "電話" in (await client.get("/account")).text
    (session,) = await client.shell.apps.of(AOI)
    await client.post("/account/apps/end", {"id": session.id})
    assert await read(app) == 401


async def test_ten_wrong_passwords_elsewhere_do_not_lock_out_a_known_device() -> None:
    settings = test_settings(values={"rate_limit": "on"})
    async with opened(SYSTEM, clock=ManualClock(), settings=settings) as client:
        account = await client.shell.accounts.create("hana@example.com", "花")
        await client.shell.accounts.set_password(account.id, "correct horse")
        right = {"email": "hana@example.com", "password": "correct horse"}
        assert (await client.post("/sign-in", right)).status == 303
        await client.post("/sign-out")
        for number in range(12):
            thief = client.another(address=f"203.0.113.{number}")
            await thief.post("/sign-in", {**right, "password": "guess guess"})
        assert (await client.another(address="203.0.113.99").post("/sign-in", right)).status == 429
        assert (await client.post("/sign-in", right)).status == 303
        forger = client.another(address="203.0.113.98")
        forger.cookies["sekkei_device"] = "nonce." + "0" * 64
        assert (await forger.post("/sign-in", right)).status == 429


async def test_codes_of_an_app_are_tried_a_few_times_only_whichever_process_asks(client: Client) -> None:
    await client.shell.authenticators.offer(AOI)
    key = await client.shell.authenticators.offered(AOI)
    from sekkei.runtime import totp

    def code() -> str:
        return totp.code(key, totp.step_at(client.shell.clock.now()))

    await client.shell.authenticators.confirm(AOI, code())
    pass_time(client, timedelta(seconds=60))
    wrong = "000000" if code() != "000000" else "111111"
    for _ in range(TRIES_MAX):
        assert (await client.post("/prove", {"code": wrong})).status == 422
    refused = await client.post("/prove", {"code": code()})
    assert refused.status == 429
    assert int(refused.header("retry-after") or 0) <= WINDOW_SECONDS
    pass_time(client, timedelta(seconds=WINDOW_SECONDS))
    assert (await client.post("/prove", {"code": wrong})).status == 422
    assert (await client.post("/prove", {"code": code()})).status == 303
    account = await client.shell.accounts.get(AOI)
    assert account is not None
    assert account.totp_tried is None


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        (" 山田　太郎 ", "山田 太郎"),
        ("葵 👨\u200d👩\u200d👧", "葵 👨\u200d👩\u200d👧"),
        ("ad\u200bmi\u202en\u200e", "admin"),
    ],
)
def test_a_name_is_what_people_see_of_it(typed: str, name: str) -> None:
    assert name_of(typed) == name
