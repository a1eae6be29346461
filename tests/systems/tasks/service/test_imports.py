"""Imports: what was shown is what happens, once."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.design import Database
from sekkei_systems.tasks.design import ImportRun, Task, every_task, import_run, parts_of, stored_tasks, totals
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import BadText, TooLarge
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.imports import Board, ForeignTask, read
from sekkei_systems.tasks.service.access import Member
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


# What the job makes of a file: everything once, wherever it is cut off.


MANY = 100


def many(program: str = "trello") -> Board:
    """Some of them long, with checklists and tags, as real boards are."""
    kinds = list(Status)
    return Board(
        program,
        "大きい",
        [
            ForeignTask(
                source=f"{program}/{at}" if program != "csv" else "",
                draft=TaskDraft(f"仕事{at:03}", "長い。" * (2_000 if at % 10 == 0 else 2), kinds[at % 3]),
                tags=(f"t{at % 7}",),
                people=("Ren",) if at % 2 else (),
                checks=(("一", True), ("二", False)) if at % 4 == 0 else (),
            )
            for at in range(MANY)
        ],
    )


class Cut(Exception):
    """The power is gone."""


async def whole(world: World, member: Member, run: ImportRun) -> list[Task]:
    """What an import that has ended has left."""
    db = world.opened.context.db
    ended = await world.service.imports.get(member, run.import_id)
    assert (ended.seen, ended.stopped, ended.ended is not None) == (MANY, False, True)
    assert await db.all(parts_of(member.team_id, run.import_id).consistent()) == []
    found = await db.all(stored_tasks(member.team_id).consistent())
    counted = await db.need(totals(member.team_id).consistent())
    assert sorted(one.title for one in found) == [f"仕事{at:03}" for at in range(MANY)]
    assert [counted.todo, counted.doing, counted.done] == [
        sum(one.status is status for one in found) for status in Status
    ]
    return found


@pytest.mark.parametrize("program", ["trello", "csv"])
async def test_an_import_that_is_cut_anywhere_goes_on_where_it_was(
    world: World, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """Before and after every transaction in turn."""
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    board = many(program)
    imports = world.service.imports
    names = sorted({name for one in board.tasks for name in one.tags})
    run = await imports.begin_with(aoi, program, board.name, board.tasks, names)
    transact, cuts, call = Database.transact, 0, 0

    async def cut(self: Database, *actions: Any, **options: Any) -> Any:
        nonlocal call
        call += 1
        if call == cuts:
            raise Cut()
        answer = await transact(self, *actions, **options)
        if call == -cuts:
            raise Cut()
        return answer

    monkeypatch.setattr(Database, "transact", cut)
    for moment in range(1, 9):
        for cuts in (moment, -moment):  # noqa: B007, what `cut` looks at
            call = 0
            try:
                await imports.step(aoi.team_id, run.import_id, "aoi")
            except Cut:
                pass
    cuts = 0
    while not (await imports.get(aoi, run.import_id)).ended:
        await imports.step(aoi.team_id, run.import_id, "aoi")
    await whole(world, aoi, run)
    assert len(await world.service.tags.all(aoi)) == 7


async def test_the_job_takes_it_in_and_two_workers_do_no_more(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    imports = world.service.imports
    run = await imports.begin(aoi, many())
    again = await imports.begin(aoi, many())
    await imports.step(aoi.team_id, run.import_id, "aoi")
    await world.settle()
    found = await whole(world, aoi, run)
    assert (await imports.get(aoi, run.import_id)).made + (await imports.get(aoi, again.import_id)).made == MANY
    assert {one.assignee for one in found} == {"ren", None}
    assert sorted(one.number or 0 for one in found)[0] == 1
    for job in (run, again):
        left = await world.opened.context.jobs.get(f"import/{job.import_id}")
        assert left is not None
        assert (left.finished, left.payload) == (True, {})


async def test_an_import_of_somebody_who_has_left_stops(world: World) -> None:
    team = await world.team("ren")
    aoi, ren = await world.admin("aoi", team.team_id), await world.member("ren", team.team_id)
    imports = world.service.imports
    run = await imports.begin(ren, many())
    await imports.step(team.team_id, run.import_id, "ren")
    await world.service.teams.remove(aoi, "ren")
    await world.settle()
    stopped = await imports.get(aoi, run.import_id)
    assert (stopped.stopped, 0 < stopped.made < MANY) == (True, True)
    assert await world.opened.context.db.all(parts_of(team.team_id, run.import_id).consistent()) == []


async def test_parts_of_a_task_find_it_in_an_earlier_part_of_the_file(world: World) -> None:
    """And in an earlier file, unless it has gone; undated tasks stay in the order of the file."""
    aoi = await world.admin("aoi", (await world.team()).team_id)
    imports, plans = world.service.imports, world.service.plans
    found = [
        ForeignTask(f"v/{at}", TaskDraft(f"仕事{at:02}"), parent="v/0" if at in (1, 30) else "v/31" if at == 5 else "")
        for at in range(32)
    ]
    await imports.take_in(aoi, Board("vikunja", "", found))
    await imports.take_in(
        aoi,
        Board(
            "vikunja",
            "",
            [
                *found,
                ForeignTask("v/40", TaskDraft("後"), parent="v/0"),
                ForeignTask("v/41", TaskDraft("迷"), parent="v/99"),
            ],
        ),
    )
    tasks = {one.title: one for one in await world.opened.context.db.all(stored_tasks(aoi.team_id).consistent())}
    family = (await plans.on_page(await plans.get(aoi, tasks["仕事00"].task_id))).family
    assert {one.title for one in family.children} == {"仕事01", "仕事30", "後"}
    assert (await plans.get(aoi, tasks["仕事05"].task_id)).parent == tasks["仕事31"].task_id
    assert (await plans.get(aoi, tasks["迷"].task_id)).parent is None
    in_order = [
        title for title in sorted(tasks, key=lambda title: tasks[title].number or 0) if title.startswith("仕事")
    ]
    assert [one for one in in_order if one != "仕事05"] == [f"仕事{at:02}" for at in range(32) if at != 5]
    by_number = [one.task_id for one in sorted(tasks.values(), key=lambda one: one.number or 0)][:15]
    assert by_number == sorted(by_number), "ids, by which a column is sorted, go with the file"
