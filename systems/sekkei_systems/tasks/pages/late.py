"""What is late."""

from __future__ import annotations

from sekkei.web import Html, Pages
from sekkei_systems.tasks.pages.view import View
from sekkei_systems.tasks.rules.filters import Filter, Late
from sekkei_systems.tasks.service import Tasks

pages = Pages()


@pages.get("/teams/{team_id}/late", name="late")
async def late(view: View, tasks: Tasks, wanted: Filter) -> Html:
    finish = Late.DOING if wanted.late is Late.DOING else Late.FINISH
    lists = [(which, await tasks.page(view.member, _late(wanted, which))) for which in (finish, Late.START)]
    return Html("tasks/late.html", view=view, filter=wanted, lists=lists)


def _late(wanted: Filter, which: Late) -> Filter:
    return Filter(tags=wanted.tags, any_tag=wanted.any_tag, assignee=wanted.assignee, late=which)
