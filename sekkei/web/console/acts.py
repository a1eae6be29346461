"""Skipping what holds others back, with a look at it first; and who did what with what had failed."""

from __future__ import annotations

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.kit.typed import Token
from sekkei.runtime.dead_letters import DeadLetterKind
from sekkei.runtime.design import job_runs, newest_acts, unread_shards
from sekkei.runtime.refusals import NotThere
from sekkei.web.console import operator, who
from sekkei.web.forms import form
from sekkei.web.rendering import flash, page, redirect
from sekkei.web.texts import t

PAGE_ITEMS = 50


class Skipped(Struct):
    """One that holds others back."""

    kind: DeadLetterKind
    id: Token


def routes() -> list[BaseRoute]:
    return [
        Route("/console/skip", ask, methods=["GET"]),
        Route("/console/skip", skip, methods=["POST"]),
        Route("/console/acts", show_acts, methods=["GET"]),
    ]


async def ask(request: Request) -> Response:
    """What would be skipped, by name, and what that means."""
    runtime = operator(request).deployment.runtime
    kind, id = request.query_params.get("kind", ""), request.query_params.get("id") or "-"
    if kind == DeadLetterKind.JOB.value:
        run = await runtime.get(job_runs(id).consistent())
        error, attempts = (run.last_error, run.attempts) if run is not None else (None, 0)
    elif kind == DeadLetterKind.SHARD.value:
        consumer, _, shard = id.rpartition("/")
        unread = await runtime.get(unread_shards(consumer or "-", shard or "-").consistent())
        error, attempts = (unread.error, unread.attempts) if unread is not None else (None, 0)
    else:
        raise NotThere()
    if error is None:
        raise NotThere()
    return page(request, "console/skip.html", kind=kind, id=id, error=error, attempts=attempts)


async def skip(request: Request) -> Response:
    dead_letters = operator(request).deployment.dead_letters
    chosen = await form(request, Skipped)
    await dead_letters.skip(chosen.kind, chosen.id, by=who(request))
    flash(request, t(request, "console.skipped"))
    return redirect(request, f"/console/aside?kind={chosen.kind.value}")


async def show_acts(request: Request) -> Response:
    runtime = operator(request).deployment.runtime
    found = await runtime.page(newest_acts(), size=PAGE_ITEMS, after=request.query_params.get("after"))
    return page(request, "console/acts.html", found=found)
