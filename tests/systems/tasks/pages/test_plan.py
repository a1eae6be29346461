"""The plan of a task, as a browser without scripts uses it."""

from __future__ import annotations

import re

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_task, new_team


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
