"""What is part of a task, on its page: added in one line, ticked off, taken out; and what the task is part of."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Struct

from sekkei.kit.typed import Line
from sekkei.runtime.refusals import Refusal
from sekkei.web import Pages, Redirect
from sekkei_systems.tasks.design import Task
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.pages.plan import ONE, Typed, back, refused
from sekkei_systems.tasks.rules.drafts import TaskChanges
from sekkei_systems.tasks.service import Member, Plans, Quick, Tasks

pages = Pages()


class Part(Struct):
    action: Literal["done", "open", "out"] = "done"


class Above(Struct):
    parent: Annotated[str, Line(400, 0)] = ""
    """A number or an id; empty for none."""


async def still_open(member: Member, plans: Plans, before: Task, task: Task) -> int:
    """How many of its subtasks are, if it was marked as done just now."""
    if task.status is not Status.DONE or before.status is Status.DONE:
        return 0
    found = (await plans.relatives(member, [task.task_id])).get(task.task_id)
    return found.open if found else 0


def warned(back: Redirect, open_ones: int) -> Redirect:
    """Nobody is stopped, but it is said."""
    return back.flash("subtask.still-open", "warning", n=open_ones) if open_ones else back


@pages.post(f"{ONE}/subtasks", name="add-subtask")
async def add(member: Member, quick: Quick, task_id: str, form: Typed) -> Redirect:
    """In one line, with days and names as on the board."""
    try:
        await quick.create(member, form.text, parent=task_id)
    except Refusal as refusal:
        return refused(member, task_id, refusal)
    return back(member, task_id)


@pages.post(f"{ONE}/subtasks/{{child_id}}", name="subtask")
async def change(member: Member, tasks: Tasks, task_id: str, child_id: str, form: Part) -> Redirect:
    if form.action == "out" and not await tasks.subtasks.is_part(member, child_id, task_id):
        return back(member, task_id)  # somebody else took it out, or made it part of another
    if form.action == "out":
        await tasks.change(member, child_id, TaskChanges(), parent=None)
    else:
        status = Status.DONE if form.action == "done" else Status.TODO
        await tasks.change(member, child_id, TaskChanges(status=status))
    return back(member, task_id)


@pages.post(f"{ONE}/parent", name="parent")
async def adopt(member: Member, tasks: Tasks, task_id: str, form: Above) -> Redirect:
    try:
        await tasks.change(member, task_id, TaskChanges(), parent=form.parent.strip() or None)
    except Refusal as refusal:
        return refused(member, task_id, refusal)
    return back(member, task_id)
