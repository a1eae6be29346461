"""One task, as a browser without scripts uses it."""

from __future__ import annotations

import pytest

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_task, new_team


async def test_a_task_is_made_shown_changed_and_deleted(client: Client) -> None:
    team = await new_team(client)
    task = await new_task(client, team, start="2025-11-06", end="2025-11-07", description="一行目\r\n二行目")
    shown = await client.get(task)
    assert 'value="2025-11-06"' in shown.text
    saved = await client.post(task, {"title": "新しい名", "status": "doing", "seen": "1"}, follow=True)
    assert "新しい名" in saved.text
    assert 'value="2025-11-06"' not in saved.text
    assert (await client.post(f"{task}/move", {"status": "done"})).status == 303
    await client.post(f"{task}/comments", {"text": "<b>済み</b>"})
    assert "&lt;b&gt;済み&lt;/b&gt;" in (await client.get(task)).text
    copied = await client.post(f"{task}/copy")
    assert copied.location != task
    assert (await client.post(f"{task}/delete")).location == team
    assert (await client.get(task)).status == 404
    assert (await client.get(copied.location)).status == 200


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"title": "x", "start": "2025-02-30"}, "存在する日付を入力してください。"),
        ({"title": "x", "start": "2025-11-07", "end": "2025-11-06"}, "終了日は開始日以降にしてください。"),
        ({"title": ""}, "入力してください。"),
        ({"title": "x", "tags": "unknown"}, "存在しないタグです。"),
        ({"title": "x" * 201}, "200文字以下にしてください。"),
    ],
)
async def test_what_is_wrong_is_said_beside_the_field_and_nothing_is_stored(
    client: Client, fields: dict[str, str], words: str
) -> None:
    team = await new_team(client)
    reply = await client.post(f"{team}/tasks", {"description": "そのまま残る", **fields})
    assert reply.status == 422
    assert words in reply.text
    assert "そのまま残る" in reply.text
    assert "task-card" not in (await client.get(team)).text


async def test_a_form_that_is_out_of_date_changes_nothing(client: Client) -> None:
    team = await new_team(client)
    task = await new_task(client, team)
    await client.post(task, {"title": "先の人", "seen": "1"})
    late = await client.post(task, {"title": "後の人", "seen": "1"})
    assert late.status == 412
    assert "ほかの人が先に変更しました" in late.text
    assert "先の人" in (await client.get(team)).text
