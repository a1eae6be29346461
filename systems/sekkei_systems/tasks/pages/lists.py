"""The lists: all tasks by filters that stand in the URL, many at once, what is late, the trash."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct

from sekkei.kit.typed import Token
from sekkei.web import Html, Pages, Redirect, local_path
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.pages.board import After
from sekkei_systems.tasks.pages.view import Listening, View
from sekkei_systems.tasks.rules.drafts import TaskChanges
from sekkei_systems.tasks.rules.filters import Filter, Late
from sekkei_systems.tasks.service.access import Member
from sekkei_systems.tasks.service.tasks import Batches, Outcome, Tasks, Trash

pages = Pages()


class Bulk(Struct):
    tasks: list[Token] = []
    status: Status | None = None
    assignee: Token | None = None
    """`-` takes the assignee away."""
    action: Literal["change", "delete"] = "change"
    next: Token = ""

    def changes(self) -> TaskChanges:
        assignee = UNSET if self.assignee is None else None if self.assignee == "-" else self.assignee
        return TaskChanges(status=UNSET if self.status is None else self.status, assignee=assignee)


@pages.get("/teams/{team_id}/tasks", name="list")
async def listing(listening: Listening, view: View, tasks: Tasks, wanted: Filter, query: After) -> Html:
    found = await tasks.page(view.member, wanted, after=query.after)
    return Html("tasks/list.html", view=view, filter=wanted, found=found, live=listening.address)


@pages.post("/teams/{team_id}/bulk", name="bulk")
async def bulk(member: Member, batches: Batches, form: Bulk) -> Redirect:
    if form.action == "delete":
        done = await batches.delete(member, form.tasks)
    else:
        done = await batches.change(member, form.tasks, form.changes())
    back = Redirect(local_path(form.next, f"/tasks/teams/{member.team_id}/tasks"))
    return _told(back, member, done, "bulk.deleted" if form.action == "delete" else "bulk.done")


@pages.post("/teams/{team_id}/batches/{batch_id}/undo", name="undo-batch")
async def undo(member: Member, batches: Batches, batch_id: str) -> Redirect:
    done = await batches.undo(member, batch_id)
    return _told(Redirect("tasks:list", team_id=member.team_id), member, done, "bulk.undone")


def _told(back: Redirect, member: Member, done: Outcome, text: str) -> Redirect:
    back = back.flash(text, "ok" if done.changed else "info", n=done.changed)
    if done.batch_id:
        back = back.offering("activity.undo", f"/tasks/teams/{member.team_id}/batches/{done.batch_id}/undo")
    return back.flash("bulk.refused", "warning", n=len(done.refused)) if done.refused else back


# What is late.


@pages.get("/teams/{team_id}/late", name="late")
async def late(view: View, tasks: Tasks, wanted: Filter) -> Html:
    finish = Late.DOING if wanted.late is Late.DOING else Late.FINISH
    lists = [(which, await tasks.page(view.member, _late(wanted, which))) for which in (finish, Late.START)]
    return Html("tasks/late.html", view=view, filter=wanted, lists=lists)


def _late(wanted: Filter, which: Late) -> Filter:
    return Filter(tags=wanted.tags, any_tag=wanted.any_tag, assignee=wanted.assignee, late=which)


# The trash: what was deleted in the last thirty days.


@pages.get("/teams/{team_id}/trash", name="trash")
async def listed(view: View, trash: Trash) -> Html:
    return Html("tasks/trash.html", view=view, tasks=await trash.all(view.member))


@pages.post("/teams/{team_id}/trash/{task_id}/back", name="take-back")
async def take_back(member: Member, trash: Trash, task_id: str) -> Redirect:
    await trash.take_back(member, task_id)
    return Redirect("tasks:task", team_id=member.team_id, task_id=task_id).flash("trash.back")


@pages.post("/teams/{team_id}/trash/{task_id}/purge", name="purge")
async def purge(member: Member, trash: Trash, task_id: str) -> Redirect:
    await trash.purge(member, task_id)
    return Redirect("tasks:trash", team_id=member.team_id).flash("trash.purged")
