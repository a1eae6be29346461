"""One task: new, as it is, changed, deleted, talked about."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime.refusals import Changed, Invalid
from sekkei.runtime.system import Context
from sekkei.web import Form, Pages, flash, form, page, redirect, refill, t
from sekkei.web.texts import language_of
from sekkei_systems.tasks.design import Task
from sekkei_systems.tasks.pages.view import View, arrived, live_of, look
from sekkei_systems.tasks.rules.drafts import DESCRIPTION_MAX, TITLE_MAX, Changes, Draft
from sekkei_systems.tasks.rules.statuses import Priority, Status
from sekkei_systems.tasks.service import Service
from sekkei_systems.tasks.service.tasks import COMMENT_MAX


class TaskForm(Struct):
    title: Annotated[str, Meta(min_length=1, max_length=TITLE_MAX)]
    description: Annotated[str, Meta(max_length=DESCRIPTION_MAX)] = ""
    status: Status = Status.TODO
    start: date | None = None
    end: date | None = None
    tags: list[str] = []
    assignee: str | None = None
    priority: Priority | None = None
    seen: int | None = None


class CommentForm(Struct):
    text: Annotated[str, Meta(min_length=1, max_length=COMMENT_MAX)]


def declare(pages: Pages, service: Service, context: Context) -> None:
    _declare_new(pages, service, context)
    _declare_one(pages, service, context)
    _declare_comments(pages, service, context)


def _declare_new(pages: Pages, service: Service, context: Context) -> None:
    @pages.get("/teams/{team_id}/tasks/new", name="new-task")
    async def new(request: Request) -> Response:
        view = await look(request, service, context)
        return page(request, "tasks/new.html", view=view, form=Form({"status": request.query_params.get("status", "")}))

    @pages.post("/teams/{team_id}/tasks", name="create-task")
    async def create(request: Request) -> Response:
        view = await look(request, service, context)
        try:
            given = await form(request, TaskForm)
            draft = Draft(
                title=given.title,
                description=given.description,
                status=given.status,
                start=given.start,
                end=given.end,
                tags=frozenset(given.tags),
                assignee=given.assignee,
                priority=given.priority,
            )
            await service.tasks.create(view.me.user_id, view.team.team_id, draft)
        except Invalid as wrong:
            return page(request, "tasks/new.html", 422, view=view, form=refill(request, wrong))
        flash(request, t(request, "task.created"))
        return redirect(request, "tasks:board", team_id=view.team.team_id)


def _declare_one(pages: Pages, service: Service, context: Context) -> None:
    async def show(request: Request, view: View, task: Task, status: int, filled: Form) -> Response:
        live = live_of(request, context)
        who, team_id = view.me.user_id, view.team.team_id
        return page(
            request,
            "tasks/task.html",
            status,
            view=view,
            task=task,
            form=filled,
            comments=await service.tasks.comments(who, team_id, task.task_id),
            activity=await service.tasks.activity(who, team_id, task.task_id),
            live=live,
        )

    @pages.get("/teams/{team_id}/tasks/{task_id}", name="task")
    async def one(request: Request) -> Response:
        view = await look(request, service, context)
        task = await service.tasks.get(view.me.user_id, view.team.team_id, request.path_params["task_id"])
        return await show(request, view, task, 200, Form(_values(task)))

    @pages.post("/teams/{team_id}/tasks/{task_id}", name="change-task")
    async def change(request: Request) -> Response:
        view = await look(request, service, context)
        task_id = request.path_params["task_id"]
        try:
            given = await form(request, TaskForm)
            changes = Changes(
                given.title,
                given.description,
                given.status,
                given.start,
                given.end,
                frozenset(given.tags),
                given.assignee,
                given.priority,
            )
            await service.tasks.change(view.me.user_id, view.team.team_id, task_id, changes, given.seen)
        except (Invalid, Changed) as wrong:
            task = await service.tasks.get(view.me.user_id, view.team.team_id, task_id)
            return await show(request, view, task, wrong.status, refill(request, wrong))
        flash(request, t(request, "task.saved"))
        return redirect(request, "tasks:task", team_id=view.team.team_id, task_id=task_id)

    @pages.post("/teams/{team_id}/tasks/{task_id}/copy", name="copy-task")
    async def copy(request: Request) -> Response:
        """The same once more, to do."""
        view = await look(request, service, context)
        task = await service.tasks.get(view.me.user_id, view.team.team_id, request.path_params["task_id"])
        draft = Draft(
            title=task.title,
            description=task.description,
            start=task.start,
            end=task.end,
            tags=frozenset(ref.removeprefix("TAG#") for ref in task.tags if ref in view.tags),
            assignee=task.assignee if task.assignee in view.members else None,
            priority=task.priority,
        )
        made = await service.tasks.create(view.me.user_id, view.team.team_id, draft)
        flash(request, t(request, "task.copied"))
        return redirect(request, "tasks:task", team_id=view.team.team_id, task_id=made.task_id)

    @pages.post("/teams/{team_id}/tasks/{task_id}/delete", name="delete-task")
    async def delete(request: Request) -> Response:
        user = await arrived(request, service)
        team_id = request.path_params["team_id"]
        await service.tasks.delete(user.id, team_id, request.path_params["task_id"])
        flash(request, t(request, "task.deleted"))
        return redirect(request, "tasks:board", team_id=team_id)


def _declare_comments(pages: Pages, service: Service, context: Context) -> None:
    @pages.get("/teams/{team_id}/tasks/{task_id}/comments", name="comments")
    async def comments(request: Request) -> Response:
        """The comments alone, for a page that is open."""
        view = await look(request, service, context)
        task_id = request.path_params["task_id"]
        said = await service.tasks.comments(view.me.user_id, view.team.team_id, task_id)
        return page(request, "tasks/_comments.html", view=view, comments=said)

    @pages.get("/teams/{team_id}/tasks/{task_id}/activity", name="activity")
    async def activity(request: Request) -> Response:
        """The history alone, for a page that is open."""
        view = await look(request, service, context)
        found = await service.tasks.activity(view.me.user_id, view.team.team_id, request.path_params["task_id"])
        return page(request, "tasks/_activity.html", view=view, activity=found)

    @pages.post("/teams/{team_id}/tasks/{task_id}/comments", name="comment")
    async def comment(request: Request) -> Response:
        user = await arrived(request, service)
        team_id, task_id = request.path_params["team_id"], request.path_params["task_id"]
        try:
            given = await form(request, CommentForm)
            await service.tasks.comment(user.id, team_id, task_id, given.text)
        except Invalid as wrong:
            words = refill(request, wrong).errors.get("text") or wrong.text(language_of(request))
            flash(request, words, "error")
        return redirect(request, "tasks:task", team_id=team_id, task_id=task_id)


def _values(task: Task) -> dict[str, Any]:
    return {
        "title": task.title,
        "description": task.description,
        "status": task.status.value,
        "start": task.start.isoformat() if task.start else "",
        "end": task.end.isoformat() if task.end else "",
        "tags": [ref.removeprefix("TAG#") for ref in task.tags],
        "assignee": task.assignee or "",
        "priority": task.priority.value if task.priority else "",
    }
