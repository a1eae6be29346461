"""Apps: an access token for a quarter of an hour, a refresh token good once, and everything that ends them."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator

import jwt
import pytest

from sekkei.clock import ManualClock
from sekkei.web.identity.app_sessions import ACCESS_LIFE, ALGORITHM, APPS_MAX, AUDIENCE, BadRefresh, Pair
from sekkei.web.identity.design import Account, app_sessions_of
from sekkei.web.testing import Client, opened
from tests.lost import answer_lost
from tests.web.example import SYSTEM

DAY = 24 * 3600


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with opened(SYSTEM, clock=ManualClock()) as found:
        yield found


async def signed_in(client: Client) -> tuple[Account, Pair]:
    account = await client.shell.accounts.by_email("app@example.com")
    account = account or await client.shell.accounts.create("app@example.com", "App")
    return account, await client.shell.apps.begin(account, "example")


async def status(client: Client, access: str) -> int:
    app = client.another()
    app.bearer = access
    return (await app.json("GET", "/example/api/notes")).status


async def test_good_for_a_quarter_of_an_hour_and_renewed(client: Client) -> None:
    account, pair = await signed_in(client)
    assert await status(client, pair.access) == 200
    clock = client.shell.clock
    assert isinstance(clock, ManualClock)
    clock.advance(ACCESS_LIFE.total_seconds() - 1)
    assert await status(client, pair.access) == 200
    clock.advance(1)
    assert await status(client, pair.access) == 401
    again, renewed = await client.shell.apps.refresh(pair.refresh)
    assert again.id == account.id
    assert await status(client, renewed.access) == 200


async def test_neither_token_is_stored(client: Client) -> None:
    account, pair = await signed_in(client)
    (row,) = await client.shell.db.all(app_sessions_of(account.id).consistent())
    assert pair.refresh.rpartition(".")[2] not in repr(row)


async def test_a_refresh_token_that_comes_twice_ends_the_sign_in(client: Client) -> None:
    _, pair = await signed_in(client)
    _, renewed = await client.shell.apps.refresh(pair.refresh)
    with pytest.raises(BadRefresh):
        await client.shell.apps.refresh(pair.refresh)
    with pytest.raises(BadRefresh):
        await client.shell.apps.refresh(renewed.refresh)
    assert await status(client, renewed.access) == 401


async def test_a_refresh_whose_answer_was_lost_is_no_copy(client: Client) -> None:
    _, pair = await signed_in(client)
    with answer_lost(client.shell.db):
        _, renewed = await client.shell.apps.refresh(pair.refresh)
    assert await status(client, renewed.access) == 200


async def test_of_two_at_once_one_is_a_copy(client: Client) -> None:
    _, pair = await signed_in(client)
    found = await asyncio.gather(*(client.shell.apps.refresh(pair.refresh) for _ in range(2)), return_exceptions=True)
    assert sum(isinstance(one, BadRefresh) for one in found) >= 1
    for one in found:
        if not isinstance(one, BaseException):
            assert await status(client, one[1].access) == 401


async def test_signed_out_everywhere_means_apps_too(client: Client) -> None:
    account, pair = await signed_in(client)
    await client.shell.db.write(client.shell.accounts.signing_out(account.id))  # the version alone ends it
    assert await status(client, pair.access) == 401
    with pytest.raises(BadRefresh):
        await client.shell.apps.refresh(pair.refresh)
    browser = client.another()
    await browser.sign_in_by_email("app@example.com")
    assert (await browser.get("/account")).status == 200
    await client.shell.accounts.end_all_sessions(account.id)
    assert (await browser.get("/account")).status == 303


async def test_a_refresh_token_gets_too_old(client: Client) -> None:
    _, pair = await signed_in(client)
    clock = client.shell.clock
    assert isinstance(clock, ManualClock)
    clock.advance(60 * DAY)
    with pytest.raises(BadRefresh):
        await client.shell.apps.refresh(pair.refresh)


async def test_one_app_too_many_ends_the_oldest(client: Client) -> None:
    pairs = []
    for _ in range(APPS_MAX + 1):
        account, pair = await signed_in(client)
        pairs.append(pair)
        client.shell.clock.advance(1)  # type: ignore[attr-defined]
    assert len(await client.shell.db.all(app_sessions_of(account.id).consistent())) == APPS_MAX
    assert [await status(client, one.access) for one in (pairs[0], pairs[1], pairs[-1])] == [401, 200, 200]


async def test_forged_tokens(client: Client) -> None:
    account, pair = await signed_in(client)
    claims = jwt.decode(pair.access, options={"verify_signature": False}, audience=AUDIENCE)
    real = client.shell.settings.secrets.key("access tokens of apps")
    assert await status(client, jwt.encode(claims, real, ALGORITHM)) == 200
    later = {**claims, "exp": claims["exp"] + 1000}
    bad = [
        jwt.encode(claims, b"x" * 32, ALGORITHM),
        jwt.encode({**claims, "iss": "https://other.example"}, real, ALGORITHM),
        jwt.encode({**claims, "aud": "other"}, real, ALGORITHM),
        jwt.encode({**claims, "sub": "somebody"}, real, ALGORITHM),
        jwt.encode({**claims, "ver": 7}, real, ALGORITHM),
        jwt.encode({name: value for name, value in claims.items() if name != "exp"}, real, ALGORITHM),
        jwt.encode(later, real * 2, "HS512"),
        _unsigned(later),
        pair.access[:-2],
    ]
    assert [await status(client, one) for one in bad] == [401] * len(bad)
    for text in ("", ".", "..", "a.b.c", pair.refresh + ".x", f"{account.id}#x.y.z", "x" * 400):
        with pytest.raises(BadRefresh):
            await client.shell.apps.refresh(text)
    assert await status(client, pair.access) == 200  # guessing ends nobody's sign-in


def _unsigned(claims: dict[str, object]) -> str:
    parts = [{"alg": "none", "typ": "JWT"}, claims]
    return ".".join(base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts) + "."


async def test_forgotten_means_everything(client: Client) -> None:
    account, pair = await signed_in(client)
    browser = client.another()
    await browser.sign_in_by_email("app@example.com")
    token = await client.shell.accounts.make_token(account.id, "t")
    assert await client.shell.accounts.forget(account.id)
    assert not await client.shell.accounts.forget(account.id)
    name = client.shell.db.table_name(next(iter(client.shell.db.design.tables.values())))
    rows = (await client.shell.db.store.call("Scan", {"TableName": name}))["Items"]
    assert [row for row in rows if account.id in str(row) or "app@example.com" in str(row)] == []
    assert [await status(client, one) for one in (pair.access, token)] == [401, 401]
