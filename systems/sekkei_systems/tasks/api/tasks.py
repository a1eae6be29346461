"""Tasks: lists, changes, places, history, many at once."""

from __future__ import annotations

from starlette.requests import Request

from sekkei.web import Answer, Api, PageOf, User, version_in_if_match
from sekkei_systems.tasks.api.shapes import (
    ActivityOut,
    Bulk,
    BulkOut,
    ChangeTask,
    NewTask,
    Place,
    TaskOut,
    TaskQuery,
    task_out,
)
from sekkei_systems.tasks.design import (
    Activity,
)
from sekkei_systems.tasks.rules.drafts import Draft
from sekkei_systems.tasks.service import Service


def declare(api: Api, service: Service) -> None:
    @api.get("/teams/{team_id}/tasks", summary="Tasks: by status, tag, lateness, text, assignee", tag="tasks")
    async def list_tasks(user: User, team_id: str, query: TaskQuery) -> PageOf[TaskOut]:
        wanted = query.filter(user.id)
        found = await service.tasks.page(user.id, team_id, wanted, size=query.limit, after=query.after)
        return PageOf([task_out(task) for task in found], found.cursor)

    @api.post("/teams/{team_id}/tasks", summary="Add a task", status=201, tag="tasks")
    async def create_task(user: User, team_id: str, body: NewTask) -> Answer[TaskOut]:
        draft = Draft(
            title=body.title,
            description=body.description,
            status=body.status,
            start=body.start,
            end=body.end,
            tags=frozenset(body.tags),
            assignee=body.assignee,
            priority=body.priority,
        )
        task = await service.tasks.create(user.id, team_id, draft)
        return Answer(task_out(task), etag=task.version)

    @api.get("/teams/{team_id}/tasks/{task_id}", summary="A task as it is now", tag="tasks")
    async def get_task(user: User, team_id: str, task_id: str) -> Answer[TaskOut]:
        task = await service.tasks.get(user.id, team_id, task_id)
        return Answer(task_out(task), etag=task.version)

    @api.patch("/teams/{team_id}/tasks/{task_id}", summary="Change a task; If-Match makes it conditional", tag="tasks")
    async def change_task(
        request: Request, user: User, team_id: str, task_id: str, body: ChangeTask
    ) -> Answer[TaskOut]:
        seen = version_in_if_match(request)
        task = await service.tasks.change(user.id, team_id, task_id, body.changes(), seen)
        return Answer(task_out(task), etag=task.version)

    @api.delete("/teams/{team_id}/tasks/{task_id}", summary="Delete a task", tag="tasks")
    async def delete_task(user: User, team_id: str, task_id: str) -> None:
        await service.tasks.delete(user.id, team_id, task_id)

    @api.post("/teams/{team_id}/tasks/{task_id}/place", summary="Put it between two cards of a column", tag="tasks")
    async def place_task(user: User, team_id: str, task_id: str, body: Place) -> Answer[TaskOut]:
        task = await service.tasks.place(user.id, team_id, task_id, body.status, body.above, body.below)
        return Answer(task_out(task), etag=task.version)

    @api.get("/teams/{team_id}/tasks/{task_id}/activity", summary="Who changed what, the latest first", tag="tasks")
    async def list_activity(user: User, team_id: str, task_id: str) -> PageOf[ActivityOut]:
        def out(one: Activity) -> ActivityOut:
            return ActivityOut(one.who, one.who_name, one.at, one.changes)

        return PageOf([out(one) for one in await service.tasks.activity(user.id, team_id, task_id)])

    @api.post("/teams/{team_id}/bulk", summary="The same change to several tasks", tag="tasks")
    async def change_tasks(user: User, team_id: str, body: Bulk) -> BulkOut:
        refused = await service.tasks.change_many(user.id, team_id, body.tasks, body.change.changes())
        return BulkOut(len(set(body.tasks)) - len(refused), {id: refusal.code for id, refusal in refused.items()})
