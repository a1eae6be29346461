"""One task: new, as it is, changed, copied, deleted; and the comments on it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from msgspec import Struct, structs

from sekkei.clock import Clock
from sekkei.kit.typed import Text, Token
from sekkei.runtime.refusals import Conflict, Invalid
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems import days
from sekkei_systems.tasks.design import Task, tag_ref
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.pages import plan
from sekkei_systems.tasks.pages.plan import still_open, warned
from sekkei_systems.tasks.pages.view import Listening, Names, View
from sekkei_systems.tasks.refusals import Clashed
from sekkei_systems.tasks.rules.drafts import ENTERED, TaskDraft, drafted
from sekkei_systems.tasks.rules.history import Clash, Kept, text
from sekkei_systems.tasks.service.access import Member
from sekkei_systems.tasks.service.comments import TEXT_MAX, Comments
from sekkei_systems.tasks.service.plans import ALONE, Plans
from sekkei_systems.tasks.service.tasks import Tasks, Trash

pages = Pages()


class TaskForm(TaskDraft, frozen=True):
    """A task's form also says which version somebody has seen, and what they chose where others were quicker."""

    seen: int | None = None
    keep: tuple[Token, ...] = ()
    """`title:mine`, `description:both`."""

    @property
    def draft(self) -> TaskDraft:
        return drafted(self)

    @property
    def kept(self) -> dict[str, Kept]:
        pairs = [each.partition(":") for each in self.keep]
        values = {one.value for one in Kept}
        return {name: Kept(choice) for name, _, choice in pairs if name in ENTERED and choice in values}


class NewQuery(Struct):
    status: Token = ""


@pages.get("/teams/{team_id}/tasks/new", name="new-task")
async def new(view: View, query: NewQuery) -> Html:
    return Html("tasks/new.html", view=view, form=Form({"status": query.status}))


@pages.post("/teams/{team_id}/tasks", name="create-task")
async def create(view: View, tasks: Tasks, sent: Sent[TaskForm]) -> Html | Redirect:
    try:
        await tasks.create(view.member, sent.value.draft)
    except Invalid as wrong:
        return Html("tasks/new.html", 422, view=view, form=sent.refilled(wrong))
    return Redirect("tasks:board", team_id=view.team.team_id).flash("task.created")


async def shown(
    view: View,
    task: Task,
    listening: Listening,
    tasks: Tasks,
    comments: Comments,
    plans: Plans,
    status: int = 200,
    form: Form | None = None,
    clashes: list[Clash] | None = None,
) -> Html:
    said, activity, planned = await asyncio.gather(
        comments.all(view.member, task.task_id),
        tasks.activity(view.member, task.task_id),
        plans.get(view.member, task.task_id),
    )
    return Html(
        "tasks/task.html",
        status,
        view=view,
        task=task,
        form=form or Form(TaskDraft.of(task).plain()),
        comments=said,
        activity=activity,
        live=listening.address,
        clashes=[(clash, *_sides(view, clash)) for clash in clashes or []],
        written=view.written(task.description),
        **await plan.shown(view, plans, planned),
    )


@pages.get("/teams/{team_id}/tasks/{task_id}", name="task")
async def show(listening: Listening, view: View, tasks: Tasks, comments: Comments, plans: Plans, task_id: str) -> Html:
    return await shown(view, await tasks.get(view.member, task_id), listening, tasks, comments, plans)


@pages.post("/teams/{team_id}/tasks/{task_id}", name="change-task")
async def change(
    listening: Listening,
    view: View,
    tasks: Tasks,
    comments: Comments,
    plans: Plans,
    task_id: str,
    sent: Sent[TaskForm],
) -> Html | Redirect:
    """What others changed meanwhile is kept; where both changed the same, the page shows both."""
    try:
        before, saved = await tasks.edit(view.member, task_id, sent.value.draft, sent.value.seen, sent.value.kept)
    except Clashed as clash:
        form = Form(clash.draft.plain())
        return await shown(view, clash.task, listening, tasks, comments, plans, clash.status, form, list(clash.clashes))
    except Invalid as wrong:
        task = await tasks.get(view.member, task_id)
        return await shown(view, task, listening, tasks, comments, plans, wrong.status, sent.refilled(wrong))
    back = Redirect("tasks:task", team_id=view.team.team_id, task_id=task_id).flash("task.saved")
    back = warned(back, await still_open(view.member, plans, before, saved))
    return back if saved.version == before.version else back.offering("activity.undo", undo_path(saved))


def undo_path(task: Task) -> str:
    """Takes back the change that made this version."""
    return f"/tasks/teams/{task.team_id}/tasks/{task.task_id}/activity/{task.version}/undo"


def _sides(view: View, clash: Clash) -> tuple[str, str]:
    """Mine and theirs, in words."""

    def shown(value: Any) -> str:
        refs = frozenset(map(tag_ref, value)) if clash.name == "tags" else value
        return view.value(clash.name, text(refs))

    return shown(clash.mine), shown(clash.theirs)


@pages.post("/teams/{team_id}/tasks/{task_id}/copy", name="copy-task")
async def copy(view: View, tasks: Tasks, plans: Plans, task_id: str) -> Redirect:
    """The same once more, to do; a part of what the first is part of."""
    draft = TaskDraft.of(await tasks.get(view.member, task_id))
    family = (await plans.relatives(view.member, [task_id])).get(task_id, ALONE)
    made = await tasks.create(
        view.member,
        structs.replace(
            draft,
            status=Status.TODO,
            tags=frozenset(tag for tag in draft.tags if f"TAG#{tag}" in view.tags),
            assignee=draft.assignee if draft.assignee in view.members else None,
        ),
        family.parent.task_id if family.parent else None,
    )
    return Redirect("tasks:task", team_id=view.team.team_id, task_id=made.task_id).flash("task.copied")


@pages.post("/teams/{team_id}/tasks/{task_id}/delete", name="delete-task")
async def delete(member: Member, trash: Trash, task_id: str) -> Redirect:
    await trash.put(member, task_id)
    back = f"/tasks/teams/{member.team_id}/trash/{task_id}/back"
    return Redirect("tasks:board", team_id=member.team_id).flash("task.deleted").offering("activity.undo", back)


@pages.post("/teams/{team_id}/tasks/{task_id}/activity/{version}/undo", name="undo-change")
async def undo(member: Member, tasks: Tasks, task_id: str, version: int) -> Redirect:
    back = Redirect("tasks:task", team_id=member.team_id, task_id=task_id)
    try:
        undone = await tasks.undo(member, task_id, version)
    except (Conflict, Invalid) as refusal:
        return back.flash(refusal)
    return back.flash("activity.undone").offering("activity.redo", undo_path(undone))


@pages.get("/teams/{team_id}/tasks/{task_id}/activity", name="activity")
async def activity(view: View, tasks: Tasks, task_id: str) -> Html:
    """The history alone, for a page that is open."""
    return Html("tasks/_activity.html", view=view, activity=await tasks.activity(view.member, task_id))


# What is said about a task.


class CommentForm(Struct):
    text: Annotated[str, Text(TEXT_MAX, 1)]


@pages.get("/teams/{team_id}/tasks/{task_id}/comments", name="comments")
async def listed_comments(member: Member, comments: Comments, task_id: str, clock: Clock) -> Html:
    """The comments alone, for a page that is open. Every such page asks after every comment, so the team around it is
    not read: names stand out where somebody was called by them."""
    found = await comments.all(member, task_id)
    called = await comments.called(member, found)
    names = Names(member=member, members=called, tags={}, today=days.today(clock))
    return Html("tasks/_comments.html", view=names, member=member, task_id=task_id, comments=found)


@pages.post("/teams/{team_id}/tasks/{task_id}/comments", name="comment")
async def add_comment(member: Member, comments: Comments, task_id: str, sent: Sent[CommentForm]) -> Redirect:
    back = Redirect("tasks:task", team_id=member.team_id, task_id=task_id)
    try:
        await comments.add(member, task_id, sent.value.text)
    except Invalid as wrong:
        return back.flash(wrong)
    return back


@pages.get("/teams/{team_id}/tasks/{task_id}/comments/{comment_id}", name="edit-comment")
async def edit_comment(member: Member, comments: Comments, task_id: str, comment_id: str) -> Html:
    """For browsers without a script."""
    found = await comments.mine(member, task_id, comment_id)
    return Html("tasks/comment.html", member=member, comment=found, form=Form({"text": found.text}))


@pages.post("/teams/{team_id}/tasks/{task_id}/comments/{comment_id}", name="change-comment")
async def change_comment(
    member: Member, comments: Comments, task_id: str, comment_id: str, sent: Sent[CommentForm]
) -> Html | Redirect:
    try:
        await comments.change(member, task_id, comment_id, sent.value.text)
    except Invalid as wrong:
        found = await comments.mine(member, task_id, comment_id)
        return Html("tasks/comment.html", 422, member=member, comment=found, form=sent.refilled(wrong))
    return Redirect("tasks:task", team_id=member.team_id, task_id=task_id).flash("comment.changed")


@pages.post("/teams/{team_id}/tasks/{task_id}/comments/{comment_id}/delete", name="delete-comment")
async def delete_comment(member: Member, comments: Comments, task_id: str, comment_id: str) -> Redirect:
    await comments.delete(member, task_id, comment_id)
    return Redirect("tasks:task", team_id=member.team_id, task_id=task_id).flash("comment.deleted")
