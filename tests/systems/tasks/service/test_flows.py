"""What is done is written down with when it was begun, out of its history."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from sekkei_systems.days import JST
from sekkei_systems.tasks.design import Activity, Flow, Task
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.service.access import Admin
from sekkei_systems.tasks.service.flows import Summary, begun_at, by_day, percentile, summary
from tests.systems.tasks.conftest import World

FIRST, LAST = date(2025, 11, 1), date(2025, 11, 30)


async def _move(world: World, aoi: Admin, task_id: str, *statuses: Status) -> None:
    for status in statuses:
        await world.service.tasks.change(aoi, task_id, TaskChanges(status=status))
        await world.settle()  # a stream keeps its records for a day
        world.clock.advance(86_400)


async def test_done_reopened_and_done_again(world: World) -> None:
    aoi = await world.admin("aoi", (await world.team()).team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事"))
    flows = world.service.flows
    await _move(world, aoi, made.task_id, Status.DOING, Status.DONE)
    (one,) = await flows.between(aoi, FIRST, LAST)
    assert one.begun_at is not None
    assert (one.title, one.number, (one.done_at - one.begun_at).days) == ("仕事", made.number, 1)
    await _move(world, aoi, made.task_id, Status.TODO)
    assert await flows.between(aoi, FIRST, LAST) == []
    await _move(world, aoi, made.task_id, Status.DONE)
    (again,) = await flows.between(aoi, FIRST, LAST)
    assert (again.begun_at, again.done_at > one.done_at) == (one.begun_at, True)
    await world.service.trash.put(aoi, made.task_id)
    await world.settle()
    assert await flows.between(aoi, FIRST, LAST) == []
    await world.service.trash.take_back(aoi, made.task_id)
    await world.settle()
    assert await flows.between(aoi, FIRST, LAST) == [again]


# How long tasks take.


NOON = datetime(2025, 11, 6, 12, tzinfo=JST)
DAY = timedelta(days=1)


def _line(version: int, before: str, after: str) -> Activity:
    at = NOON + version * DAY
    changes = {"status": [before, after]}
    return Activity(team_id="t", task_id="k", version=version, who="u", who_name="U", at=at, changes=changes)


def test_begun_is_the_first_move_to_doing() -> None:
    task = Task(team_id="t", task_id="k", title="x", created_at=NOON)
    assert begun_at(task, []) is None
    assert begun_at(task, [_line(2, "todo", "done")]) is None
    moves = [_line(4, "doing", "done"), _line(3, "todo", "doing"), _line(2, "doing", "todo")]
    assert begun_at(task, moves[:2]) == NOON + 3 * DAY
    assert begun_at(task, moves) == NOON, "it was made there"


def _flow(day: int, taken: float) -> Flow:
    done = NOON + day * DAY
    begun = done - taken * DAY
    return Flow(
        team_id="t",
        day=done.date(),
        task_id=f"{day}",
        title="x",
        created_at=begun - DAY,
        begun_at=begun,
        done_at=done,
        expires=done,
    )


def test_medians_and_days() -> None:
    found = [_flow(day, taken) for day, taken in ((0, 1), (0, 2), (2, 10))]
    assert summary(found) == Summary(3, 2.0, 10.0, 3.0)
    assert summary([]) == Summary(0, None, None, None)
    assert by_day(found, date(2025, 11, 6), date(2025, 11, 8)) == [2, 0, 1]
    assert [percentile([1, 2, 3, 4], share) for share in (25, 50, 85, 100)] == [1, 2, 4, 4]
