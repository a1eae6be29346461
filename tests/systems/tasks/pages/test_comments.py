"""Comments on a page: written, edited and deleted by their author."""

from __future__ import annotations

import re

from sekkei.web import Redirect
from sekkei.web.testing import Client
from sekkei_systems.tasks.pages.comments import delete
from sekkei_systems.tasks.rules.drafts import TaskDraft
from tests.systems.tasks.conftest import World
from tests.systems.tasks.pages.site import new_task, new_team


async def test_a_comment_is_edited_and_deleted(client: Client) -> None:
    task = await new_task(client, await new_team(client))
    await client.post(f"{task}/comments", {"text": "はじめ"})
    found = re.search(r'data-edit-comment="([^"]+)"', (await client.get(task)).text)
    assert found is not None
    assert "はじめ" in (await client.get(found[1])).text
    assert (await client.post(found[1], {"text": " "})).status == 422
    await client.post(found[1], {"text": "直した"})
    shown = (await client.get(f"{task}/comments")).text
    assert "直した" in shown
    assert "編集済み" in shown
    assert "はじめ" not in shown
    assert (await client.post(f"{found[1]}/delete")).location == task
    assert "まだコメントはありません" in (await client.get(f"{task}/comments")).text


async def test_deleting_goes_back_to_the_task(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    task = await world.service.tasks.create(aoi, TaskDraft("仕事"))
    said = await world.service.comments.add(aoi, task.task_id, "消す")
    answer = await delete(aoi, world.service.comments, task.task_id, said.comment_id)
    assert answer == Redirect("tasks:task", team_id=team.team_id, task_id=task.task_id).flash("comment.deleted")


async def test_the_comments_alone_show_whom_they_call(client: Client) -> None:
    """As on the whole page, though the team around them is not read."""
    task = await new_task(client, await new_team(client))
    await client.post(f"{task}/comments", {"text": "@佐藤 葵 **見て**"})
    written = re.compile(r'<div class="prose">.*?</div>', re.DOTALL)
    (alone,) = written.findall((await client.get(f"{task}/comments")).text)
    assert alone in written.findall((await client.get(task)).text)
    assert '<span class="mention">@佐藤 葵</span>' in alone
