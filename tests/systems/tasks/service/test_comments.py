"""Comments: no edit of the task, and their author's alone."""

from __future__ import annotations

import pytest

from sekkei_systems.tasks.refusals import NoSuchComment, NoSuchTask, NotYourComment
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from tests.lost import answer_lost
from tests.systems.tasks.conftest import World


async def test_a_comment_leaves_the_version_of_its_task_alone(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    ren = await world.member("ren", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事"))
    await world.service.comments.add(ren, made.task_id, "どうですか")
    changed = await world.service.tasks.change(aoi, made.task_id, TaskChanges(title="新しい"), seen=made.version)
    assert changed.title == "新しい"


async def test_only_its_author_edits_and_deletes_a_comment(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    ren = await world.member("ren", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事"))
    comments = world.service.comments
    said = await comments.add(ren, made.task_id, "はじめ")
    for attempt in (
        comments.change(aoi, made.task_id, said.comment_id, "乗っ取り"),
        comments.delete(aoi, made.task_id, said.comment_id),
    ):
        with pytest.raises(NotYourComment):
            await attempt
    world.clock.advance(60)
    edited = await comments.change(ren, made.task_id, said.comment_id, "直した @Aoi")
    assert (edited.text, edited.mentions) == ("直した @Aoi", {"aoi"})
    assert edited.edited_at is not None
    await comments.delete(ren, made.task_id, said.comment_id)
    assert list(await comments.all(aoi, made.task_id)) == []
    await world.settle()
    assert await world.service.tasks.comment_counts(aoi, [made.task_id]) == {}
    for gone in (
        comments.delete(ren, made.task_id, said.comment_id),
        comments.change(ren, made.task_id, said.comment_id, "x"),
    ):
        with pytest.raises(NoSuchComment):
            await gone


async def test_what_is_not_there_or_in_the_trash_is_not_talked_about(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事"))
    await world.service.trash.put(aoi, made.task_id)
    for task_id in (made.task_id, "never"):
        with pytest.raises(NoSuchTask):
            await world.service.comments.add(aoi, task_id, "x")
    await world.service.trash.take_back(aoi, made.task_id)
    await world.service.comments.add(aoi, made.task_id, "また")


async def test_a_comment_is_made_and_deleted_once_although_answers_are_lost(world: World) -> None:
    """It is edited in another window before its first one has its answer."""
    aoi = await world.admin("aoi", (await world.team()).team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事"))
    comments, db = world.service.comments, world.opened.context.db

    async def edit() -> None:
        (there,) = await comments.all(aoi, made.task_id)
        await comments.change(aoi, made.task_id, there.comment_id, "直した")

    with answer_lost(db, edit):
        said = await comments.add(aoi, made.task_id, "はじめ")
    assert [one.text for one in await comments.all(aoi, made.task_id)] == ["直した"]
    with answer_lost(db):
        await comments.delete(aoi, made.task_id, said.comment_id)
    assert list(await comments.all(aoi, made.task_id)) == []
