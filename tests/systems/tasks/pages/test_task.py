"""One task, as a browser without scripts uses it."""

from __future__ import annotations

import re

import pytest

from sekkei.web import Redirect
from sekkei.web.testing import Client
from sekkei_systems.tasks.pages.task import delete_comment
from sekkei_systems.tasks.rules.drafts import TaskDraft
from tests.systems.tasks.conftest import World
from tests.systems.tasks.pages.site import new_task, new_team, offered


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


async def test_edits_of_different_fields_both_land(client: Client) -> None:
    team = await new_team(client)
    task = await new_task(client, team, description="はじめ")
    first = {"title": "仕事", "description": "はじめ", "seen": "1"}
    await client.post(task, {**first, "title": "先の人"})
    late = await client.post(task, {**first, "description": "後の人の説明"}, follow=True)
    assert late.status == 200
    assert "先の人" in late.text
    assert "後の人の説明" in late.text


async def test_edits_of_one_field_are_shown_side_by_side_and_nothing_typed_is_lost(client: Client) -> None:
    team = await new_team(client)
    task = await new_task(client, team)
    await client.post(task, {"title": "先の人", "seen": "1"})
    clash = await client.post(task, {"title": "後の人", "description": "長い説明", "seen": "1"})
    assert clash.status == 412
    assert "ほかの人も同じところを変更しました" in clash.text
    for shown in ("先の人", "後の人", "長い説明", 'name="seen" value="2"'):
        assert shown in clash.text
    again = {"title": "後の人", "description": "長い説明", "seen": "2"}
    for keep, title in (("title:both", "先の人 / 後の人"), ("title:theirs", "先の人"), ("title:mine", "後の人")):
        other = await new_task(client, await new_team(client))
        await client.post(other, {"title": "先の人", "seen": "1"})
        await client.post(other, {**again, "keep": keep})
        found = await client.json("GET", other.replace("/tasks/", "/tasks/api/", 1))
        assert (found.json()["title"], found.json()["description"]) == (title, "長い説明")


async def test_a_comment_is_no_edit(client: Client) -> None:
    """A colleague's comment, or one's own, is in nobody's way."""
    team = await new_team(client)
    task = await new_task(client, team)
    await client.post(f"{task}/comments", {"text": "どうですか"})
    saved = await client.post(task, {"title": "書き直した", "seen": "1"})
    assert saved.status == 303
    patch = await client.json(
        "PATCH", task.replace("/tasks/", "/tasks/api/", 1), {"title": "x"}, headers={"If-Match": '"2"'}
    )
    assert patch.status == 200


async def test_an_edit_a_move_and_a_deletion_are_undone_by_the_button_in_the_message(client: Client) -> None:
    team = await new_team(client)
    task = await new_task(client, team, description="前")
    saved = await client.post(task, {"title": "別の名", "description": "後", "seen": "1"}, follow=True)
    undone = await client.post(offered(saved.text), follow=True)
    assert 'value="仕事"' in undone.text
    redone = await client.post(offered(undone.text), follow=True)
    assert 'value="別の名"' in redone.text
    same = await client.post(task, {"title": "別の名", "description": "後"}, follow=True)
    assert "保存しました。" in same.text
    moved = await client.post(f"{task}/move", {"status": "done"}, follow=True)
    assert 'class="badge status-todo"' in (await client.post(offered(moved.text), follow=True)).text
    gone = await client.post(f"{task}/delete", follow=True)
    assert (await client.get(task)).status == 404
    assert (await client.post(offered(gone.text))).location == task
    assert (await client.get(task)).status == 200


async def test_a_number_is_an_address(client: Client) -> None:
    team = await new_team(client)
    task = await new_task(client, team)
    assert "TASK-1" in (await client.get(task)).text
    assert (await client.get(f"{team}/n/1")).location == task
    assert (await client.get(f"{team}/n/2")).status == 404
    reply = await client.post(f"{team}/settings", {"name": "x", "key": "9"})
    assert (reply.status, "8文字以内" in reply.text) == (422, True)


# Comments on a page: written, edited and deleted by their author.


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
    answer = await delete_comment(aoi, world.service.comments, task.task_id, said.comment_id)
    assert answer == Redirect("tasks:task", team_id=team.team_id, task_id=task.task_id).flash("comment.deleted")


async def test_the_comments_alone_show_whom_they_call(client: Client) -> None:
    """As on the whole page, though the team around them is not read."""
    task = await new_task(client, await new_team(client))
    await client.post(f"{task}/comments", {"text": "@佐藤 葵 **見て**"})
    written = re.compile(r'<div class="prose">.*?</div>', re.DOTALL)
    (alone,) = written.findall((await client.get(f"{task}/comments")).text)
    assert alone in written.findall((await client.get(task)).text)
    assert '<span class="mention">@佐藤 葵</span>' in alone
