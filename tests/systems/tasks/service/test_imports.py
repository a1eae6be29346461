"""Imports: what was shown is what happens, once."""

from __future__ import annotations

import pytest

from sekkei_systems.tasks.design import every_task, import_run, totals
from sekkei_systems.tasks.refusals import BadText, TooLarge
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.foreign import Board, ForeignTask, read
from tests.systems.tasks.boards import TRELLO, trello, vikunja
from tests.systems.tasks.conftest import World


async def test_a_board_comes_in_once(world: World) -> None:
    team = await world.team("ren")
    db, aoi = world.opened.context.db, await world.admin("aoi", team.team_id)
    board = read(trello())
    preview = await world.service.imports.preview(aoi, board)
    assert ([one.draft.title for one in preview.new], preview.there) == (
        ["水道の連絡", "段ボールを買う", "鍵を返す"],
        0,
    )
    assert preview.new_tags == ("急ぎ", "green")
    assert preview.left["strangers"] == 1
    assert (await db.need(totals(team.team_id).consistent())).todo == 0, "nothing is written yet"
    assert await world.service.imports.take_in(aoi, board) == 3
    assert await world.service.imports.take_in(aoi, board) == 0
    counted = await db.need(totals(team.team_id).consistent())
    assert (counted.todo, counted.doing, counted.done) == (1, 1, 1)
    await world.settle()
    (box,) = [one for one in await db.all(every_task(team.team_id)) if one.title == "段ボールを買う"]
    assert (box.assignee, box.description, len(box.tags)) == ("ren", "**20枚**", 2)
    plan = await world.service.plans.get(aoi, box.task_id)
    assert [(check.text, check.done) for check in plan.checks] == [("小さい箱", True), ("大きい箱", False)]


async def test_a_later_file_of_the_same_board_brings_what_is_new(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    await world.service.imports.take_in(aoi, read(trello()))
    more = {"id": "c9", "name": "あとから", "idList": "l1", "pos": 9}
    later = read(trello(cards=[*TRELLO["cards"], more, more]))
    preview = await world.service.imports.preview(aoi, later)
    assert ([one.draft.title for one in preview.new], preview.there) == (["あとから"], 3)
    assert await world.service.imports.take_in(aoi, later) == 1
    assert await world.service.imports.take_in(aoi, read(vikunja())) == 2


async def test_members_bring_tasks_but_no_tags(world: World) -> None:
    team = await world.team("ren")
    ren = await world.member("ren", team.team_id)
    preview = await world.service.imports.preview(ren, read(trello()))
    assert (preview.new_tags, preview.left["new-tags"]) == ((), 2)
    assert await world.service.imports.take_in(ren, read(trello())) == 3
    assert await world.service.tags.all(ren) == []


async def test_what_was_forged_is_refused_before_anything_is_stored(world: World) -> None:
    team = await world.team()
    aoi, db = await world.admin("aoi", team.team_id), world.opened.context.db
    for wrong, refusal in (
        (ForeignTask("x/1", TaskDraft("長" * 201)), BadText),
        (ForeignTask("x/1", TaskDraft("多"), tags=tuple(map(str, range(11)))), TooLarge),
        (ForeignTask("x/1", TaskDraft("多"), checks=(("一", True),) * 101), TooLarge),
        (ForeignTask("x/1", TaskDraft("長"), checks=(("一" * 201, True),)), BadText),
    ):
        with pytest.raises(refusal):
            await world.service.imports.begin(aoi, Board("x", "x", [ForeignTask("x/0", TaskDraft("よい")), wrong]))
    request = {
        "TableName": db.table_name(import_run(team.team_id, "x").entity.table),
        "KeyConditionExpression": "PK = :team AND begins_with(SK, :import)",
        "ExpressionAttributeValues": {":team": {"S": f"TEAM#{team.team_id}"}, ":import": {"S": "IMPORT"}},
    }
    assert (await db.store.call("Query", request))["Items"] == []
