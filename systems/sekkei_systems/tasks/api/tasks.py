"""Tasks: lists, changes, places, history, the trash, many at once."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from functools import partial

from starlette.requests import Request

from sekkei.runtime.idempotency import Also, Idempotency
from sekkei.web import Answer, Operations, PageOf, version_in_if_match
from sekkei.web.once import Repeatable, with_effect
from sekkei_systems.tasks.api.shapes import (
    ActivityOut,
    Bulk,
    BulkOut,
    ChangedTask,
    NewTask,
    Place,
    TaskOut,
    TaskQuery,
    first_out,
    task_out,
)
from sekkei_systems.tasks.design import Task
from sekkei_systems.tasks.rules.drafts import drafted
from sekkei_systems.tasks.rules.filters import Filter
from sekkei_systems.tasks.service import Batches, Member, Numbers, Plans, Tasks, Trash
from sekkei_systems.tasks.service.batches import Outcome

operations = Operations()


async def answer(plans: Plans, task: Task) -> Answer[TaskOut]:
    (out,) = await outs(plans, [task])
    return Answer(out, etag=task.version)


async def outs(plans: Plans, found: Sequence[Task]) -> list[TaskOut]:
    """With what stands beside the tasks."""
    beside = await plans.beside(found)
    return [task_out(task, beside[task.task_id]) for task in found]


@operations.get("/teams/{team_id}/tasks", summary="Tasks: by status, tag, lateness, words, assignee", tag="tasks")
async def list_tasks(member: Member, tasks: Tasks, plans: Plans, wanted: Filter, query: TaskQuery) -> PageOf[TaskOut]:
    found = await tasks.page(member, wanted, size=query.limit, after=query.after)
    whole = [await tasks.whole(task) for task in found]
    return PageOf(await outs(plans, whole), found.cursor)


@operations.post("/teams/{team_id}/tasks", summary="Add a task", status=201, tag="tasks")
async def create_task(
    member: Member, tasks: Tasks, idempotency: Idempotency, body: NewTask, headers: Repeatable
) -> Answer[TaskOut]:
    def make(also: Also[Task]) -> Awaitable[Task]:
        return tasks.create_with(member, draft, also, parent)

    draft, parent = drafted(body), body.parent and await tasks.subtasks.meant(member, body.parent)
    asked = ("task", draft, parent) if parent else ("task", draft)
    out = partial(first_out, parent=parent)
    row = headers.row("tasks", member.team_id, member.user_id)
    made = await with_effect(idempotency, row, asked, make, out, TaskOut)
    return Answer(made.answer, etag=made.answer.version, headers=made.headers)


@operations.get("/teams/{team_id}/tasks/{task_id}", summary="A task as it is now", tag="tasks")
async def get_task(member: Member, tasks: Tasks, plans: Plans, task_id: str) -> Answer[TaskOut]:
    return await answer(plans, await tasks.get(member, task_id))


@operations.patch("/teams/{team_id}/tasks/{task_id}", summary="Change a task; If-Match: only if unchanged", tag="tasks")
async def change_task(
    request: Request, member: Member, tasks: Tasks, plans: Plans, task_id: str, body: ChangedTask
) -> Answer[TaskOut]:
    task = await tasks.change(member, task_id, body, version_in_if_match(request), parent=body.parent)
    return await answer(plans, task)


@operations.delete("/teams/{team_id}/tasks/{task_id}", summary="Put a task in the trash, for 30 days", tag="tasks")
async def delete_task(request: Request, member: Member, trash: Trash, task_id: str) -> None:
    await trash.put(member, task_id, version_in_if_match(request))


@operations.post("/teams/{team_id}/tasks/{task_id}/place", summary="Put it between two cards of a column", tag="tasks")
async def place_task(member: Member, tasks: Tasks, plans: Plans, task_id: str, body: Place) -> Answer[TaskOut]:
    return await answer(plans, await tasks.place(member, task_id, body.status, body.above, body.below))


@operations.get("/teams/{team_id}/tasks/{task_id}/activity", summary="Who changed what, the latest first", tag="tasks")
async def list_activity(member: Member, tasks: Tasks, task_id: str) -> PageOf[ActivityOut]:
    found = await tasks.activity(member, task_id)
    return PageOf([ActivityOut(one.version, one.who, one.who_name, one.at, one.changes) for one in found])


@operations.post(
    "/teams/{team_id}/tasks/{task_id}/activity/{version}/undo",
    summary="Take one change back; refused when the same was changed again since",
    tag="tasks",
)
async def undo_change(member: Member, tasks: Tasks, plans: Plans, task_id: str, version: int) -> Answer[TaskOut]:
    return await answer(plans, await tasks.undo(member, task_id, version))


@operations.post("/teams/{team_id}/bulk", summary="The same change to several tasks", tag="tasks")
async def change_tasks(member: Member, batches: Batches, body: Bulk) -> BulkOut:
    return bulk_out(await batches.change(member, body.tasks, body.change))


@operations.post(
    "/teams/{team_id}/batches/{batch_id}/undo", summary="Take such a change back from all of them", tag="tasks"
)
async def undo_batch(member: Member, batches: Batches, batch_id: str) -> BulkOut:
    return bulk_out(await batches.undo(member, batch_id))


def bulk_out(done: Outcome) -> BulkOut:
    return BulkOut(done.changed, {id: refusal.code for id, refusal in done.refused.items()}, done.batch_id)


@operations.get("/teams/{team_id}/numbers/{number}", summary="The task with a number, as in DEV-12", tag="tasks")
async def get_numbered(member: Member, numbers: Numbers, tasks: Tasks, plans: Plans, number: int) -> Answer[TaskOut]:
    return await answer(plans, await tasks.get(member, await numbers.task_id(member, number)))


@operations.get("/teams/{team_id}/trash", summary="What was deleted in the last 30 days, the latest first", tag="tasks")
async def list_trash(member: Member, plans: Plans, trash: Trash) -> PageOf[TaskOut]:
    return PageOf(await outs(plans, await trash.all(member)))


@operations.post("/teams/{team_id}/trash/{task_id}/back", summary="Take a task out of the trash", tag="tasks")
async def take_back(member: Member, tasks: Tasks, plans: Plans, trash: Trash, task_id: str) -> Answer[TaskOut]:
    return await answer(plans, await trash.take_back(member, task_id))


@operations.delete("/teams/{team_id}/trash/{task_id}", summary="Delete a task for good", tag="tasks")
async def purge_task(member: Member, trash: Trash, task_id: str) -> None:
    await trash.purge(member, task_id)
