"""The list: many at once, and back."""

from __future__ import annotations

import re

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_task, new_team, offered, upload


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


async def test_what_was_done_to_many_is_undone_by_the_button_in_the_message(client: Client) -> None:
    team = await new_team(client)
    await upload(client, team, "タイトル\nい\nろ\nは\n".encode())
    ids = re.findall(r'name="tasks" value="(\w+)"', (await client.get(f"{team}/tasks")).text)
    done = await client.post(f"{team}/bulk", {"tasks": ids, "status": "done", "action": "change"}, follow=True)
    back = await client.post(offered(done.text), follow=True)
    assert "3件を元に戻しました。" in back.text
    assert back.text.count('name="tasks"') == 3
    gone = await client.post(f"{team}/bulk", {"tasks": ids[:2], "action": "delete"}, follow=True)
    assert gone.text.count('name="tasks"') == 1
    assert (await client.post(offered(gone.text), follow=True)).text.count('name="tasks"') == 3
    assert (await client.post(f"{team}/batches/none/undo")).status == 404


# What is late.


async def test_late_work_stands_under_its_reason(client: Client) -> None:
    team = await new_team(client)
    assert (await client.get(f"{team}/late")).text.count("ありません。順調です。") == 2
    await new_task(client, team, title="遅い", end="2025-01-01", status="doing")
    shown = (await client.get(f"{team}/late")).text
    assert "遅い</a>" in shown
    assert "終了日を過ぎた未完了" in shown
    assert "遅い</a>" in (await client.get(f"{team}/late?late=doing")).text


# The trash's page.


async def test_a_deleted_task_is_in_the_trash_and_comes_back(client: Client) -> None:
    team = await new_team(client)
    task = await new_task(client, team, title="うっかり")
    await client.post(f"{task}/delete")
    assert (await client.get(task)).status == 404
    assert "うっかり" not in (await client.get(team)).text
    shown = (await client.get(f"{team}/trash")).text
    assert "うっかり" in shown
    assert "&lt;time" not in shown, "the moment is words, not markup"
    back = task.replace("/tasks/", "/trash/").replace("/trash/", "/tasks/", 1)
    assert (await client.post(f"{back}/back")).location == task
    assert "うっかり" in (await client.get(task)).text
    await client.post(f"{task}/delete")
    await client.post(f"{back}/purge")
    assert "ゴミ箱は空です" in (await client.get(f"{team}/trash")).text
