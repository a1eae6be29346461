"""Tasks as version 0.1 stored them are brought up to date, by themselves and when they are touched."""

from __future__ import annotations

import contextlib

from sekkei.errors import TransactionConflictException
from sekkei_systems import days
from sekkei_systems.tasks.design import Comment, Team, comments
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.jobs import RENEWAL
from sekkei_systems.tasks.rules.filters import Filter
from tests.systems.tasks.conftest import World


async def _old(world: World, team: Team, id: str, status: str = "todo", description: str = "説明") -> None:
    """The very item that 0.1.0 wrote, with a comment of that time."""
    group = {"todo": ("todo", "todo_doing", "todo_done"), "done": ("doing_done", "done", "todo_done")}[status]
    team_id = team.team_id
    texts = {
        "PK": f"TEAM#{team_id}",
        "SK": f"TASK#{id}",
        "type": "task",
        "team_task_title": f"ＯＬＤ {id}",
        "team_task_discription": description,
        "team_task_status": status,
        **{f"status_group{n}": f"TEAM#{team_id}#Status#{word}" for n, word in enumerate(group, 1)},
        "start_sort_sk": "START#9999-12-31",
        "end_sort_sk": "END#9999-12-31",
        "search_text": f"old {id}",
        "board_column": f"TEAM#{team_id}#Board#{status}",
        "hand_sort_sk": id,
        "createdBy": "aoi",
        "updatedBy": "aoi",
        "updatedAt": "2025-11-01T09:00:00+09:00",
    }
    item = {name: {"S": text} for name, text in texts.items()}
    item |= {"comment_count": {"N": "1"}, "version": {"N": "3"}}
    await _put(world, item)
    said = Comment(
        team_id=team_id,
        task_id=id,
        comment_id=f"c{id}",
        author="aoi",
        author_name="Aoi",
        text="昔の話",
        created_at=days.now_jst(world.clock),
    )
    await world.opened.context.db.write(comments.create(said))


async def _put(world: World, item: dict[str, dict[str, str]]) -> None:
    """Again and again: the weather may be bad."""
    for _ in range(20):
        with contextlib.suppress(TransactionConflictException):
            await world.deployment.store.call("PutItem", {"TableName": "task-table-v3", "Item": item})
            return


async def _raw(world: World, team: Team, id: str) -> dict[str, object]:
    key = {"PK": {"S": f"TEAM#{team.team_id}"}, "SK": {"S": f"TASK#{id}"}}
    request = {"TableName": "task-table-v3", "Key": key, "ConsistentRead": True}
    found: dict[str, object] = (await world.deployment.store.call("GetItem", request))["Item"]
    return found


async def test_the_worker_brings_every_task_up_to_date_once(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    await _old(world, team, "k1", description="長" * 3_000)
    await _old(world, team, "k2", status="done")
    await world.deployment.worker.start()
    await world.deployment.worker.stop()
    await world.settle()
    tasks = world.service.tasks
    for id in ("k1", "k2"):
        assert not {"search_text", "comment_count"} & set(await _raw(world, team, id))
    first = await tasks.get(aoi, "k1")
    assert (first.description, first.version) == ("長" * 3_000, 3)
    assert (await _raw(world, team, "k1"))["team_task_discription"] == {"S": "長" * 500}
    assert await tasks.comment_counts(aoi, ["k1", "k2"]) == {"k1": 1, "k2": 1}
    assert {task.task_id for task in await tasks.page(aoi, Filter(frozenset(Status), text="old"))} == {"k1", "k2"}
    assert [task.task_id for task in await tasks.column(aoi, Status.DONE, Filter())] == ["k2"]
    assert (await _raw(world, team, "k2"))["doneAt"] == {"S": "2025-11-01T09:00:00+09:00"}
    assert not await world.service.renewal.task(team.team_id, "k1"), "once is enough"
    assert await world.opened.context.jobs.get(f"tasks/{RENEWAL}") is not None


async def test_an_old_task_can_be_talked_about_and_deleted_before_the_worker_has_come_to_it(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    for id in ("k1", "k2"):
        await _old(world, team, id)
    await world.jobs.recount(team.team_id)
    await world.service.comments.add(aoi, "k1", "新しい話")
    await world.settle()
    assert await world.service.renewal.task(team.team_id, "k1")
    await world.settle()
    assert await world.service.tasks.comment_counts(aoi, ["k1"]) == {"k1": 2}
    await world.service.trash.put(aoi, "k2")
    await world.service.trash.take_back(aoi, "k2")
    assert (await world.service.tasks.get(aoi, "k2")).title == "ＯＬＤ k2"
