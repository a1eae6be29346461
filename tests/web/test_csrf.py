"""Unsafe requests that no page of ours has made."""

from __future__ import annotations

import pytest

from sekkei.web.testing import Client, opened
from tests.web.example import SYSTEM
from tests.web.example.design import notes_of


async def written(client: Client) -> int:
    return len(await client.shell.deployment.systems["example"].context.db.all(notes_of("demo-aoi")))


async def test_a_form_without_the_token_changes_nothing() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        for forged in ("", "0" * 64, "ü"):
            reply = await client.post("/example/", {"text": "x"}, token=forged)
            assert reply.status == 403
            assert "読み込み直して" in reply.text
        assert await written(client) == 0
        assert (await client.post("/example/", {"text": "x"})).status == 303
        assert await written(client) == 1


async def test_a_token_is_good_for_its_own_session_only() -> None:
    async with opened(SYSTEM) as client:
        stranger = client.another()
        visitors = await stranger.token()
        await stranger.sign_in("demo-ren")
        theirs = await stranger.token()
        await client.sign_in("demo-aoi")
        for forged in (visitors, theirs):
            assert (await client.post("/example/", {"text": "x"}, token=forged)).status == 403
        assert await written(client) == 0


async def test_json_needs_the_token_too_and_is_refused_as_a_problem() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        reply = await client.json("POST", "/example/api/notes", {"text": "x"}, token="")
        assert reply.status == 403
        assert reply.header("content-type") == "application/problem+json"
        assert reply.json()["code"] == "csrf"
        assert await written(client) == 0
        assert (await client.json("POST", "/example/api/notes", {"text": "x"})).status == 201


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8000.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
async def test_another_origin_is_refused_even_with_the_token(headers: dict[str, str]) -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        reply = await client.json("POST", "/example/api/notes", {"text": "x"}, headers=headers)
        assert reply.status == 403
        assert await written(client) == 0


async def test_our_own_origin_is_fine() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        headers = {"Origin": "http://127.0.0.1:8000", "Sec-Fetch-Site": "same-origin"}
        assert (await client.json("POST", "/example/api/notes", {"text": "x"}, headers=headers)).status == 201


async def test_somebody_who_is_not_signed_in_needs_the_double_submitted_token() -> None:
    async with opened(SYSTEM) as client:
        token = await client.token()
        assert (await client.post("/sign-in", {"email": "a@b.example"}, token="")).status == 403
        assert (await client.another().post("/sign-in", {"email": "a@b.example"}, token=token)).status == 403
        assert (await client.post("/sign-in", {"email": "a@b.example"}, token=token)).status == 422


async def test_a_token_in_the_address_does_not_count() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        token = await client.token()
        reply = await client.request("POST", f"/example/?_csrf={token}&text=x")
        assert reply.status == 403


async def test_a_multipart_form_carries_the_token_as_well() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        token = await client.token()
        parts = "".join(
            f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in {"_csrf": token, "text": "x"}.items()
        )
        headers = {"Content-Type": "multipart/form-data; boundary=b", "Accept": "text/html"}
        assert (await client.request("POST", "/example/", f"{parts}--b--\r\n".encode(), headers)).status == 303
        forged = parts.replace(token, "0" * 64)
        assert (await client.request("POST", "/example/", f"{forged}--b--\r\n".encode(), headers)).status == 403
        assert await written(client) == 1


async def test_a_bearer_needs_no_token_and_a_webhook_neither() -> None:
    async with opened(SYSTEM) as client:
        account = await client.shell.accounts.create("p@example.com", "P")
        client.bearer = await client.shell.accounts.make_token(account.id, "test")
        assert (await client.json("POST", "/example/api/notes", {"text": "x"})).status == 201
        stranger = client.another()
        assert (await stranger.request("POST", "/example/hook", b"12345")).text == "5"
