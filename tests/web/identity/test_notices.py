"""Whoever did not do it learns of it."""

from __future__ import annotations

import pytest

from sekkei.runtime.design import newest_messages
from sekkei.web.testing import Client, opened
from tests.web.example import SYSTEM


async def told(client: Client) -> list[str]:
    page = await client.shell.deployment.runtime.page(newest_messages(), size=5)
    return [message.body["text"] for message in page.items if message.to == "aoi@demo.example"]


@pytest.mark.parametrize(
    ("path", "fields", "words"),
    [
        ("/account/password", {"password": "correct horse"}, "パスワードが変更され"),
        ("/account/tokens", {"name": "x"}, "APIトークンが作られました"),
        ("/account/passkeys/delete", {"credential": "x"}, "パスキーが削除されました"),
        ("/account/authenticator/remove", {}, "認証アプリの設定が外されました"),
    ],
)
async def test_a_mail_tells_of_it_without_a_secret(path: str, fields: dict[str, str], words: str) -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        assert (await client.post(path, fields)).status in (200, 303)
        (text,) = await told(client)
        assert words in text
        assert "http://127.0.0.1:8000/account" in text
        assert "sekkei_" not in text


async def test_what_was_refused_is_not_told() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        assert (await client.post("/account/password", {"password": "short"})).status == 422
        assert await told(client) == []


async def test_signing_out_clears_what_was_kept_on_the_device() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        assert (await client.post("/sign-out")).header("clear-site-data") == '"cache", "storage"'
