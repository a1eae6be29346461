"""The board: a column for each status, moved by drag and drop or by keys, and the same on every open screen."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from sekkei.design import Page
from sekkei.runtime.refusals import NotThere
from sekkei.runtime.system import Context
from sekkei.web import Form, Pages, flash, form, page, redirect, sse, t
from sekkei_systems.tasks.design import Task
from sekkei_systems.tasks.pages.view import arrived, card_words, filter_of, live_of, look
from sekkei_systems.tasks.reactions import topic
from sekkei_systems.tasks.rules.drafts import Changes
from sekkei_systems.tasks.rules.filters import Filter
from sekkei_systems.tasks.rules.statuses import Status
from sekkei_systems.tasks.service import Service


@dataclass(frozen=True, slots=True)
class Column:
    status: Status
    tasks: Page[Task]
    total: int
    """Of all tasks, whether the filter shows them or not."""


class Move(Struct):
    status: Status


def declare(pages: Pages, service: Service, context: Context) -> None:
    async def columns(who: str, team_id: str, wanted: Filter) -> list[Column]:
        totals = await service.teams.totals(who, team_id)
        found = await asyncio.gather(*(service.tasks.column(who, team_id, status, wanted) for status in Status))
        counts = (totals.todo, totals.doing, totals.done)
        return [Column(*each) for each in zip(Status, found, counts, strict=True)]

    @pages.get("/teams/{team_id}", name="board")
    async def board(request: Request) -> Response:
        live = live_of(request, context)
        view = await look(request, service, context)
        wanted = filter_of(request, view.me.user_id)
        found = await columns(view.me.user_id, view.team.team_id, wanted)
        return page(
            request,
            "tasks/board.html",
            view=view,
            filter=wanted,
            columns=found,
            form=Form(),
            live=live,
            words=card_words(request, wanted),
        )

    @pages.get("/teams/{team_id}/columns/{status}", name="column")
    async def column(request: Request) -> Response:
        """The next cards of a column, for a board that is open."""
        view = await look(request, service, context)
        wanted = filter_of(request, view.me.user_id)
        status = _status(request.path_params["status"])
        after = request.query_params.get("after")
        found = await service.tasks.column(view.me.user_id, view.team.team_id, status, wanted, after=after)
        words = card_words(request, wanted)
        return page(request, "tasks/_column.html", view=view, status=status, tasks=found, words=words)

    @pages.get("/teams/{team_id}/cards/{task_id}", name="card")
    async def card(request: Request) -> Response:
        """One card as it is now; nothing when the filter does not show it."""
        view = await look(request, service, context)
        task = await service.tasks.get(view.me.user_id, view.team.team_id, request.path_params["task_id"])
        wanted = filter_of(request, view.me.user_id)
        if not wanted.matches(task):
            return Response(status_code=204)
        return page(request, "tasks/_card.html", view=view, task=task, words=card_words(request, wanted))

    @pages.post("/teams/{team_id}/tasks/{task_id}/move", name="move")
    async def move(request: Request) -> Response:
        """For browsers without a script; the others use the API."""
        user = await arrived(request, service)
        team_id, task_id = request.path_params["team_id"], request.path_params["task_id"]
        wanted = await form(request, Move)
        await service.tasks.change(user.id, team_id, task_id, Changes(status=wanted.status))
        flash(request, t(request, "task.saved"))
        return redirect(request, "tasks:board", team_id=team_id)

    @pages.get("/teams/{team_id}/live", name="live")
    async def live(request: Request) -> Response:
        user = await arrived(request, service)
        await service.access.member(user.id, request.path_params["team_id"])
        return sse(request, context.live, topic(request.path_params["team_id"]))


def _status(text: str) -> Status:
    try:
        return Status(text)
    except ValueError:
        raise NotThere() from None
