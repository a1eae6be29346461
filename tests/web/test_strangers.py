"""What a stranger tries on a public address: headers that lie, winding paths, bodies that crush, ways to elsewhere."""

from __future__ import annotations

import base64
import gzip
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from sekkei.web.middleware import SESSION_COOKIE
from sekkei.web.testing import Client, opened, test_settings
from tests.web.example import SYSTEM

HOST, PUBLIC = "sekkei.example", "https://sekkei.example"
LIES = [
    {},
    {"x-forwarded-for": "127.0.0.1", "x-forwarded-host": "127.0.0.1", "x-forwarded-proto": "http"},
    {"forwarded": "for=127.0.0.1;host=localhost;proto=http", "x-real-ip": "127.0.0.1", "client-ip": "127.0.0.1"},
    {"x-original-url": "/console/tables", "x-rewrite-url": "/console/tables", "x-forwarded-prefix": "/console"},
]
WINDING = [
    "/console/tables",
    "//console/tables",
    "/console//tables",
    "/x/../console/tables",
    "/./console/tables",
    "/console;/tables",
    "/console/..;/console/tables",
    "/console%2ftables",
    "/CONSOLE/tables",
]
ELSEWHERE = [
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https:evil.example",
    "https://evil.example",
    "/\t/evil.example",
    "\t//evil.example",
    "/\n/evil.example",
    "javascript:alert(1)",
    "/\u2028/evil.example",
    "evil.example",
]


@pytest.fixture
async def stranger() -> AsyncIterator[Client]:
    """Nobody, from far away, on a site that was opened with its demo."""
    async with opened(SYSTEM, settings=test_settings(public_url=PUBLIC)) as client:
        yield client.another(host=HOST, address="203.0.113.9")


@pytest.mark.parametrize("lies", LIES, ids=lambda lies: next(iter(lies), "none"))
async def test_no_header_and_no_winding_path_opens_the_console(stranger: Client, lies: dict[str, str]) -> None:
    for path in WINDING:
        reply = await stranger.get(path, headers=lies)
        assert reply.status in (303, 404), path
        assert not reply.location or reply.location.startswith("/sign-in?"), path
    assert 'action="/demo/' not in (await stranger.get("/sign-in", headers=lies)).text


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "sekkei.example.evil.example",
        "sekkei.example@evil.example",
        "evil.example@sekkei.example",
        "sekkei.example:evil",
        "sekkei.example#",
        "sekkei.example/x",
        "sekkei.example, evil.example",
        "sekkei.example:443:443",
        "sekkei.example:99999999",
        "127.1",
        "[::1",
    ],
)
async def test_only_a_plain_name_of_ours_is_a_host(stranger: Client, host: str) -> None:
    assert (await stranger.another(host=host).get("/sign-in")).status == 421


@pytest.mark.parametrize(
    "host", [HOST, "SEKKEI.example", "sekkei.example:443", "127.0.0.1:8000", "[::1]:8000", "localhost"]
)
async def test_our_names_are_heard_with_and_without_a_port(stranger: Client, host: str) -> None:
    assert (await stranger.another(host=host).get("/sign-in")).status == 200


BODIES = {
    "lists in lists": b"[" * 100_000,
    "objects in objects": b'{"a":' * 50_000,
    "closed": b'{"text":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "a long number": b'{"text":' + b"9" * 50_000 + b"}",
    "half a character": b'{"text":"\\ud800"}',
    "not UTF-8": bytes(range(256)),
    "UTF-16": '{"text":"x"}'.encode("utf-16"),
    "compressed": gzip.compress(b'{"text":"' + b"x" * 900_000 + b'"}'),
    "nothing": b"",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
async def test_a_body_that_crushes_is_refused(stranger: Client, body: bytes) -> None:
    await stranger.sign_in()
    token = await stranger.token()
    for kind in ("application/json", "text/plain", "application/xml", ""):
        headers = {"content-type": kind, "x-csrf-token": token, "accept": "application/json"}
        reply = await stranger.request("POST", "/example/api/notes", body, headers)
        assert reply.status == 422, (kind, reply.text)


async def test_no_other_method_hides_in_a_request(stranger: Client) -> None:
    await stranger.sign_in()
    override = {"x-http-method-override": "DELETE", "x-method-override": "DELETE", "x-http-method": "DELETE"}
    assert (await stranger.request("GET", "/account?_method=POST", b"", override)).status == 200
    assert (await stranger.request("TRACE", "/account")).status == 405
    assert (await stranger.request("CONNECT", "/account")).status == 405


@pytest.mark.parametrize("next", ELSEWHERE)
async def test_whatever_is_next_is_a_page_of_ours(stranger: Client, next: str) -> None:
    """Of every form that goes on to somewhere."""
    await stranger.shell.accounts.create("a@example.com", "A")
    account = await stranger.shell.accounts.by_email("a@example.com")
    assert account is not None
    await stranger.shell.accounts.set_password(account.id, "correct horse battery")
    fields = {"email": "a@example.com", "password": "correct horse battery", "next": next}
    signed_in = await stranger.post("/sign-in", fields)
    assert (signed_in.status, signed_in.location) == (303, "/")
    proved = await stranger.post("/prove", {"password": "correct horse battery", "next": next})
    assert (proved.status, proved.location) == (303, "/")
    again = await stranger.get(f"/sign-in?next={quote(next)}")
    assert not again.location or again.location == "/"
    assert "evil.example" not in (await stranger.get(f"/prove?next={quote(next)}")).text.partition("<main")[2]


async def test_a_token_of_another_browser_is_none(stranger: Client) -> None:
    other = stranger.another()
    await other.sign_in("demo-ren")
    theirs = await other.token()
    assert (await stranger.post("/sign-in", {"email": "x@example.com", "password": "x"}, token=theirs)).status == 403
    await stranger.sign_in()
    for token in (theirs, "", "0" * 128, theirs[:-1], "zz"):
        assert (await stranger.post("/account/name", {"name": "mine"}, token=token)).status == 403


async def test_a_cookie_that_was_changed_or_planted_is_nobody(stranger: Client) -> None:
    await stranger.sign_in()
    good = stranger.cookies[SESSION_COOKIE]
    account, _, secret = good.partition(".")
    for planted in (
        account,
        f"{account}.",
        f"{account}.{'x' * len(secret)}",
        f"demo-ren.{secret}",
        good + "x",
        "." * 40,
    ):
        reply = await stranger.another(cookies={SESSION_COOKIE: planted}).get("/account")
        assert (reply.status, reply.location) == (303, "/sign-in?next=%2Faccount"), planted


def _jwt(*parts: bytes) -> str:
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


BEARERS = [
    "x",
    "a.b.c",
    _jwt(*[b"[" * 20_000] * 3),
    _jwt(*[b'{"alg":' * 8_000] * 3),
    _jwt(b'{"alg":"none"}', b'{"sub":"demo-aoi"}', b""),
    _jwt(b'{"alg":"HS256","typ":"JWT"}', b'{"a":' * 8_000, b"x" * 32),
    _jwt(b'{"alg":"HS256","crit":["x"],"kid":[]}', b"[]", b""),
    "sekkei_demo-aoi." + "x" * 43,
    "sekkei_" + "x" * 5_000,
    "\u00e9\u00ff",
]


PROVIDER = {"oidc_issuer": "https://id.example", "oidc_audience": "a", "oidc_jwks_url": "https://127.0.0.1:9/keys"}


@pytest.mark.parametrize("provider", [{}, PROVIDER], ids=["alone", "with a provider"])
async def test_a_bearer_token_that_means_nothing_is_refused(provider: dict[str, str]) -> None:
    settings = test_settings(public_url=PUBLIC, values=provider)
    async with opened(SYSTEM, settings=settings) as client:
        for bearer in BEARERS:
            stranger = client.another(host=HOST, address="203.0.113.9", bearer=bearer)
            assert (await stranger.json("GET", "/example/api/notes")).status == 401, bearer[:80]
