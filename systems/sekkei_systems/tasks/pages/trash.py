"""The trash: what was deleted in the last thirty days."""

from __future__ import annotations

from sekkei.web import Html, Pages, Redirect
from sekkei_systems.tasks.pages.view import View
from sekkei_systems.tasks.service import Member, Trash

pages = Pages()


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
