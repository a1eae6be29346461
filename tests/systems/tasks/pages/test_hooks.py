"""Webhooks on their pages: the secret is shown once, what is wrong stands beside its field."""

from __future__ import annotations

import re

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_team


async def test_the_secret_is_shown_once(client: Client) -> None:
    team = await new_team(client)
    fields = {"url": "http://127.0.0.1:9/in", "events": ["task.done", "comment.created"]}
    made = await client.post(f"{team}/webhooks", fields)
    assert made.status == 200
    found = re.search(r"whsec_[\w+/=]+", made.text)
    assert found is not None
    listed = (await client.get(f"{team}/webhooks")).text
    assert found[0] not in listed
    assert "http://127.0.0.1:9/in" in listed
    (log,) = set(re.findall(rf"{team}/webhooks/\w+", listed))
    tested = await client.post(f"{log}/test", follow=True)
    assert "テストを送ります。" in tested.text
    assert "送信待ち" in tested.text
    assert (
        await client.post(log, {"url": "http://127.0.0.1:9/new", "events": ["task.done"]}, follow=True)
    ).status == 200
    await client.work()  # nobody listens at that address
    await client.post(f"{log}/test")
    await client.work()
    failing = (await client.get(log)).text
    assert "から届いていません" in failing
    assert "&lt;time" not in failing
    deleted = await client.post(f"{log}/delete", follow=True)
    assert "まだ送信先はありません。" in deleted.text


async def test_what_is_wrong_stands_beside_its_field(client: Client) -> None:
    team = await new_team(client)
    for fields, words in (
        ({"url": "x", "events": ["task.done"]}, "https:// のアドレスを入力してください。"),
        ({"url": "http://127.0.0.1:9/in"}, "1つ以上選んでください。"),
    ):
        reply = await client.post(f"{team}/webhooks", fields)
        assert reply.status == 422
        assert words in reply.text
