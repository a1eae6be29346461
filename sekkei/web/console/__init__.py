"""For whoever runs it: what goes out, what waits, what failed. The tables themselves are in `console_tables`.

Open to everyone in a demo on one's own machine, and to the accounts named in SEKKEI_OPERATORS.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import orjson
from markupsafe import Markup, escape
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.kit.typed import Token
from sekkei.runtime import days
from sekkei.runtime.alarms import family
from sekkei.runtime.dead_letters import DeadLetter, DeadLetterKind, gist
from sekkei.runtime.design import (
    JobRun,
    Message,
    Schedule,
    State,
    due_schedules,
    holds,
    messages,
    newest_jobs,
    newest_messages,
)
from sekkei.runtime.refusals import NotAllowed, NotThere
from sekkei.web.console.letters import cards_of
from sekkei.web.console.searching import PAGES_MAX, SEARCHED_A_PAGE, Found, matches, search
from sekkei.web.console.token_login import TokenNeeded, has_entered
from sekkei.web.forms import form
from sekkei.web.identity.proof import require_proof
from sekkei.web.identity.users import current_user, require_user
from sekkei.web.rendering import flash, page, redirect
from sekkei.web.texts import t

if TYPE_CHECKING:
    from sekkei.web.shell import Shell

PAGE_ITEMS = 50
JOB_STATES = ("running", "stopped", "finished")
EVER = datetime(9999, 1, 1, tzinfo=UTC)
_LINK = re.compile(r"https?://[^\s<>\"'）」]+")
_MAIL_POLICY = (
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


class Chosen(Struct):
    """One of those that were set aside."""

    kind: DeadLetterKind
    id: Token


class Stopped(Struct):
    """One job."""

    id: Token


class Rung(Struct):
    """One alarm."""

    name: Token


def routes() -> list[BaseRoute]:
    return [
        Route("/console", show_overview, methods=["GET"], name="console"),
        Route("/console/outbox", show_outbox, methods=["GET"]),
        Route("/console/outbox/message", show_message, methods=["GET"]),
        Route("/console/outbox/html", show_html, methods=["GET"]),
        Route("/console/schedules", show_schedules, methods=["GET"]),
        Route("/console/jobs", show_jobs, methods=["GET"]),
        Route("/console/jobs/stop", stop_job, methods=["POST"]),
        Route("/console/alarms", show_alarms, methods=["GET"]),
        Route("/console/alarms/end", end_alarm, methods=["POST"]),
        Route("/console/aside", show_aside, methods=["GET"]),
        Route("/console/aside/retry", retry, methods=["POST"]),
        Route("/console/aside/drop", drop, methods=["POST"]),
    ]


def operator(request: Request) -> Shell:
    """The shell, for an operator, with the authenticator app where there is one; anybody else is refused."""
    shell: Shell = request.app.state.shell
    if shell.looked.token and not has_entered(request, shell):
        raise TokenNeeded()
    if not shell.is_operator(request):
        require_user(request)
        raise NotAllowed()
    if not shell.demo_allowed(request):
        require_proof(request)
    return shell


def who(request: Request) -> str:
    """Whom the record of an act names; `local` is whoever sits at the machine of a demo and has not signed in."""
    user = current_user(request)
    return (user.email or user.id) if user is not None else "local"


def running(request: Request) -> Shell:
    """The same, where systems run; `sekkei look` has nothing to stop, retry or drop."""
    shell = operator(request)
    if shell.looked.alone:
        raise NotThere()
    return shell


async def show_overview(request: Request) -> Response:
    alone = operator(request).looked.alone
    return redirect(request, "/console/tables" if alone else "/console/outbox")


async def show_outbox(request: Request) -> Response:
    runtime = operator(request).deployment.runtime
    found = await search(request, runtime, newest_messages(), _words_of_message, lambda one: one.state.value)
    return page(request, "console/outbox.html", found=found, gist=headline, states=[state.value for state in State])


def headline(message: Message) -> str:
    """The first words that people see of it."""
    lines = (line.text for card in cards_of(message.kind, message.body) for line in card.lines)
    return next((text.partition("\n")[0][:160] for text in lines if text), gist(message))


def _words_of_message(message: Message) -> str:
    return f"{message.id} {message.system} {message.kind} {message.to} {gist(message)} {message.last_error or ''}"


async def _message(request: Request) -> Message:
    runtime = operator(request).deployment.runtime
    found = await runtime.get(messages(request.query_params.get("id") or "-").consistent())
    if found is None:
        raise NotThere()
    return found


async def show_message(request: Request) -> Response:
    message = await _message(request)
    text = str(message.body.get("text") or message.body.get("body") or "")
    return page(
        request,
        "console/message.html",
        message=message,
        gist=headline(message),
        text=linked(text),
        cards=cards_of(message.kind, message.body),
        raw=pretty(message.body),
    )


async def show_html(request: Request) -> Response:
    """A mail's HTML, in a frame that can do nothing but open links in a window of their own."""
    message = await _message(request)
    html = str(message.body.get("html", ""))
    headers = {
        "Content-Security-Policy": _MAIL_POLICY,
        "X-Frame-Options": "SAMEORIGIN",
        "Cache-Control": "no-store",
    }
    return Response(f'<base target="_blank">{html}', media_type="text/html; charset=utf-8", headers=headers)


async def show_schedules(request: Request) -> Response:
    runtime = operator(request).deployment.runtime
    found = await search(request, runtime, due_schedules(EVER), _words_of_schedule, lambda one: "")
    return page(request, "console/schedules.html", found=found, pretty=pretty)


def _words_of_schedule(schedule: Schedule) -> str:
    parts = (schedule.name, schedule.system, schedule.job, schedule.last_error or "", pretty(schedule.payload))
    return " ".join(parts)


async def show_jobs(request: Request) -> Response:
    runtime = operator(request).deployment.runtime
    found = await search(request, runtime, newest_jobs(), _words_of_job, _state_of_job)
    return page(request, "console/jobs.html", found=found, pretty=pretty, states=JOB_STATES)


async def stop_job(request: Request) -> Response:
    """A job that fails again and again stands aside, to be tried again or dropped."""
    dead_letters = running(request).deployment.dead_letters
    await dead_letters.stop((await form(request, Stopped)).id, by=who(request))
    flash(request, t(request, "console.job.set-aside"))
    return redirect(request, "/console/aside?kind=job")


def _words_of_job(job: JobRun) -> str:
    return f"{job.id} {job.system} {job.job} {job.step or ''} {job.last_error or ''}"


def _state_of_job(job: JobRun) -> str:
    return "finished" if job.finished else "running" if job.due_pk == "JOB" else "stopped"


async def show_alarms(request: Request) -> Response:
    """What rings, and which ways out are left alone at the moment."""
    deployment = operator(request).deployment
    found = await deployment.worker.alarms.all()
    kinds = sorted(deployment.worker.delivery.kinds)
    held = [one for one in await deployment.runtime.get_many([holds(kind).consistent() for kind in kinds]) if one]
    resting = [one for one in held if one.until > days.now(deployment.clock)]
    circuits = deployment.worker.delivery.open_circuits
    return page(request, "console/alarms.html", found=found, held=resting, circuits=circuits, family=family)


async def end_alarm(request: Request) -> Response:
    """Seen to. It rings again if it is not."""
    alarms = running(request).deployment.worker.alarms
    if not await alarms.end((await form(request, Rung)).name):
        raise NotThere()
    flash(request, t(request, "console.alarm.ended"))
    return redirect(request, "/console/alarms")


async def show_aside(request: Request) -> Response:
    """By kind; `?q=` has words that all must be there, `?system=` whose it is."""
    shell = operator(request)
    dead_letters = shell.deployment.dead_letters
    asked = request.query_params.get("kind")
    if asked is not None and asked not in {kind.value for kind in DeadLetterKind}:
        raise NotThere()
    counts = {kind: await dead_letters.page(kind, size=PAGE_ITEMS) for kind in DeadLetterKind}
    filled = (kind for kind, (some, _) in counts.items() if some)
    chosen = DeadLetterKind(asked) if asked else next(filled, DeadLetterKind.MESSAGE)
    tabs = [
        (
            f"/console/aside?kind={kind.value}",
            t(request, f"console.aside.{kind.value}"),
            kind is chosen,
            f"{len(some)}{'+' if further else ''}",
        )
        for kind, (some, further) in counts.items()
    ]
    found = await _set_aside(request, chosen, counts[chosen])
    systems = ["web", *shell.deployment.systems]
    return page(request, "console/aside.html", tabs=tabs, chosen=chosen, found=found, systems=systems, pretty=pretty)


async def _set_aside(request: Request, kind: DeadLetterKind, first: tuple[list[DeadLetter], str | None]) -> Found:
    """As far as a limited number of pages reaches."""
    dead_letters = operator(request).deployment.dead_letters
    words, system = request.query_params.get("q", "").lower().split(), request.query_params.get("system", "")
    after = request.query_params.get("after")
    some, cursor = await dead_letters.page(kind, size=PAGE_ITEMS, after=after) if after else first
    found = Found()
    for _ in range(PAGES_MAX):
        found.looked_through += len(some)
        found.items += [one for one in some if matches(_words_of_aside(one), one.system, words, system)]
        found.cursor = cursor
        if cursor is None or len(found.items) >= PAGE_ITEMS or not (words or system):
            break
        some, cursor = await dead_letters.page(kind, size=SEARCHED_A_PAGE, after=cursor)
    return found


def _words_of_aside(one: DeadLetter) -> str:
    return f"{one.id} {one.system} {one.what} {one.error} {pretty(one.content)}".lower()


async def retry(request: Request) -> Response:
    dead_letters = running(request).deployment.dead_letters
    chosen = await form(request, Chosen)
    if not await dead_letters.retry(chosen.kind, chosen.id, by=who(request)):
        flash(request, t(request, "console.retry-failed"), "error")
    elif chosen.kind is DeadLetterKind.RECORD:
        flash(request, t(request, "console.retried"))
    else:
        flash(request, t(request, "console.queued-again"))
    return redirect(request, f"/console/aside?kind={chosen.kind.value}")


async def drop(request: Request) -> Response:
    dead_letters = running(request).deployment.dead_letters
    chosen = await form(request, Chosen)
    await dead_letters.drop(chosen.kind, chosen.id, by=who(request))
    flash(request, t(request, "console.dropped"))
    return redirect(request, f"/console/aside?kind={chosen.kind.value}")


def pretty(value: object) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode()


def linked(text: str) -> Markup:
    """A text in which addresses of pages can be followed."""
    parts: list[Markup] = []
    end = 0
    for found in _LINK.finditer(text):
        parts.append(escape(text[end : found.start()]))
        parts.append(Markup('<a href="{0}" rel="noopener noreferrer">{0}</a>').format(found[0]))
        end = found.end()
    parts.append(escape(text[end:]))
    return Markup("").join(parts)
