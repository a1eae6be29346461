from __future__ import annotations

import re

import pytest

from sekkei.runtime.design import newest_messages
from sekkei.web.testing import Client
from tests.systems.lessons.steps import act


async def test_a_calendar_that_can_be_renewed_and_stopped(client: Client) -> None:
    await act(client, "book")

    async def feed() -> str:
        found = re.search(r"/lessons/api/me/calendar\.ics\?token=[\w-]+", (await client.get("/lessons/settings")).text)
        return found[0] if found else ""

    stranger = client.another()
    assert await feed() == ""
    await client.post("/lessons/settings/calendar")
    first = await feed()
    shown = await stranger.get(first)
    assert shown.header("content-type") == "text/calendar; charset=utf-8"
    assert "SUMMARY:BSL House 1" in shown.text
    assert "LOCATION:銀座" in shown.text
    await client.post("/lessons/settings/calendar")
    assert (await stranger.get(first)).status == 410
    second = await feed()
    assert (await stranger.get(second)).status == 200
    await client.post("/lessons/settings/calendar/stop")
    assert (await stranger.get(second)).status == 410
    assert await feed() == ""


@pytest.mark.parametrize("email", ["nobody", "a@example.com\nBcc: b@example.com", "a@example.com, b@example.com"])
async def test_notices_go_to_one_address(client: Client, email: str) -> None:
    reply = await client.post("/lessons/settings/addresses", {"channel": "mail", "address": email})
    assert reply.status == 422
    assert await client.shell.deployment.runtime.all(newest_messages()) == []


async def test_an_address_is_proven_on_the_page(client: Client) -> None:
    await client.post("/lessons/settings/addresses", {"channel": "mail", "address": "New@Example.com"})
    (message,) = await client.shell.deployment.runtime.all(newest_messages())
    assert message.to == "new@example.com"
    code = re.search(r"\b\d{6}\b", message.body["text"])
    assert code is not None
    wrong = await client.post("/lessons/settings/proof", {"channel": "mail", "code": "1"})
    assert (wrong.status, "コードが違います" in wrong.text) == (422, True)
    proven = await client.post("/lessons/settings/proof", {"channel": "mail", "code": code[0]}, follow=True)
    assert "宛先を確認しました" in proven.text
    kept = {"name": "葵", "channels": ["mail"], "topics": ["opening"], "quiet_from": "22:00", "quiet_until": "07:00"}
    assert (await client.post("/lessons/settings", kept)).status == 303
    page = (await client.get("/lessons/settings")).text
    assert "new@example.com" in page
    assert 'value="22:00"' in page
    assert (await client.post("/lessons/settings", {**kept, "channels": ["line"]})).status == 422
