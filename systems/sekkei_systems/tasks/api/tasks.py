"""Tasks: lists, changes, places, history, the trash, many at once, plans, comments, tasks in one line."""

from __future__ import annotations

import asyncio
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
    CheckOut,
    CommentOut,
    CountQuery,
    Limits,
    MarksOut,
    Named,
    NewCheck,
    NewComment,
    NewQuick,
    NewRule,
    NewTask,
    NewView,
    PaletteOut,
    ParentOut,
    Place,
    PlanOut,
    Progress,
    QuickQuery,
    QuickTask,
    TaskOut,
    TaskQuery,
    TickCheck,
    UnderstoodOut,
    ViewOut,
    first_out,
    task_out,
)
from sekkei_systems.tasks.design import Comment, Plan, SavedView, Task
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.drafts import drafted
from sekkei_systems.tasks.rules.filters import Filter
from sekkei_systems.tasks.service.access import Admin, Member
from sekkei_systems.tasks.service.comments import Comments
from sekkei_systems.tasks.service.numbers import Numbers
from sekkei_systems.tasks.service.people import People, Visitor
from sekkei_systems.tasks.service.plans import Marks, Plans
from sekkei_systems.tasks.service.quick import Quick
from sekkei_systems.tasks.service.tasks import Batches, Outcome, Tasks, Trash
from sekkei_systems.tasks.service.teams import Tags, Teams
from sekkei_systems.tasks.service.views import Views

operations = Operations()


async def answer(plans: Plans, task: Task) -> Answer[TaskOut]:
    (out,) = await outs(plans, [task])
    return Answer(out, etag=task.version)


async def outs(plans: Plans, found: Sequence[Task]) -> list[TaskOut]:
    """With what stands beside the tasks."""
    extras = await plans.extras(found)
    return [task_out(task, extras[task.task_id]) for task in found]


@operations.get("/teams/{team_id}/tasks", summary="Tasks: by status, tag, lateness, words, assignee", tag="tasks")
async def list_tasks(member: Member, tasks: Tasks, plans: Plans, wanted: Filter, query: TaskQuery) -> PageOf[TaskOut]:
    found = await tasks.page(member, wanted, size=query.limit, after=query.after)
    whole = [await tasks.whole(task) for task in found]
    return PageOf(await outs(plans, whole), found.cursor)


@operations.post("/teams/{team_id}/tasks", summary="Add a task", status=201, tag="tasks")
async def create_task(
    member: Member, tasks: Tasks, idempotency: Idempotency, body: NewTask, headers: Repeatable
) -> Answer[TaskOut]:
    def make(in_same_transaction: Also[Task]) -> Awaitable[Task]:
        return tasks.create_with(member, draft, in_same_transaction, parent)

    draft, parent = drafted(body), body.parent and await tasks.subtasks.parent_id(member, body.parent)
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
    return _bulk_out(await batches.change(member, body.tasks, body.change))


@operations.post(
    "/teams/{team_id}/batches/{batch_id}/undo", summary="Take such a change back from all of them", tag="tasks"
)
async def undo_batch(member: Member, batches: Batches, batch_id: str) -> BulkOut:
    return _bulk_out(await batches.undo(member, batch_id))


def _bulk_out(done: Outcome) -> BulkOut:
    return BulkOut(done.changed, {id: refusal.code for id, refusal in done.refused.items()}, done.batch_id)


@operations.get("/teams/{team_id}/numbers/{number}", summary="The task with a number, as in DEV-12", tag="tasks")
async def get_numbered(member: Member, numbers: Numbers, tasks: Tasks, plans: Plans, number: int) -> Answer[TaskOut]:
    return await answer(plans, await tasks.get(member, await numbers.task_id(member, number)))


@operations.get("/teams/{team_id}/trash", summary="What was deleted in the last 30 days, the latest first", tag="tasks")
async def list_trash(member: Member, plans: Plans, trash: Trash) -> PageOf[TaskOut]:
    return PageOf(await outs(plans, (await trash.all(member)).items))


@operations.post("/teams/{team_id}/trash/{task_id}/back", summary="Take a task out of the trash", tag="tasks")
async def take_back(member: Member, tasks: Tasks, plans: Plans, trash: Trash, task_id: str) -> Answer[TaskOut]:
    return await answer(plans, await trash.take_back(member, task_id))


@operations.delete("/teams/{team_id}/trash/{task_id}", summary="Delete a task for good", tag="tasks")
async def purge_task(member: Member, trash: Trash, task_id: str) -> None:
    await trash.purge(member, task_id)


# A task's checklist, what comes before it, and when it comes again.


ONE = "/teams/{team_id}/tasks/{task_id}"


def _plan_out(plan: Plan) -> PlanOut:
    checks = [CheckOut(one.id, one.text, one.done) for one in plan.checks]
    return PlanOut(checks, sorted(plan.blocked_by), plan.rule)


@operations.get(f"{ONE}/plan", summary="Checklist, what comes before, when it comes again", tag="plans")
async def get_plan(member: Member, tasks: Tasks, plans: Plans, task_id: str) -> PlanOut:
    await tasks.card(member, task_id)
    return _plan_out(await plans.get(member, task_id))


@operations.post(f"{ONE}/checks", summary="Add to the checklist", status=201, tag="plans")
async def add_check(member: Member, plans: Plans, task_id: str, body: NewCheck) -> PlanOut:
    return _plan_out(await plans.add_check(member, task_id, body.text))


@operations.patch(f"{ONE}/checks/{{check_id}}", summary="Tick it, or not", tag="plans")
async def tick(member: Member, plans: Plans, task_id: str, check_id: str, body: TickCheck) -> PlanOut:
    return _plan_out(await plans.tick(member, task_id, check_id, body.done))


@operations.delete(f"{ONE}/checks/{{check_id}}", summary="Take it off the checklist", tag="plans")
async def remove_check(member: Member, plans: Plans, task_id: str, check_id: str) -> None:
    await plans.remove_check(member, task_id, check_id)


@operations.put(f"{ONE}/blockers/{{by}}", summary="Another task (id or DEV-12) comes first; no circles", tag="plans")
async def block(member: Member, plans: Plans, task_id: str, by: str) -> PlanOut:
    return _plan_out(await plans.block(member, task_id, by))


@operations.delete(f"{ONE}/blockers/{{by}}", summary="It need not come first", tag="plans")
async def unblock(member: Member, plans: Plans, task_id: str, by: str) -> None:
    await plans.unblock(member, task_id, by)


@operations.put(f"{ONE}/rule", summary="When it comes again: a preset, an RRULE, or null", tag="plans")
async def repeat(member: Member, plans: Plans, task_id: str, body: NewRule) -> PlanOut:
    return _plan_out(await plans.repeat(member, task_id, body.rule or ""))


@operations.get("/teams/{team_id}/marks", summary="What cards say of the plans of some tasks", tag="plans")
async def marks(member: Member, plans: Plans, query: CountQuery) -> dict[str, MarksOut]:
    found = await plans.marks(member, query.task)
    return {id: _marks_out(one) for id, one in found.items()}


def _marks_out(marks: Marks) -> MarksOut:
    parent, family = marks.family.parent, marks.family
    above = ParentOut(parent.task_id, parent.number, parent.title) if parent else None
    return MarksOut(marks.done, marks.all, marks.blocked, Progress(family.done, len(family.children)), above)


@operations.put("/teams/{team_id}/limits", summary="How many tasks a column should hold at most", tag="teams")
async def limit_columns(admin: Admin, teams: Teams, body: Limits) -> Limits:
    await teams.limit(admin, {Status.TODO: body.todo, Status.DOING: body.doing})
    return body


# What is said about a task.


_COMMENTS = "/teams/{team_id}/tasks/{task_id}/comments"
_ONE_COMMENT = f"{_COMMENTS}/{{comment_id}}"


def _comment_out(one: Comment) -> CommentOut:
    return CommentOut(one.comment_id, one.author, one.author_name, one.text, one.created_at, one.edited_at)


@operations.get(_COMMENTS, summary="Comments, the oldest first", tag="comments")
async def list_comments(member: Member, comments: Comments, task_id: str) -> PageOf[CommentOut]:
    return PageOf([_comment_out(comment) for comment in await comments.all(member, task_id)])


@operations.get("/teams/{team_id}/comments", summary="How many comments some tasks have", tag="comments")
async def count_comments(member: Member, tasks: Tasks, query: CountQuery) -> dict[str, int]:
    """For boards and lists: the counts are items of their own, so that a comment does not rewrite its task in all its
    indexes."""
    return await tasks.comment_counts(member, query.task)


@operations.post(_COMMENTS, summary="Comment on a task", status=201, tag="comments")
async def add_comment(
    member: Member, comments: Comments, idempotency: Idempotency, task_id: str, body: NewComment, headers: Repeatable
) -> Answer[CommentOut]:
    def make(in_same_transaction: Also[Comment]) -> Awaitable[Comment]:
        return comments.add(member, task_id, body.text, in_same_transaction)

    row = headers.row("tasks", member.team_id, member.user_id)
    made = await with_effect(idempotency, row, ("comment", task_id, body), make, _comment_out, CommentOut)
    return Answer(made.answer, headers=made.headers)


@operations.put(_ONE_COMMENT, summary="Edit one's own comment", tag="comments")
async def change_comment(
    member: Member, comments: Comments, task_id: str, comment_id: str, body: NewComment
) -> CommentOut:
    return _comment_out(await comments.change(member, task_id, comment_id, body.text))


@operations.delete(_ONE_COMMENT, summary="Delete one's own comment", tag="comments")
async def delete_comment(member: Member, comments: Comments, task_id: str, comment_id: str) -> None:
    await comments.delete(member, task_id, comment_id)


# For hands that stay on the keyboard: tasks in one line, saved views, and what the palette offers.


def _view_out(one: SavedView) -> ViewOut:
    return ViewOut(one.view_id, one.name, one.place, one.query)


@operations.get("/teams/{team_id}/understood", summary="What a line is understood as", tag="quick")
async def understand(member: Member, quick: Quick, query: QuickQuery) -> UnderstoodOut:
    found = await quick.understood(member, query.text)
    tags = sorted(found.tags)
    return UnderstoodOut(found.title, found.start, found.end, found.priority, found.assignee, tags)


@operations.post("/teams/{team_id}/quick", summary="Add a task in one line", status=201, tag="quick")
async def create_quick(
    member: Member, quick: Quick, tasks: Tasks, idempotency: Idempotency, body: NewQuick, headers: Repeatable
) -> Answer[TaskOut]:
    """`report by next fri @Ann #docs !high`, in Japanese or English."""

    async def make(in_same_transaction: Also[Task]) -> Task:
        draft = await quick.draft(member, body.text, body.status)
        return await tasks.create_with(member, draft, in_same_transaction, parent)

    parent = body.parent and await tasks.subtasks.parent_id(member, body.parent)
    line = QuickTask(body.text, body.status)
    asked = ("quick", line, parent) if parent else ("quick", line)
    row = headers.row("tasks", member.team_id, member.user_id)
    made = await with_effect(idempotency, row, asked, make, partial(first_out, parent=parent), TaskOut)
    return Answer(made.answer, etag=made.answer.version, headers=made.headers)


@operations.get("/teams/{team_id}/palette", summary="People, tags, teams and views, by name", tag="quick")
async def palette(
    visitor: Visitor, member: Member, people: People, teams: Teams, tags: Tags, views: Views
) -> PaletteOut:
    members, labels, others, saved = await asyncio.gather(
        teams.members(member), tags.all(member), people.teams(visitor.id), views.all(member)
    )
    return PaletteOut(
        [Named(one.user_id, one.user_name) for one in members],
        [Named(one.tag_id, one.name) for one in labels],
        [Named(one.team_id, one.team_name) for one in others if one.team_id != member.team_id],
        [_view_out(one) for one in saved],
    )


@operations.get("/teams/{team_id}/views", summary="My saved views", tag="quick")
async def list_views(member: Member, views: Views) -> PageOf[ViewOut]:
    return PageOf([_view_out(one) for one in await views.all(member)])


@operations.post("/teams/{team_id}/views", summary="Save a view", status=201, tag="quick")
async def save_view(member: Member, views: Views, body: NewView) -> ViewOut:
    return _view_out(await views.save(member, body.name, body.place, body.query))


@operations.delete("/teams/{team_id}/views/{view_id}", summary="Delete a saved view", tag="quick")
async def delete_view(member: Member, views: Views, view_id: str) -> None:
    await views.delete(member, view_id)
