"""The board: a column for each status, moved by drag and drop or by keys, and the same on every open screen."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from sekkei.design import Page
from sekkei.kit.typed import Line, Token
from sekkei.runtime.refusals import Invalid
from sekkei.web import Events, Form, Html, Pages, Redirect, local_path
from sekkei_systems.tasks.design import Task
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.pages.plan import still_open, warned
from sekkei_systems.tasks.pages.task import undo_path
from sekkei_systems.tasks.pages.view import ORDER_COOKIE, Card, Listening, View, card_words
from sekkei_systems.tasks.reactions import topic
from sekkei_systems.tasks.rules.drafts import TaskChanges
from sekkei_systems.tasks.rules.filters import Filter
from sekkei_systems.tasks.service.access import Member
from sekkei_systems.tasks.service.numbers import Numbers
from sekkei_systems.tasks.service.plans import Plans
from sekkei_systems.tasks.service.quick import Quick
from sekkei_systems.tasks.service.tasks import Tasks

_COOKIE_SECONDS = 400 * 86_400
pages = Pages()


@dataclass(frozen=True, slots=True)
class Column:
    status: Status
    tasks: Page[Task]
    total: int
    """Of all tasks, whether the filter shows them or not."""


class After(Struct):
    after: Token | None = None


class Move(Struct):
    status: Status
    next: Token = ""


async def columns(view: View, tasks: Tasks, wanted: Filter) -> list[Column]:
    found = await asyncio.gather(*(tasks.column(view.member, status, wanted) for status in Status))
    counts = (view.totals.todo, view.totals.doing, view.totals.done)
    return [Column(*each) for each in zip(Status, found, counts, strict=True)]


@pages.get("/teams/{team_id}", name="board")
async def board(request: Request, listening: Listening, view: View, tasks: Tasks, wanted: Filter) -> Html:
    return Html(
        "tasks/board.html",
        headers=_remembered(request, wanted),
        view=view,
        filter=wanted,
        columns=await columns(view, tasks, wanted),
        form=Form(),
        live=listening.address,
        words=card_words(wanted),
    )


def _remembered(request: Request, wanted: Filter) -> dict[str, str]:
    """The order that somebody chose is kept for the next board."""
    if "order" not in request.query_params:
        return {}
    chosen = "hand" if wanted.hand else "date"
    return {"Set-Cookie": f"{ORDER_COOKIE}={chosen}; Path=/tasks; Max-Age={_COOKIE_SECONDS}; SameSite=Lax; HttpOnly"}


@pages.get("/teams/{team_id}/columns/{status}", name="column")
async def column(view: View, tasks: Tasks, status: Status, wanted: Filter, query: After) -> Html:
    """The next cards of a column, for a board that is open."""
    cards = await tasks.column(view.member, status, wanted, after=query.after)
    return Html("tasks/_column.html", view=view, status=status, tasks=cards, words=card_words(wanted))


@pages.get("/teams/{team_id}/cards/{task_id}", name="card")
async def card(card: Card, tasks: Tasks, task_id: str, wanted: Filter) -> Html | Response:
    """One card as it is now; nothing when the filter does not show it."""
    if not await tasks.answers(card.names.member, card.task, wanted):
        return Response(status_code=204)
    return Html("tasks/_card.html", view=card.names, task=card.task, words=card_words(wanted))


@pages.post("/teams/{team_id}/tasks/{task_id}/move", name="move")
async def move(member: Member, tasks: Tasks, plans: Plans, task_id: str, form: Move) -> Redirect:
    """For browsers without a script; the others use the API. And from a task's page, back to it."""
    before, moved = await tasks.change_from(member, task_id, TaskChanges(status=form.status))
    back = Redirect(local_path(form.next, f"/tasks/teams/{member.team_id}")).flash("task.saved")
    back = warned(back, await still_open(member, plans, before, moved))
    return back if moved.version == before.version else back.offering("activity.undo", undo_path(moved))


class Typed(Struct):
    text: Annotated[str, Line(400, 0)] = ""
    status: Status = Status.TODO


@pages.post("/teams/{team_id}/quick", name="quick")
async def quick(member: Member, quick: Quick, form: Typed) -> Redirect:
    """For browsers without a script; the others use the API."""
    back = Redirect("tasks:board", team_id=member.team_id)
    try:
        await quick.create(member, form.text, form.status)
    except Invalid as wrong:
        return back.flash(wrong)
    return back.flash("task.created")


@pages.get("/teams/{team_id}/n/{number}", name="numbered")
async def numbered(member: Member, numbers: Numbers, number: int) -> Redirect:
    """`DEV-12`, as an address."""
    return Redirect("tasks:task", team_id=member.team_id, task_id=await numbers.task_id(member, number))


@pages.get("/teams/{team_id}/live", name="live")
async def live(member: Member) -> Events:
    return Events(topic(member.team_id))
