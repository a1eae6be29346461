"""A task's checklist, what comes before it, and when it comes again."""

from __future__ import annotations

from sekkei.web import Operations
from sekkei_systems.tasks.api.shapes import (
    CheckOut,
    CountQuery,
    Limits,
    MarksOut,
    NewCheck,
    NewRule,
    ParentOut,
    PlanOut,
    Progress,
    TickCheck,
)
from sekkei_systems.tasks.design import Plan
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.service import Admin, Member, Plans, Tasks, Teams
from sekkei_systems.tasks.service.plans import Marks

operations = Operations()
ONE = "/teams/{team_id}/tasks/{task_id}"


def out(plan: Plan) -> PlanOut:
    checks = [CheckOut(one.id, one.text, one.done) for one in plan.checks]
    return PlanOut(checks, sorted(plan.blocked_by), plan.rule)


@operations.get(f"{ONE}/plan", summary="Checklist, what comes before, when it comes again", tag="plans")
async def get_plan(member: Member, tasks: Tasks, plans: Plans, task_id: str) -> PlanOut:
    await tasks.card(member, task_id)
    return out(await plans.get(member, task_id))


@operations.post(f"{ONE}/checks", summary="Add to the checklist", status=201, tag="plans")
async def add_check(member: Member, plans: Plans, task_id: str, body: NewCheck) -> PlanOut:
    return out(await plans.add_check(member, task_id, body.text))


@operations.patch(f"{ONE}/checks/{{check_id}}", summary="Tick it, or not", tag="plans")
async def tick(member: Member, plans: Plans, task_id: str, check_id: str, body: TickCheck) -> PlanOut:
    return out(await plans.tick(member, task_id, check_id, body.done))


@operations.delete(f"{ONE}/checks/{{check_id}}", summary="Take it off the checklist", tag="plans")
async def remove_check(member: Member, plans: Plans, task_id: str, check_id: str) -> None:
    await plans.remove_check(member, task_id, check_id)


@operations.put(f"{ONE}/blockers/{{by}}", summary="Another task (id or DEV-12) comes first; no circles", tag="plans")
async def block(member: Member, plans: Plans, task_id: str, by: str) -> PlanOut:
    return out(await plans.block(member, task_id, by))


@operations.delete(f"{ONE}/blockers/{{by}}", summary="It need not come first", tag="plans")
async def unblock(member: Member, plans: Plans, task_id: str, by: str) -> None:
    await plans.unblock(member, task_id, by)


@operations.put(f"{ONE}/rule", summary="When it comes again: a preset, an RRULE, or null", tag="plans")
async def repeat(member: Member, plans: Plans, task_id: str, body: NewRule) -> PlanOut:
    return out(await plans.repeat(member, task_id, body.rule or ""))


@operations.get("/teams/{team_id}/marks", summary="What cards say of the plans of some tasks", tag="plans")
async def marks(member: Member, plans: Plans, query: CountQuery) -> dict[str, MarksOut]:
    found = await plans.marks(member, query.task)
    return {id: marks_out(one) for id, one in found.items()}


def marks_out(marks: Marks) -> MarksOut:
    parent, family = marks.family.parent, marks.family
    above = ParentOut(parent.task_id, parent.number, parent.title) if parent else None
    return MarksOut(marks.done, marks.all, marks.blocked, Progress(family.done, len(family.children)), above)


@operations.put("/teams/{team_id}/limits", summary="How many tasks a column should hold at most", tag="teams")
async def limit_columns(admin: Admin, teams: Teams, body: Limits) -> Limits:
    await teams.limit(admin, {Status.TODO: body.todo, Status.DOING: body.doing})
    return body
