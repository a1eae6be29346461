"""A task's plan: its checklist, its subtasks, what comes before it, and when it comes again."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Struct

from sekkei.kit.typed import Line, Token
from sekkei.runtime.refusals import Refusal
from sekkei.web import Html, Pages, Redirect
from sekkei_systems.tasks.design import Plan, Task
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.pages.view import View
from sekkei_systems.tasks.rules.drafts import TaskChanges
from sekkei_systems.tasks.rules.recurring import PRESETS, preset_of
from sekkei_systems.tasks.service.access import Member
from sekkei_systems.tasks.service.plans import Plans
from sekkei_systems.tasks.service.quick import Quick
from sekkei_systems.tasks.service.tasks import Tasks

pages = Pages()
ONE = "/teams/{team_id}/tasks/{task_id}"


class Typed(Struct):
    text: Annotated[str, Line(400, 0)] = ""


class Tick(Struct):
    action: Literal["done", "open", "remove"] = "done"


class Before(Struct):
    by: Annotated[str, Line(400, 0)] = ""


class Rule(Struct):
    rule: Token = ""


async def shown(view: View, plans: Plans, plan: Plan) -> dict[str, Any]:
    """What the part of the page needs."""
    shown = await plans.on_page(plan)
    return {
        "plan": plan,
        "blockers": shown.blockers,
        "family": shown.family,
        "closable": shown.closable,
        "rules": list(PRESETS),
        "rule": preset_of(plan.rule),
    }


def back(member: Member, task_id: str) -> Redirect:
    return Redirect("tasks:task", team_id=member.team_id, task_id=task_id)


def refused(member: Member, task_id: str, refusal: Refusal) -> Redirect:
    if refusal.status not in (409, 422):
        raise refusal
    return back(member, task_id).flash(refusal)


@pages.get(f"{ONE}/plan", name="plan")
async def part(view: View, plans: Plans, task_id: str) -> Html:
    """This part alone, for a page that is open."""
    found = await shown(view, plans, await plans.get(view.member, task_id))
    return Html("tasks/_plan.html", view=view, task_id=task_id, **found)


@pages.post(f"{ONE}/checks", name="add-check")
async def add_check(member: Member, plans: Plans, task_id: str, form: Typed) -> Redirect:
    try:
        await plans.add_check(member, task_id, form.text)
    except Refusal as refusal:
        return refused(member, task_id, refusal)
    return back(member, task_id)


@pages.post(f"{ONE}/checks/{{check_id}}", name="tick")
async def tick(member: Member, plans: Plans, task_id: str, check_id: str, form: Tick) -> Redirect:
    if form.action == "remove":
        await plans.remove_check(member, task_id, check_id)
    else:
        await plans.tick(member, task_id, check_id, form.action == "done")
    return back(member, task_id)


@pages.post(f"{ONE}/blockers", name="block")
async def block(member: Member, plans: Plans, task_id: str, form: Before) -> Redirect:
    try:
        await plans.block(member, task_id, form.by.strip())
    except Refusal as refusal:
        return refused(member, task_id, refusal)
    return back(member, task_id)


@pages.post(f"{ONE}/blockers/{{by}}/remove", name="unblock")
async def unblock(member: Member, plans: Plans, task_id: str, by: str) -> Redirect:
    await plans.unblock(member, task_id, by)
    return back(member, task_id)


@pages.post(f"{ONE}/rule", name="repeat")
async def repeat(member: Member, plans: Plans, task_id: str, form: Rule) -> Redirect:
    try:
        await plans.repeat(member, task_id, form.rule)
    except Refusal as refusal:
        return refused(member, task_id, refusal)
    return back(member, task_id).flash("task.saved")


# What is part of a task, on its page: added in one line, ticked off, taken out; and what the task is part of.


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
async def add_subtask(member: Member, quick: Quick, task_id: str, form: Typed) -> Redirect:
    """In one line, with days and names as on the board."""
    try:
        await quick.create(member, form.text, parent=task_id)
    except Refusal as refusal:
        return refused(member, task_id, refusal)
    return back(member, task_id)


@pages.post(f"{ONE}/subtasks/{{child_id}}", name="subtask")
async def change_subtask(member: Member, tasks: Tasks, task_id: str, child_id: str, form: Part) -> Redirect:
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
