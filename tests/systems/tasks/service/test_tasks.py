"""Tasks: every choice of statuses, dates, tags, lateness, and counters that are always right."""

from __future__ import annotations

import asyncio
import random
from datetime import date, timedelta
from itertools import combinations
from typing import Any

import pytest

from sekkei.design import Database
from sekkei.runtime.refusals import Changed
from sekkei_systems.tasks.design import Task, stored_tasks
from sekkei_systems.tasks.design.statuses import Order, Priority, Status
from sekkei_systems.tasks.refusals import NoSuchChange, NoSuchMember, NoSuchTag, NoSuchTask, Overwritten, TooLarge
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.rules.filters import Filter, Late
from sekkei_systems.tasks.service.access import Admin
from sekkei_systems.tasks.service.tasks import LIFE, Tasks
from tests.lost import answer_lost
from tests.systems.tasks.conftest import PURGING_ROUNDS, World

TODAY = date(2025, 11, 6)
SUBSETS = [frozenset(chosen) for size in (1, 2, 3) for chosen in combinations(Status, size)]


def _draft(number: int, chance: random.Random, tag_ids: list[str]) -> TaskDraft:
    start = None if chance.random() < 0.2 else TODAY + timedelta(days=chance.randrange(-10, 10))
    end = None if chance.random() < 0.2 else (start or TODAY) + timedelta(days=chance.randrange(0, 9))
    tags = frozenset(chance.sample(tag_ids, chance.randrange(0, len(tag_ids) + 1)))
    return TaskDraft(f"タスク {number}", start=start, end=end, status=chance.choice(list(Status)), tags=tags)


async def _many(world: World, team_id: str, count: int, tag_ids: list[str]) -> list[Task]:
    chance = random.Random(5)
    drafts = [_draft(n, chance, tag_ids) for n in range(count)]
    for at in range(0, count, 15):
        await world.service.tasks.create_together(team_id, "aoi", drafts[at : at + 15])
    await world.settle()
    return await _stored(world, team_id)


async def _stored(world: World, team_id: str) -> list[Task]:
    """What a scan of the team's own items says, without any index."""
    return await world.opened.context.db.all(stored_tasks(team_id))


async def _listed(world: World, team_id: str, wanted: Filter, size: int = 7) -> list[Task]:
    """All pages of a list."""
    found: list[Task] = []
    after = None
    while True:
        page = await world.service.tasks.page(await world.member("aoi", team_id), wanted, size=size, after=after)
        found += page
        if page.cursor is None:
            return found
        assert len(page) == size, "a page that is not the last is full"
        after = page.cursor


def _ids(tasks: list[Task]) -> set[str]:
    return {task.task_id for task in tasks}


async def test_every_choice_of_statuses_in_both_orders_equals_a_scan(world: World) -> None:
    team = await world.team()
    stored = await _many(world, team.team_id, 60, [])
    for statuses in SUBSETS:
        for by in Order:
            found = await _listed(world, team.team_id, Filter(statuses, by))
            assert _ids(found) == _ids([task for task in stored if task.status in statuses])
            dates = [(task.start if by is Order.START else task.end) or date.max for task in found]
            assert dates == sorted(dates)


async def test_undated_tasks_are_on_the_board_and_never_late(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("いつか"))
    await world.settle()
    column = await world.service.tasks.column(aoi, Status.TODO, Filter())
    assert [task.task_id for task in column] == [made.task_id]
    for late in Late:
        assert await _listed(world, team.team_id, Filter(late=late)) == []


async def test_lateness_is_measured_by_the_day_in_japan(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    yesterday, tasks = TODAY - timedelta(days=1), world.service.tasks
    not_begun = await tasks.create(aoi, TaskDraft("未着手", start=yesterday, end=TODAY))
    doing = await tasks.create(
        aoi,
        TaskDraft("着手済", start=yesterday, end=yesterday, status=Status.DOING),
    )
    overdue = await tasks.create(aoi, TaskDraft("期限切れ", end=yesterday))
    await tasks.create(aoi, TaskDraft("今日から", start=TODAY, end=TODAY))
    await tasks.create(aoi, TaskDraft("済", start=yesterday, end=yesterday, status=Status.DONE))
    await world.settle()
    found = {late: _ids(await _listed(world, team.team_id, Filter(late=late))) for late in Late}
    assert found == {
        Late.START: {not_begun.task_id},
        Late.FINISH: {doing.task_id, overdue.task_id},
        Late.DOING: {doing.task_id},
    }


async def test_tag_filters_fill_their_pages(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    tag_ids = [(await world.service.tags.add(aoi, name, "#2563eb")).tag_id for name in "abc"]
    stored = await _many(world, team.team_id, 80, tag_ids)
    wanted = {f"TAG#{tag}" for tag in tag_ids[:2]}
    for any_tag in (False, True):
        found = await _listed(
            world, team.team_id, Filter(frozenset(Status), tags=tuple(tag_ids[:2]), any_tag=any_tag), size=3
        )
        held = [task for task in stored if (wanted & task.tags if any_tag else wanted <= task.tags)]
        assert _ids(found) == _ids(held)
        assert len(held) > 6


async def test_search_does_not_mind_case_and_width(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("ＡＷＳ へ Deploy", description="手順書"))
    await world.service.tasks.create(aoi, TaskDraft("別の仕事"))
    await world.settle()
    for text in ("aws", "ＤＥＰＬＯＹ", "手順"):
        assert _ids(await _listed(world, team.team_id, Filter(text=text))) == {made.task_id}


async def test_concurrent_moves_leave_counters_equal_to_a_recount(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    stored = await _many(world, team.team_id, 20, [])
    chance = random.Random(3)

    async def flip(task_id: str, status: Status) -> None:
        await world.service.tasks.change(aoi, task_id, TaskChanges(status=status))

    count = 500 if "Embedded" in repr(type(world.deployment.store)) else 100
    moves = [flip(chance.choice(stored).task_id, chance.choice(list(Status))) for _ in range(count)]
    running = asyncio.Semaphore(50)

    async def bounded(move: object) -> None:
        async with running:
            await move  # type: ignore[misc]

    await asyncio.gather(*map(bounded, moves))
    totals = await world.service.teams.totals(aoi)
    counted = [task.status for task in await _stored(world, team.team_id)]
    assert (totals.todo, totals.doing, totals.done) == tuple(counted.count(status) for status in Status)
    assert not await world.jobs.recount(team.team_id)


async def test_a_move_changes_status_groups_and_counters_together(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("移動"))
    moved = await world.service.tasks.change(aoi, made.task_id, TaskChanges(status=Status.DONE))
    prefix = f"TEAM#{team.team_id}#Status#"
    assert (moved.group1, moved.group2, moved.group3) == (f"{prefix}doing_done", f"{prefix}done", f"{prefix}todo_done")
    totals = await world.service.teams.totals(aoi)
    assert (totals.todo, totals.doing, totals.done) == (0, 0, 1)


async def test_dates_and_tags_are_rewritten_and_removed(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    tag = await world.service.tags.add(aoi, "api", "#2563eb")
    made = await world.service.tasks.create(
        aoi, TaskDraft("日付", start=TODAY, end=TODAY, tags=frozenset({tag.tag_id}))
    )
    assert (made.start_sort, made.end_sort) == ("START#2025-11-06", "END#2025-11-06")
    changes = TaskChanges(start=None, end=None, tags=frozenset())
    await world.service.tasks.change(aoi, made.task_id, changes)
    key = {"PK": {"S": f"TEAM#{team.team_id}"}, "SK": {"S": f"TASK#{made.task_id}"}}
    answer = await world.deployment.store.call(
        "GetItem", {"TableName": "task-table-v3", "Key": key, "ConsistentRead": True}
    )
    item = answer["Item"]
    assert (item["start_sort_sk"], item["end_sort_sk"]) == ({"S": "START#9999-12-31"}, {"S": "END#9999-12-31"})
    assert not {"team_task_tagRef", "team_task_startTime", "team_task_endTime"} & set(item)


async def test_a_version_that_is_not_the_newest_is_refused(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("版"))
    await world.service.tasks.change(aoi, made.task_id, TaskChanges(title="新しい版"))
    with pytest.raises(Changed):
        await world.service.tasks.change(aoi, made.task_id, TaskChanges(title="古い版"), seen=made.version)
    assert (await world.service.tasks.get(aoi, made.task_id)).title == "新しい版"


async def test_unknown_tags_and_strangers_are_refused_and_nothing_is_stored(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    await world.arrive("ren")
    for draft, refusal in (
        (TaskDraft("x", tags=frozenset({"nope"})), NoSuchTag),
        (TaskDraft("x", assignee="ren"), NoSuchMember),
        (TaskDraft("x", tags=frozenset(map(str, range(11)))), TooLarge),
    ):
        with pytest.raises(refusal):
            await world.service.tasks.create(aoi, draft)
    assert await _stored(world, team.team_id) == []
    totals = await world.service.teams.totals(aoi)
    assert totals.todo == 0


async def test_deleting_counts_and_takes_the_comments_along(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    ren = await world.member("ren", team.team_id)
    tasks = world.service.tasks
    made = await tasks.create(aoi, TaskDraft("消す", status=Status.DOING))
    for text in ("一", "二"):
        world.clock.advance(1)
        await world.service.comments.add(ren, made.task_id, text)
    assert [one.text for one in await world.service.comments.all(aoi, made.task_id)] == ["一", "二"]
    await world.settle()
    assert await tasks.comment_counts(aoi, [made.task_id]) == {made.task_id: 2}
    await world.service.trash.put(aoi, made.task_id)
    assert (await world.service.teams.totals(aoi)).doing == 0
    await world.service.trash.purge(aoi, made.task_id)
    await world.settle()
    assert list(await world.service.comments.all(aoi, made.task_id)) == []
    assert (await world.service.teams.totals(aoi)).doing == 0
    with pytest.raises(NoSuchTask):
        await world.service.trash.put(aoi, made.task_id)
    with pytest.raises(NoSuchTask):
        await world.service.comments.add(ren, made.task_id, "もうない")


async def test_bulk_changes_say_what_could_not_be_changed(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = [await world.service.tasks.create(aoi, TaskDraft(f"{n}")) for n in range(3)]
    ids = [*(task.task_id for task in made), "gone"]
    done = await world.service.batches.change(aoi, ids, TaskChanges(status=Status.DONE))
    assert list(done.refused) == ["gone"]
    assert (await world.service.teams.totals(aoi)).done == 3
    assert list((await world.service.batches.delete(aoi, ids)).refused) == ["gone"]
    assert (await world.service.teams.totals(aoi)).done == 0
    assert all(task.deleted_at for task in await _stored(world, team.team_id))


# By hand


async def _column(world: World, team_id: str, status: Status) -> list[str]:
    await world.settle()
    page = await world.service.tasks.column(await world.member("aoi", team_id), status, Filter(hand=True))
    return [task.title for task in page]


async def test_cards_stay_where_people_put_them(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    tasks = world.service.tasks
    made = {}
    for title in "abcd":
        world.clock.advance(1)
        made[title] = (await tasks.create(aoi, TaskDraft(title))).task_id

    async def put(title: str, above: str, below: str, status: Status = Status.TODO) -> None:
        await tasks.place(aoi, made[title], status, made.get(above), made.get(below))

    assert await _column(world, team.team_id, Status.TODO) == ["a", "b", "c", "d"]
    await put("d", "a", "b")
    await put("a", "c", "")
    assert await _column(world, team.team_id, Status.TODO) == ["d", "b", "c", "a"]
    await put("c", "", "d")
    assert await _column(world, team.team_id, Status.TODO) == ["c", "d", "b", "a"]
    await put("b", "", "", Status.DOING)
    await put("d", "", "b", Status.DOING)
    assert await _column(world, team.team_id, Status.DOING) == ["d", "b"]
    totals = await world.service.teams.totals(aoi)
    assert (totals.todo, totals.doing) == (2, 2)
    world.clock.advance(1)
    await tasks.create(aoi, TaskDraft("e"))
    assert await _column(world, team.team_id, Status.TODO) == ["c", "a", "e"]


async def test_neighbours_that_have_moved_do_not_count(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    tasks = world.service.tasks
    a, b, c = [await tasks.create(aoi, TaskDraft(title)) for title in "abc"]
    await tasks.change(aoi, a.task_id, TaskChanges(status=Status.DONE))
    await tasks.place(aoi, c.task_id, Status.TODO, a.task_id, b.task_id)
    assert await _column(world, team.team_id, Status.TODO) == ["c", "b"]
    world.clock.advance(1)
    await tasks.place(aoi, c.task_id, Status.TODO, "gone", "gone too")
    assert await _column(world, team.team_id, Status.TODO) == ["b", "c"]


async def test_every_change_is_told_once_the_latest_first(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    ren = await world.member("ren", team.team_id)
    tasks = world.service.tasks
    made = await tasks.create(aoi, TaskDraft("仕事"))
    await tasks.change(ren, made.task_id, TaskChanges(status=Status.DOING, end=date(2025, 12, 1)))
    await world.service.comments.add(aoi, made.task_id, "見ました")
    await tasks.change(aoi, made.task_id, TaskChanges(priority=Priority.HIGH, description="詳しく"))
    await world.settle()
    told = await tasks.activity(ren, made.task_id)
    assert [(one.who_name, one.changes) for one in told] == [
        ("Aoi", {"priority": ["", "high"], "description": ["", ""]}),
        ("Ren", {"status": ["todo", "doing"], "end": ["", "2025-12-01"]}),
    ]


async def test_a_deleted_task_leaves_no_history(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事"))
    await world.service.tasks.change(aoi, made.task_id, TaskChanges(title="別の仕事"))
    await world.settle()
    assert len(await world.service.tasks.activity(aoi, made.task_id)) == 1
    await world.service.trash.put(aoi, made.task_id)
    await world.service.trash.purge(aoi, made.task_id)
    await world.settle()
    assert list(await world.service.tasks.activity(aoi, made.task_id)) == []


async def test_what_is_done_stands_by_when_it_was_done(world: World) -> None:
    """Not by its planned end."""
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    tasks = world.service.tasks
    late = await tasks.create(aoi, TaskDraft("先に終わった", end=TODAY + timedelta(days=9)))
    early = await tasks.create(aoi, TaskDraft("後で終わった", end=TODAY - timedelta(days=9)))
    for made in (late, early):
        world.clock.advance(60)
        await tasks.change(aoi, made.task_id, TaskChanges(status=Status.DONE))
    await world.settle()
    for wanted in (Filter(), Filter(hand=True)):
        column = await tasks.column(aoi, Status.DONE, wanted)
        assert [task.title for task in column] == ["後で終わった", "先に終わった"]
    opened = await tasks.change(aoi, late.task_id, TaskChanges(status=Status.TODO))
    assert opened.done_at is None


async def test_a_long_description_is_whole_wherever_it_is_read(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    tasks, long = world.service.tasks, "長い説明。" * 1_000
    made = await tasks.create(aoi, TaskDraft("x", long))
    assert made.description == long
    moved = await tasks.change(aoi, made.task_id, TaskChanges(status=Status.DONE))
    assert moved.description == long
    await world.settle()
    assert [task.description async for task in tasks.every(aoi)] == [long]
    other = await tasks.change(aoi, made.task_id, TaskChanges(description=long + "続き"))
    assert other.description == long + "続き", "only what stands beside the task is another"
    short = await tasks.change(aoi, made.task_id, TaskChanges(description="短い"))
    assert (short.description, short.has_more) == ("短い", None)
    assert [one.before for one in await tasks.activity(aoi, made.task_id)] == [long + "続き", long, None]


async def test_every_change_can_be_undone_and_the_undoing_too(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    tasks, long = world.service.tasks, "長い説明。" * 500
    made = await tasks.create(aoi, TaskDraft("はじめ", long, end=TODAY))
    moved = await tasks.change(aoi, made.task_id, TaskChanges(status=Status.DONE))
    edited = await tasks.change(aoi, made.task_id, TaskChanges(title="新しい", description="短い", end=None))
    back = await tasks.undo(aoi, made.task_id, edited.version)
    assert (back.title, back.description, back.end, back.status) == ("はじめ", long, TODAY, Status.DONE)
    undone = await tasks.undo(aoi, made.task_id, moved.version)
    assert (undone.status, undone.done_at) == (Status.TODO, None)
    assert (await world.service.teams.totals(aoi)).todo == 1
    again = await tasks.undo(aoi, made.task_id, undone.version)
    assert again.status is Status.DONE


async def test_what_somebody_changed_again_is_not_undone_over_their_head(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    tasks = world.service.tasks
    made = await tasks.create(aoi, TaskDraft("一"))
    first = await tasks.change(aoi, made.task_id, TaskChanges(title="二"))
    await tasks.change(aoi, made.task_id, TaskChanges(title="三"))
    with pytest.raises(Overwritten):
        await tasks.undo(aoi, made.task_id, first.version)
    with pytest.raises(NoSuchChange):
        await tasks.undo(aoi, made.task_id, 99)
    assert (await tasks.get(aoi, made.task_id)).title == "三"


# Many tasks at once, and all of them back.


async def _three(world: World) -> tuple[Admin, list[str]]:
    aoi = await world.admin("aoi", (await world.team()).team_id)
    drafts = [TaskDraft("甲"), TaskDraft("乙", status=Status.DOING), TaskDraft("丙", status=Status.DONE)]
    return aoi, [(await world.service.tasks.create(aoi, draft)).task_id for draft in drafts]


async def _statuses(world: World, aoi: Admin, ids: list[str]) -> list[str]:
    return [(await world.service.tasks.get(aoi, id)).status.value for id in ids]


async def test_a_change_of_many_is_taken_back_from_many(world: World) -> None:
    aoi, ids = await _three(world)
    done = await world.service.batches.change(aoi, [*ids, "gone"], TaskChanges(status=Status.DOING))
    assert (done.changed, list(done.refused)) == (3, ["gone"])
    assert await _statuses(world, aoi, ids) == ["doing"] * 3
    assert done.batch_id is not None
    back = await world.service.batches.undo(aoi, done.batch_id)
    assert (back.changed, back.refused) == (2, {}), "one of them had been there already"
    assert await _statuses(world, aoi, ids) == ["todo", "doing", "done"]
    totals = await world.service.teams.totals(aoi)
    assert (totals.todo, totals.doing, totals.done) == (1, 1, 1)


async def test_what_was_changed_again_since_stays(world: World) -> None:
    aoi, ids = await _three(world)
    done = await world.service.batches.change(aoi, ids, TaskChanges(status=Status.DONE))
    await world.service.tasks.change(aoi, ids[0], TaskChanges(status=Status.DOING))
    back = await world.service.batches.undo(aoi, done.batch_id or "")
    assert {id: type(why) for id, why in back.refused.items()} == {ids[0]: Overwritten}
    assert await _statuses(world, aoi, ids) == ["doing", "doing", "done"]


async def test_what_was_thrown_away_together_comes_back_together(world: World) -> None:
    aoi, ids = await _three(world)
    done = await world.service.batches.delete(aoi, [*ids, "gone"])
    assert (done.changed, list(done.refused)) == (3, ["gone"])
    with pytest.raises(NoSuchTask):
        await world.service.tasks.get(aoi, ids[0])
    await world.service.trash.purge(aoi, ids[2])
    back = await world.service.batches.undo(aoi, done.batch_id or "")
    assert (back.changed, list(back.refused)) == (2, [ids[2]])
    assert await _statuses(world, aoi, ids[:2]) == ["todo", "doing"]


async def test_nothing_changed_is_nothing_to_undo(world: World) -> None:
    aoi, ids = await _three(world)
    done = await world.service.batches.change(aoi, ids[:1], TaskChanges(status=Status.TODO))
    assert (done.changed, done.batch_id) == (1, None)
    with pytest.raises(NoSuchChange):
        await world.service.batches.undo(aoi, "none")


async def test_another_team_cannot_undo_it(world: World) -> None:
    aoi, ids = await _three(world)
    done = await world.service.batches.change(aoi, ids, TaskChanges(status=Status.DONE))
    other = await world.admin("mei", (await world.team(admin="mei")).team_id)
    with pytest.raises(NoSuchChange):
        await world.service.batches.undo(other, done.batch_id or "")


# The trash: thirty days, then nothing is left.


async def test_a_task_comes_back_as_it_was(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    tags = [await world.service.tags.add(aoi, name, "#2563eb") for name in "ab"]
    ids = frozenset(tag.tag_id for tag in tags)
    tasks, trash = world.service.tasks, world.service.trash
    made = await tasks.create(aoi, TaskDraft("戻す", "長" * 2_000, Status.DOING, tags=ids, assignee="ren"))
    await world.service.comments.add(aoi, made.task_id, "残る")
    await trash.put(aoi, made.task_id)
    await world.settle()
    assert [task.title for task in await trash.all(aoi)] == ["戻す"]
    assert (await world.service.teams.totals(aoi)).doing == 0
    assert list(await tasks.page(aoi, Filter(frozenset(Status)))) == []
    assert await world.service.people.work("ren") == []
    for attempt in (tasks.get(aoi, made.task_id), tasks.change(aoi, made.task_id, TaskChanges(title="x"))):
        with pytest.raises(NoSuchTask):
            await attempt
    back = await trash.take_back(aoi, made.task_id)
    await world.settle()
    assert TaskDraft.of(back) == TaskDraft.of(made)
    assert (await world.service.teams.totals(aoi)).doing == 1
    assert [one.text for one in await world.service.comments.all(aoi, made.task_id)] == ["残る"]
    assert [task.task_id for task in await tasks.page(aoi, Filter(frozenset(Status)))] == [made.task_id]
    assert list(await trash.all(aoi)) == []


async def test_what_went_meanwhile_does_not_come_back_with_it(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    tag = await world.service.tags.add(aoi, "a", "#2563eb")
    made = await world.service.tasks.create(aoi, TaskDraft("x", tags=frozenset({tag.tag_id}), assignee="ren"))
    await world.service.trash.put(aoi, made.task_id)
    await world.service.tags.delete(aoi, tag.tag_id)
    await world.service.teams.remove(aoi, "ren")
    await world.settle()
    back = await world.service.trash.take_back(aoi, made.task_id)
    assert (back.tags, back.assignee) == (frozenset(), None)


async def test_after_thirty_days_it_is_gone_with_all_that_belonged_to_it(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("x", "長" * 2_000))
    await world.service.comments.add(aoi, made.task_id, "x")
    await world.service.trash.put(aoi, made.task_id)
    world.clock.advance(LIFE.total_seconds() + 1)
    assert list(await world.service.trash.all(aoi)) == []
    with pytest.raises(NoSuchTask):
        await world.service.trash.take_back(aoi, made.task_id)
    assert not await world.jobs.recount(team.team_id)


async def test_purged_is_gone_at_once(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("x", "長" * 2_000))
    await world.service.comments.add(aoi, made.task_id, "x")
    with pytest.raises(NoSuchTask):
        await world.service.trash.purge(aoi, made.task_id)  # only what is in the trash
    await world.service.trash.put(aoi, made.task_id)
    with answer_lost(world.opened.context.db):
        await world.service.trash.purge(aoi, made.task_id)
    await world.settle(PURGING_ROUNDS)
    assert await world.opened.context.db.all(stored_tasks(team.team_id)) == []
    found = await world.deployment.store.call("Scan", {"TableName": "task-table-v3", "ConsistentRead": True})
    assert [item["SK"]["S"] for item in found["Items"] if made.task_id in item["SK"]["S"]] == []


async def test_a_version_that_is_not_the_newest_is_not_deleted(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("x"))
    await world.service.tasks.change(aoi, made.task_id, TaskChanges(title="y"))
    with pytest.raises(Changed):
        await world.service.trash.put(aoi, made.task_id, seen=made.version)
    assert (await world.service.tasks.get(aoi, made.task_id)).title == "y"


async def test_what_is_taken_back_meanwhile_stays(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by seed 155 of the world: it answered 500."""
    team = await world.team()
    aoi, trash = await world.admin("aoi", team.team_id), world.service.trash
    made = await world.service.tasks.create(aoi, TaskDraft("x"))
    await trash.put(aoi, made.task_id)
    write = Database.write

    async def overtaken(self: Database, *what: Any) -> Any:
        monkeypatch.setattr(Database, "write", write)
        await trash.take_back(aoi, made.task_id)
        return await write(self, *what)

    monkeypatch.setattr(Database, "write", overtaken)
    with pytest.raises(NoSuchTask):
        await trash.purge(aoi, made.task_id)
    assert (await world.service.tasks.get(aoi, made.task_id)).title == "x"


async def test_what_is_purged_before_its_deletion_is_answered_is_not_there(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by seed 10789 of the world: it answered 500."""
    team = await world.team()
    aoi, trash = await world.admin("aoi", team.team_id), world.service.trash
    made = await world.service.tasks.create(aoi, TaskDraft("x"))
    transact = Tasks._transact

    async def overtaken(self: Tasks, *what: Any) -> None:
        await transact(self, *what)
        await trash.purge(aoi, made.task_id)

    monkeypatch.setattr(Tasks, "_transact", overtaken)
    with pytest.raises(NoSuchTask):
        await trash.put(aoi, made.task_id)
