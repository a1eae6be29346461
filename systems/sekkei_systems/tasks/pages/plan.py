"""A task's checklist, what comes before it, and when it comes again."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Struct

from sekkei.kit.typed import Line, Token
from sekkei.runtime.refusals import Refusal
from sekkei.web import Html, Pages, Redirect
from sekkei_systems.tasks.design import Plan
from sekkei_systems.tasks.pages.view import View
from sekkei_systems.tasks.rules.recurring import PRESETS, preset_of
from sekkei_systems.tasks.service import Member, Plans

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
    around = await plans.around(plan)
    return {
        "plan": plan,
        "blockers": around.blockers,
        "family": around.family,
        "closable": around.closable,
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
async def add(member: Member, plans: Plans, task_id: str, form: Typed) -> Redirect:
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
