"""The list: all tasks by filters that stand in the URL, and many at once."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct

from sekkei.web import Html, Pages, Redirect, local_path
from sekkei_systems.tasks.pages.board import After
from sekkei_systems.tasks.pages.view import Listening, View
from sekkei_systems.tasks.rules.drafts import TaskChanges
from sekkei_systems.tasks.rules.filters import Filter
from sekkei_systems.tasks.rules.statuses import Status
from sekkei_systems.tasks.service import Member, Tasks, Trash

pages = Pages()


class Bulk(Struct):
    tasks: list[str] = []
    status: Status | None = None
    assignee: str | None = None
    """`-` takes the assignee away."""
    action: Literal["change", "delete"] = "change"
    next: str = ""

    def changes(self) -> TaskChanges:
        assignee = UNSET if self.assignee is None else None if self.assignee == "-" else self.assignee
        return TaskChanges(status=UNSET if self.status is None else self.status, assignee=assignee)


@pages.get("/teams/{team_id}/tasks", name="list")
async def listing(listening: Listening, view: View, tasks: Tasks, wanted: Filter, query: After) -> Html:
    found = await tasks.page(view.member, wanted, after=query.after)
    return Html("tasks/list.html", view=view, filter=wanted, found=found, live=listening.address)


@pages.post("/teams/{team_id}/bulk", name="bulk")
async def bulk(member: Member, tasks: Tasks, trash: Trash, form: Bulk) -> Redirect:
    if form.action == "delete":
        refused = await trash.put_many(member, form.tasks)
    else:
        refused = await tasks.change_many(member, form.tasks, form.changes())
    done = len(set(form.tasks)) - len(refused)
    back = Redirect(local_path(form.next, f"/tasks/teams/{member.team_id}/tasks"))
    back = back.flash("bulk.deleted" if form.action == "delete" else "bulk.done", "ok" if done else "info", n=done)
    return back.flash("bulk.refused", "warning", n=len(refused)) if refused else back
