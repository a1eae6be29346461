"""The plan of a task, as a browser without scripts uses it."""

from __future__ import annotations

import re

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_task, new_team, offered


async def test_a_plan_is_made_step_by_step(client: Client) -> None:
    team = await new_team(client)
    await client.post(f"{team}/tasks", {"title": "先の仕事", "status": "done"})
    task = await new_task(client, team, title="後の仕事", description="**大事** TASK-1")
    page = (await client.get(task)).text
    assert f'<strong>大事</strong> <a href="{team}/n/1">TASK-1</a>' in page
    page = (await client.post(f"{task}/checks", {"text": "<b>甲"}, follow=True)).text
    check = re.search(rf"{task}/checks/(\w+)", page)
    assert check is not None
    assert "&lt;b&gt;甲" in page
    assert (
        'aria-checked="true"' in (await client.post(f"{task}/checks/{check[1]}", {"action": "done"}, follow=True)).text
    )
    gone = await client.post(f"{task}/checks/{check[1]}", {"action": "remove"}, follow=True)
    assert "aria-checked" not in gone.text
    page = (await client.post(f"{task}/blockers", {"by": "TASK-1"}, follow=True)).text
    assert "先の仕事" in page
    other = re.search(rf"{task}/blockers/(\w+)/remove", page)
    assert other is not None
    assert "互いに先になる" in (await client.post(f"{task}/blockers", {"by": "#2"}, follow=True)).text
    assert "そのタスクはありません" in (await client.post(f"{task}/blockers", {"by": "#9"}, follow=True)).text
    assert "先の仕事" not in (await client.post(f"{task}/blockers/{other[1]}/remove", follow=True)).text
    page = (await client.post(f"{task}/rule", {"rule": "weekly"}, follow=True)).text
    assert '<option value="weekly" selected>' in page
    assert "使えません" in (await client.post(f"{task}/rule", {"rule": "x"}, follow=True)).text
    assert "チェックリスト" in (await client.get(f"{task}/plan")).text


async def test_a_column_over_its_limit_is_seen(client: Client) -> None:
    team = await new_team(client)
    for _ in range(2):
        await client.post(f"{team}/tasks", {"title": "x", "status": "doing"})
    assert 'class="count over"' not in (await client.get(team)).text
    await client.post(f"{team}/limits", {"doing": "1", "todo": ""})
    assert 'class="count over"' in (await client.get(team)).text


# Subtasks on pages, as a browser without scripts uses them.


async def test_subtasks_are_added_ticked_and_taken_out(client: Client) -> None:
    team = await new_team(client)
    task = await new_task(client, team, title="引っ越し")
    page = (await client.post(f"{task}/subtasks", {"text": "<b>箱 !高"}, follow=True)).text
    found = re.search(rf"{task}/subtasks/(\w+)", page)
    assert found is not None
    assert "&lt;b&gt;箱" in page
    assert ">0 / 1</a>" in page
    child = f"{team}/tasks/{found[1]}"
    of_child = (await client.get(child)).text
    assert f'<a class="task-parent" href="{task}" title="親タスク:">TASK-1</a>' in of_child
    assert f"{child}/subtasks" not in of_child, "one level"
    page = (await client.post(f"{task}/subtasks/{found[1]}", {"action": "done"}, follow=True)).text
    assert ">1 / 1</a>" in page
    assert "サブタスクはすべて完了しました" in page
    closed = await client.post(f"{task}/move", {"status": "done", "next": task}, follow=True)
    assert "サブタスクはすべて完了しました" not in closed.text
    assert "このタスクも" not in closed.text
    page = (await client.post(f"{task}/subtasks/{found[1]}", {"action": "out"}, follow=True)).text
    assert (
        found[1]
        not in page.partition("</html>")[0]
        .partition("data-plan")[2]
        .partition("plan.title")[0]
        .partition("チェックリスト")[0]
    )
    history = (await client.get(f"{child}/activity")).text
    assert "親タスク: TASK-1 → なし" in history


async def test_a_task_joins_another_by_its_number(client: Client) -> None:
    team = await new_team(client)
    parent = await new_task(client, team, title="親")
    await client.post(f"{team}/tasks", {"title": "子"})
    child = (await client.get(f"{team}/n/2")).location
    assert "親タスクがありません" in (await client.post(f"{child}/parent", {"parent": "#9"}, follow=True)).text
    assert "自分自身の" in (await client.post(f"{child}/parent", {"parent": "2"}, follow=True)).text
    page = (await client.post(f"{child}/parent", {"parent": "task-1"}, follow=True)).text
    assert "TASK-1 親" in page
    assert "サブタスクなので" in (await client.post(f"{parent}/parent", {"parent": "TASK-2"}, follow=True)).text
    copied = await client.post(f"{child}/copy")
    assert "TASK-1 親" in (await client.get(copied.location)).text, "a copy is part of the same"
    listed = (await client.get(f"{team}/tasks?parent=TASK-1")).text
    assert ("TASK-2" in listed, "TASK-3" in listed, ">TASK-1<" in listed) == (True, True, False)
    assert "すべてのタスクに戻す" in listed
    board = (await client.get(f"{team}?parent=TASK-1&q=%E5%AD%90")).text
    assert (board.count('class="task-card"'), ">親</a>" in board) == (2, False)
    card = f"{team}/cards/{child.rpartition('/')[2]}"
    assert (await client.get(f"{card}?parent=TASK-1")).status == 200
    assert (await client.get(f"{card}?parent=TASK-2")).status == 204
    assert (
        "親タスク"
        not in (await client.post(f"{child}/parent", {"parent": ""}, follow=True))
        .text.partition("<details")[0]
        .partition("card prose")[2]
    )


async def test_closing_a_task_with_open_subtasks_is_told(client: Client) -> None:
    team = await new_team(client)
    task = await new_task(client, team, title="親")
    for text in ("一", "二"):
        await client.post(f"{task}/subtasks", {"text": text})
    saved = await client.post(task, {"title": "親", "status": "done", "seen": "1"}, follow=True)
    assert "サブタスクが2件残っています" in saved.text
    assert "サブタスクが" not in (await client.post(task, {"title": "親 2", "status": "done"}, follow=True)).text
    await client.post(f"{task}/move", {"status": "todo"})
    assert "サブタスクが2件残っています" in (await client.post(f"{task}/move", {"status": "done"}, follow=True)).text
    deleted = await client.post(f"{task}/delete", follow=True)
    child = (await client.get(f"{team}/n/2")).location
    assert "task-parent" not in (await client.get(child)).text
    await client.post(offered(deleted.text))
    assert "task-parent" in (await client.get(child)).text, "undo brings it back"
