"""Signing in with an OpenID provider: what is wrong with an answer is refused, whatever part of it that is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from sekkei.clock import ManualClock
from sekkei.web.identity.openid import BACK, ProviderSilent, endpoints_of
from sekkei.web.testing import Client, opened, test_settings
from sekkei_fakes.openid import OpenIdCounterpart
from sekkei_fakes.served import Served, serve
from tests.web.example import SYSTEM

SITE = "http://127.0.0.1:8000"
HANA = {"sub": "hana-1", "email": "Hana@example.com", "email_verified": True, "name": "花"}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def served(clock: ManualClock) -> AsyncIterator[tuple[Served, OpenIdCounterpart]]:
    provider = OpenIdCounterpart(clock, "", "client:1", "s3cret/+%", [SITE + BACK])
    provider.person = dict(HANA)
    async with serve(provider) as found:
        provider.issuer = found.url
        yield found, provider


@pytest.fixture
def provider(served: tuple[Served, OpenIdCounterpart]) -> OpenIdCounterpart:
    return served[1]


@pytest.fixture
async def client(served: tuple[Served, OpenIdCounterpart], clock: ManualClock) -> AsyncIterator[Client]:
    values = {
        "sign_in_issuer": served[0].url,
        "sign_in_client_id": "client:1",
        "sign_in_client_secret": "s3cret/+%",
        "sign_in_name": "会社のID",
    }
    async with opened(SYSTEM, clock=clock, settings=test_settings(values=values)) as found:
        yield found


async def away(client: Client, next: str = "/example/") -> str:
    """Where the browser is sent."""
    answer = await client.get(f"/sign-in/openid?{urlencode({'next': next})}")
    assert answer.status == 303, answer.text
    return answer.header("location") or ""


async def come_back(client: Client, url: str, **changed: str) -> Any:
    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    return await client.get(f"{BACK}?{urlencode({**query, **changed})}")


async def sign_in(client: Client, provider: OpenIdCounterpart, **changed: str) -> Any:
    return await come_back(client, provider.approve(await away(client)), **changed)


async def test_a_new_person_gets_an_account_and_the_same_one_later(client: Client, provider: OpenIdCounterpart) -> None:
    assert "会社のIDでサインイン" in (await client.get("/sign-in")).text
    answer = await sign_in(client, provider)
    assert (answer.status, answer.header("location")) == (303, "/example/")
    account = await client.shell.accounts.by_email("hana@example.com")
    assert account is not None
    assert account.name == "花"
    assert (await client.get("/example/")).status == 200
    provider.person = {"sub": "hana-1"}  # the address is not asked for a second time
    other = client.another()
    assert (await sign_in(other, provider)).header("location") == "/example/"
    assert "花" in (await other.get("/account")).text


@pytest.mark.parametrize(
    "lies",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "another"},
        {"aud": ["client:1", "another"]},
        {"aud": ["client:1", "another"], "azp": "another"},
        {"azp": "another"},
        {"iss": "https://elsewhere.example"},
        {"exp": 1},
        {"iat": 1},
        {"iat": None},
        {"sub": None},
        {"sub": "x" * 256},
        {"alg": "none"},
        {"alg": "HS256"},
    ],
    ids=str,
)
async def test_a_token_that_is_wrong_in_any_part_is_refused(
    client: Client, provider: OpenIdCounterpart, lies: dict[str, Any]
) -> None:
    provider.lies = lies
    answer = await sign_in(client, provider)
    assert answer.status == 400, lies
    assert (await client.get("/account")).status == 303, "nobody is signed in"
    assert await client.shell.accounts.by_email("hana@example.com") is None


async def test_an_answer_is_good_for_the_browser_that_asked_once_and_in_time(
    client: Client, provider: OpenIdCounterpart, clock: ManualClock
) -> None:
    assert (await sign_in(client, provider, state="another")).status == 400
    assert (await sign_in(client, provider, iss="https://elsewhere.example")).status == 400
    assert (await sign_in(client, provider, code="guessed")).status == 400
    nameless = provider.approve(await away(client)).replace("iss=", "was=")
    assert (await come_back(client, nameless)).status == 400, "this provider always says who answers"
    url = provider.approve(await away(client))
    assert (await come_back(client.another(), url)).status == 400, "a link that somebody sent"
    assert (await come_back(client, url)).status == 303
    assert (await come_back(client.another(), url)).status == 400
    url = provider.approve(await away(other := client.another()))
    clock.advance(601)
    assert (await come_back(other, url)).status == 400


async def test_a_cookie_that_was_changed_is_refused(client: Client, provider: OpenIdCounterpart) -> None:
    url = provider.approve(await away(client))
    client.cookies["sekkei_openid"] = client.cookies["sekkei_openid"][:-1] + "x"
    assert (await come_back(client, url)).status == 400


async def test_who_says_no_is_back_at_the_sign_in(client: Client, provider: OpenIdCounterpart) -> None:
    await away(client)
    answer = await client.get(f"{BACK}?error=access_denied&state=x")
    assert (answer.status, answer.header("location")) == (303, "/sign-in")
    assert "会社のIDではサインインしませんでした" in (await client.get("/sign-in")).text


async def test_an_address_that_nobody_verified_makes_no_account(client: Client, provider: OpenIdCounterpart) -> None:
    for claim in (False, "true", None):
        provider.person = {**HANA, "email_verified": claim}
        assert (await sign_in(client, provider)).status == 403
    assert await client.shell.accounts.by_email("hana@example.com") is None


async def test_an_account_that_mailed_codes_open_is_theirs(client: Client, provider: OpenIdCounterpart) -> None:
    account = await client.shell.accounts.create("hana@example.com", "花")
    assert (await sign_in(client, provider)).header("location") == "/example/"
    assert [one.issuer for one in await client.shell.accounts.identities.of(account.id)] == [provider.issuer]


async def test_an_account_with_a_password_is_tied_by_its_owner_alone(
    client: Client, provider: OpenIdCounterpart
) -> None:
    accounts = client.shell.accounts
    account = await accounts.create("hana@example.com", "花")
    await accounts.set_password(account.id, "correct horse battery")
    answer = await sign_in(client, provider)
    assert (answer.header("location") or "").startswith("/sign-in?email=hana")
    assert (await client.get("/account")).status == 303, "the provider's word alone opens nothing"
    assert await accounts.identities.of(account.id) == []
    fields = {"email": "hana@example.com", "password": "correct horse battery", "next": "/sign-in/openid/link"}
    assert (await client.post("/sign-in", fields)).header("location") == "/sign-in/openid/link"
    assert "会社のID" in (await client.get("/sign-in/openid/link")).text
    assert (await client.post("/sign-in/openid/link", {})).header("location") == "/example/"
    assert (await sign_in(client.another(), provider)).header("location") == "/example/"
    (link,) = await accounts.identities.of(account.id)
    assert "会社のID" in (await client.get("/account")).text
    await client.post("/account/identities/delete", {"hash": link.hash})
    assert await accounts.identities.of(account.id) == []


async def test_a_provider_that_is_silent_or_somebody_else_is_told(
    client: Client, served: tuple[Served, OpenIdCounterpart]
) -> None:
    served[0].faults.down = True
    assert (await client.get("/sign-in/openid")).status == 503
    good = {
        "issuer": "https://id.example",
        "authorization_endpoint": "https://id.example/a",
        "token_endpoint": "https://id.example/t",
        "jwks_uri": "https://id.example/k",
    }
    assert not endpoints_of("https://id.example", good).in_body
    assert endpoints_of("https://id.example", {**good, "token_endpoint_auth_methods_supported": ["x"]}).in_body
    for wrong in ({"issuer": "https://other"}, {"token_endpoint": "http://id.example/t"}, {"jwks_uri": None}):
        with pytest.raises(ProviderSilent):
            endpoints_of("https://id.example", {**good, **wrong})
