"""Tasks: every choice of statuses, dates, tags, lateness, and counters that are always right."""

from __future__ import annotations

import asyncio
import random
from datetime import date, timedelta
from itertools import combinations

import pytest

from sekkei.runtime.refusals import Changed
from sekkei_systems.tasks.design import Task, stored_tasks
from sekkei_systems.tasks.refusals import NoSuchMember, NoSuchTag, NoSuchTask, TooLarge
from sekkei_systems.tasks.rules.drafts import Changes, Draft
from sekkei_systems.tasks.rules.filters import Filter, Late
from sekkei_systems.tasks.rules.statuses import Order, Status
from tests.systems.tasks.conftest import World

TODAY = date(2025, 11, 6)
SUBSETS = [frozenset(chosen) for size in (1, 2, 3) for chosen in combinations(Status, size)]


def _draft(number: int, chance: random.Random, tag_ids: list[str]) -> Draft:
    start = None if chance.random() < 0.2 else TODAY + timedelta(days=chance.randrange(-10, 10))
    end = None if chance.random() < 0.2 else (start or TODAY) + timedelta(days=chance.randrange(0, 9))
    tags = frozenset(chance.sample(tag_ids, chance.randrange(0, len(tag_ids) + 1)))
    return Draft(f"タスク {number}", start=start, end=end, status=chance.choice(list(Status)), tags=tags)


async def _many(world: World, team_id: str, count: int, tag_ids: list[str]) -> list[Task]:
    chance = random.Random(5)
    await world.service.tasks.create_many("aoi", team_id, [_draft(n, chance, tag_ids) for n in range(count)])
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
        page = await world.service.tasks.page("aoi", team_id, wanted, size=size, after=after)
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
    made = await world.service.tasks.create("aoi", team.team_id, Draft("いつか"))
    await world.settle()
    column = await world.service.tasks.column("aoi", team.team_id, Status.TODO, Filter())
    assert [task.task_id for task in column] == [made.task_id]
    for late in Late:
        assert await _listed(world, team.team_id, Filter(late=late)) == []


async def test_lateness_is_measured_by_the_day_in_japan(world: World) -> None:
    team = await world.team()
    yesterday, tasks = TODAY - timedelta(days=1), world.service.tasks
    not_begun = await tasks.create("aoi", team.team_id, Draft("未着手", start=yesterday, end=TODAY))
    doing = await tasks.create(
        "aoi", team.team_id, Draft("着手済", start=yesterday, end=yesterday, status=Status.DOING)
    )
    overdue = await tasks.create("aoi", team.team_id, Draft("期限切れ", end=yesterday))
    await tasks.create("aoi", team.team_id, Draft("今日から", start=TODAY, end=TODAY))
    await tasks.create("aoi", team.team_id, Draft("済", start=yesterday, end=yesterday, status=Status.DONE))
    await world.settle()
    found = {late: _ids(await _listed(world, team.team_id, Filter(late=late))) for late in Late}
    assert found == {
        Late.START: {not_begun.task_id},
        Late.FINISH: {doing.task_id, overdue.task_id},
        Late.DOING: {doing.task_id},
    }


async def test_tag_filters_fill_their_pages(world: World) -> None:
    team = await world.team()
    tag_ids = [(await world.service.teams.add_tag("aoi", team.team_id, name, "#2563eb")).tag_id for name in "abc"]
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
    made = await world.service.tasks.create("aoi", team.team_id, Draft("ＡＷＳ へ Deploy", description="手順書"))
    await world.service.tasks.create("aoi", team.team_id, Draft("別の仕事"))
    await world.settle()
    for text in ("aws", "ＤＥＰＬＯＹ", "手順"):
        assert _ids(await _listed(world, team.team_id, Filter(text=text))) == {made.task_id}


async def test_concurrent_moves_leave_counters_equal_to_a_recount(world: World) -> None:
    team = await world.team()
    stored = await _many(world, team.team_id, 20, [])
    chance = random.Random(3)

    async def flip(task_id: str, status: Status) -> None:
        await world.service.tasks.change("aoi", team.team_id, task_id, Changes(status=status))

    count = 500 if "Embedded" in repr(type(world.deployment.store)) else 100
    moves = [flip(chance.choice(stored).task_id, chance.choice(list(Status))) for _ in range(count)]
    running = asyncio.Semaphore(50)

    async def bounded(move: object) -> None:
        async with running:
            await move  # type: ignore[misc]

    await asyncio.gather(*map(bounded, moves))
    totals = await world.service.teams.totals("aoi", team.team_id)
    counted = [task.status for task in await _stored(world, team.team_id)]
    assert (totals.todo, totals.doing, totals.done) == tuple(counted.count(status) for status in Status)
    assert not await world.jobs.recount(team.team_id)


async def test_a_move_changes_status_groups_and_counters_together(world: World) -> None:
    team = await world.team()
    made = await world.service.tasks.create("aoi", team.team_id, Draft("移動"))
    moved = await world.service.tasks.change("aoi", team.team_id, made.task_id, Changes(status=Status.DONE))
    prefix = f"TEAM#{team.team_id}#Status#"
    assert (moved.group1, moved.group2, moved.group3) == (f"{prefix}doing_done", f"{prefix}done", f"{prefix}todo_done")
    totals = await world.service.teams.totals("aoi", team.team_id)
    assert (totals.todo, totals.doing, totals.done) == (0, 0, 1)


async def test_dates_and_tags_are_rewritten_and_removed(world: World) -> None:
    team = await world.team()
    tag = await world.service.teams.add_tag("aoi", team.team_id, "api", "#2563eb")
    made = await world.service.tasks.create(
        "aoi", team.team_id, Draft("日付", start=TODAY, end=TODAY, tags=frozenset({tag.tag_id}))
    )
    assert (made.start_sort, made.end_sort) == ("START#2025-11-06", "END#2025-11-06")
    changes = Changes(start=None, end=None, tags=frozenset())
    await world.service.tasks.change("aoi", team.team_id, made.task_id, changes)
    key = {"PK": {"S": f"TEAM#{team.team_id}"}, "SK": {"S": f"TASK#{made.task_id}"}}
    answer = await world.deployment.store.call(
        "GetItem", {"TableName": "task-table-v3", "Key": key, "ConsistentRead": True}
    )
    item = answer["Item"]
    assert (item["start_sort_sk"], item["end_sort_sk"]) == ({"S": "START#9999-12-31"}, {"S": "END#9999-12-31"})
    assert not {"team_task_tagRef", "team_task_startTime", "team_task_endTime"} & set(item)


async def test_a_version_that_is_not_the_newest_is_refused(world: World) -> None:
    team = await world.team()
    made = await world.service.tasks.create("aoi", team.team_id, Draft("版"))
    await world.service.tasks.change("aoi", team.team_id, made.task_id, Changes(title="新しい版"))
    with pytest.raises(Changed):
        await world.service.tasks.change("aoi", team.team_id, made.task_id, Changes(title="古い版"), seen=made.version)
    assert (await world.service.tasks.get("aoi", team.team_id, made.task_id)).title == "新しい版"


async def test_unknown_tags_and_strangers_are_refused_and_nothing_is_stored(world: World) -> None:
    team = await world.team()
    await world.arrive("ren")
    for draft, refusal in (
        (Draft("x", tags=frozenset({"nope"})), NoSuchTag),
        (Draft("x", assignee="ren"), NoSuchMember),
        (Draft("x", tags=frozenset(map(str, range(11)))), TooLarge),
    ):
        with pytest.raises(refusal):
            await world.service.tasks.create("aoi", team.team_id, draft)
    assert await _stored(world, team.team_id) == []
    totals = await world.service.teams.totals("aoi", team.team_id)
    assert totals.todo == 0


async def test_deleting_counts_and_takes_the_comments_along(world: World) -> None:
    team = await world.team("ren")
    tasks = world.service.tasks
    made = await tasks.create("aoi", team.team_id, Draft("消す", status=Status.DOING))
    for text in ("一", "二"):
        world.clock.advance(1)
        await tasks.comment("ren", team.team_id, made.task_id, text)
    assert [one.text for one in await tasks.comments("aoi", team.team_id, made.task_id)] == ["一", "二"]
    assert (await tasks.get("aoi", team.team_id, made.task_id)).comments == 2
    await tasks.delete("aoi", team.team_id, made.task_id)
    await world.settle()
    assert await tasks.comments("aoi", team.team_id, made.task_id) == []
    assert (await world.service.teams.totals("aoi", team.team_id)).doing == 0
    with pytest.raises(NoSuchTask):
        await tasks.delete("aoi", team.team_id, made.task_id)
    with pytest.raises(NoSuchTask):
        await tasks.comment("ren", team.team_id, made.task_id, "もうない")


async def test_bulk_changes_say_what_could_not_be_changed(world: World) -> None:
    team = await world.team()
    made = [await world.service.tasks.create("aoi", team.team_id, Draft(f"{n}")) for n in range(3)]
    ids = [*(task.task_id for task in made), "gone"]
    refused = await world.service.tasks.change_many("aoi", team.team_id, ids, Changes(status=Status.DONE))
    assert list(refused) == ["gone"]
    assert (await world.service.teams.totals("aoi", team.team_id)).done == 3
    assert list(await world.service.tasks.delete_many("aoi", team.team_id, ids)) == ["gone"]
    assert await _stored(world, team.team_id) == []


# By hand


async def _column(world: World, team_id: str, status: Status) -> list[str]:
    await world.settle()
    page = await world.service.tasks.column("aoi", team_id, status, Filter(hand=True))
    return [task.title for task in page]


async def test_cards_stay_where_people_put_them(world: World) -> None:
    team = await world.team()
    tasks = world.service.tasks
    made = {}
    for title in "abcd":
        world.clock.advance(1)
        made[title] = (await tasks.create("aoi", team.team_id, Draft(title))).task_id

    async def put(title: str, above: str, below: str, status: Status = Status.TODO) -> None:
        await tasks.place("aoi", team.team_id, made[title], status, made.get(above), made.get(below))

    assert await _column(world, team.team_id, Status.TODO) == ["a", "b", "c", "d"]
    await put("d", "a", "b")
    await put("a", "c", "")
    assert await _column(world, team.team_id, Status.TODO) == ["d", "b", "c", "a"]
    await put("c", "", "d")
    assert await _column(world, team.team_id, Status.TODO) == ["c", "d", "b", "a"]
    await put("b", "", "", Status.DOING)
    await put("d", "", "b", Status.DOING)
    assert await _column(world, team.team_id, Status.DOING) == ["d", "b"]
    totals = await world.service.teams.totals("aoi", team.team_id)
    assert (totals.todo, totals.doing) == (2, 2)
    world.clock.advance(1)
    await tasks.create("aoi", team.team_id, Draft("e"))
    assert await _column(world, team.team_id, Status.TODO) == ["c", "a", "e"]


async def test_neighbours_that_have_moved_do_not_count(world: World) -> None:
    team = await world.team()
    tasks = world.service.tasks
    a, b, c = [await tasks.create("aoi", team.team_id, Draft(title)) for title in "abc"]
    await tasks.change("aoi", team.team_id, a.task_id, Changes(status=Status.DONE))
    await tasks.place("aoi", team.team_id, c.task_id, Status.TODO, a.task_id, b.task_id)
    assert await _column(world, team.team_id, Status.TODO) == ["c", "b"]
    world.clock.advance(1)
    await tasks.place("aoi", team.team_id, c.task_id, Status.TODO, "gone", "gone too")
    assert await _column(world, team.team_id, Status.TODO) == ["b", "c"]
