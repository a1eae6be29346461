"""The list: many at once."""

from __future__ import annotations

import re

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_team, upload


async def test_many_are_changed_from_the_list(client: Client) -> None:
    team = await new_team(client)
    await upload(client, team, "タイトル\nい\nろ\nは\n".encode())
    ids = re.findall(r'name="tasks" value="(\w+)"', (await client.get(f"{team}/tasks")).text)
    assert len(ids) == 3
    fields = {"tasks": ids[:2], "status": "done", "action": "change", "next": "https://evil.example/"}
    reply = await client.post(f"{team}/bulk", fields)
    assert reply.location == f"{team}/tasks"
    assert (await client.get(f"{team}/tasks?status=done")).text.count('name="tasks"') == 2
    await client.post(f"{team}/bulk", {"tasks": ids, "action": "delete"})
    assert "当てはまるタスクはありません" in (await client.get(f"{team}/tasks")).text
