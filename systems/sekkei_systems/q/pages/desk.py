"""The console of those who run Q.: server-rendered, every action in the log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, time, timedelta
from typing import Annotated, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from sekkei.runtime import days
from sekkei.runtime.refusals import Conflict, Invalid
from sekkei.runtime.system import Context
from sekkei.web import (
    Form,
    Pages,
    flash,
    form,
    language_of,
    page,
    proved_at,
    redirect,
    refill,
    require_proof,
    require_user,
    t,
)
from sekkei.web.limits import address
from sekkei_systems.q.design.models import AdminAction, QuestionStatus, ReportStatus
from sekkei_systems.q.refusals import NoSuchThing, Taken
from sekkei_systems.q.service import Service
from sekkei_systems.q.service.access import Admin, ProvenAdmin

CALENDAR_DAYS = 14
WORDS_PAGE = 100
Short = Annotated[str, Meta(max_length=500)]
Handler = Callable[[Request], Awaitable[Response]]
Show = Callable[[Request, int], Awaitable[Response]]


class Review(Struct):
    decision: Literal["approve", "reject", "archive", "bring-back"]


class NewQuestion(Struct):
    text: Short


class PostReview(Struct):
    decision: Literal["keep", "remove", "restore"]


class Settle(Struct):
    status: Literal["resolved", "dismissed"]


class Day(Struct):
    time: Annotated[str, Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$")]
    question_id: Short = ""


class Ban(Struct):
    reason: Short = ""


class Word(Struct):
    word: Short
    allowed: bool = False


class OldWord(Struct):
    word: Short


def routes(service: Service, context: Context) -> list[BaseRoute]:
    pages = Pages()
    _overview(pages, service, context)
    _questions(pages, service)
    _days(pages, service, context)
    _posts_and_reports(pages, service)
    _people(pages, service)
    _words_and_log(pages, service)
    return pages.routes


async def _admin(request: Request, service: Service) -> Admin:
    """In person, and with the authenticator app, where there is one; from where, as a trusted proxy says."""
    user = require_user(request)
    require_proof(request)
    return await service.access.admin(user.id, address(request))


async def _proven(request: Request, service: Service) -> ProvenAdmin:
    user = require_user(request)
    require_proof(request)
    return await service.access.proven_admin(user.id, address(request), proved_at=proved_at(request))


def _done(request: Request, to: str) -> Response:
    flash(request, t(request, "admin.done"))
    return redirect(request, to)


def _telling(act: Handler, show: Show) -> Handler:
    """What others have settled meanwhile is said on the page that the form stood on, as it is now."""

    async def handler(request: Request) -> Response:
        try:
            return await act(request)
        except Conflict as refused:
            flash(request, refused.text(language_of(request)), "error")
            return await show(request, refused.status)

    return handler


def _after(request: Request) -> str | None:
    return request.query_params.get("after") or None


def _day(request: Request) -> date:
    try:
        return date.fromisoformat(request.path_params["day"])
    except ValueError:
        raise NoSuchThing() from None


def _overview(pages: Pages, service: Service, context: Context) -> None:
    @pages.get("/admin", name="admin")
    async def overview(request: Request) -> Response:
        by = await _admin(request, service)
        pending = await service.editing.with_status(by, QuestionStatus.PENDING)
        approved = await service.editing.with_status(by, QuestionStatus.APPROVED)
        flagged = await service.moderation.flagged(by)
        reports = await service.moderation.reports(by, ReportStatus.PENDING)
        counts = [
            ("submissions", len(pending), pending.cursor is not None),
            ("flagged", len(flagged), flagged.cursor is not None),
            ("reports", len(reports), reports.cursor is not None),
            ("questions", len(approved), approved.cursor is not None),
        ]
        calendar = await service.editing.calendar(by, days.today(context.clock), 3)
        log = await service.logs.page(by)
        return page(request, "q/admin/overview.html", counts=counts, calendar=calendar, log=list(log)[:8])


def _questions(pages: Pages, service: Service) -> None:
    async def submissions(request: Request, status: int = 200) -> Response:
        by = await _admin(request, service)
        found = await service.editing.with_status(by, QuestionStatus.PENDING, _after(request))
        return page(request, "q/admin/submissions.html", status, found=found)

    async def show_questions(request: Request, filled: Form, status: int = 200) -> Response:
        by = await _admin(request, service)
        chosen = _chosen(request)
        found = await service.editing.with_status(by, chosen, _after(request))
        return page(
            request,
            "q/admin/questions.html",
            status,
            found=found,
            chosen=chosen.value,
            statuses=[one.value for one in QuestionStatus],
            form=filled,
        )

    async def questions(request: Request, status: int = 200) -> Response:
        return await show_questions(request, Form(), status)

    @pages.post("/admin/questions")
    async def create(request: Request) -> Response:
        by = await _admin(request, service)
        try:
            await service.editing.create(by, (await form(request, NewQuestion)).text)
        except Invalid as wrong:
            return await show_questions(request, refill(request, wrong), 422)
        return _done(request, "/q/admin/questions")

    async def review(request: Request) -> Response:
        by = await _admin(request, service)
        decision = (await form(request, Review)).decision
        id = request.path_params["question_id"]
        if decision in ("approve", "reject"):
            await service.editing.review(by, id, decision == "approve")
            return _done(request, "/q/admin/submissions")
        move = service.editing.archive if decision == "archive" else service.editing.bring_back
        await move(by, id)
        return _done(request, f"/q/admin/questions?status={_chosen(request).value}")

    pages.get("/admin/submissions", name="admin-submissions")(submissions)
    pages.get("/admin/questions", name="admin-questions")(questions)
    pages.post("/admin/questions/{question_id}")(
        _telling(review, lambda request, status: (submissions if _is_proposal(request) else questions)(request, status))
    )


def _chosen(request: Request) -> QuestionStatus:
    asked = request.query_params.get("status")
    return next((one for one in QuestionStatus if one.value == asked), QuestionStatus.APPROVED)


def _is_proposal(request: Request) -> bool:
    return "status" not in request.query_params


def _days(pages: Pages, service: Service, context: Context) -> None:
    async def calendar(request: Request, status: int = 200) -> Response:
        by = await _admin(request, service)
        today = days.today(context.clock)
        try:
            first = date.fromisoformat(request.query_params.get("from", ""))
        except ValueError:
            first = today - timedelta(days=2)
        shown = await service.editing.calendar(by, first, CALENDAR_DAYS)
        choices = await service.editing.with_status(by, QuestionStatus.APPROVED)
        step = timedelta(days=CALENDAR_DAYS)
        return page(
            request,
            "q/admin/days.html",
            status,
            calendar=shown,
            today=today,
            choices=[(one.question_id, one.text) for one in choices],
            before=first - step,
            after=first + step,
        )

    async def set_day(request: Request) -> Response:
        by = await _admin(request, service)
        given = await form(request, Day)
        await service.editing.set_day(by, _day(request), time.fromisoformat(given.time), given.question_id or None)
        return _done(request, f"/q/admin/days?{request.url.query}")

    pages.get("/admin/days", name="admin-days")(calendar)
    pages.post("/admin/days/{day}")(_telling(set_day, calendar))


def _posts_and_reports(pages: Pages, service: Service) -> None:
    async def flagged(request: Request, status: int = 200) -> Response:
        by = await _admin(request, service)
        found = await service.moderation.flagged(by, _after(request))
        return page(request, "q/admin/flagged.html", status, found=found)

    async def review_post(request: Request) -> Response:
        by = await _admin(request, service)
        decision = (await form(request, PostReview)).decision
        day, author = _day(request), request.path_params["user_id"]
        if decision == "restore":
            await service.moderation.restore_post(by, day, author)
        else:
            await service.moderation.review_post(by, day, author, decision == "remove")
        places = {"reports": "/q/admin/reports", "user": f"/q/admin/users/{author}"}
        return _done(request, places.get(request.query_params.get("from", ""), "/q/admin/flagged"))

    async def reports(request: Request, status: int = 200) -> Response:
        by = await _admin(request, service)
        asked = request.query_params.get("status")
        chosen = next((one for one in ReportStatus if one.value == asked), ReportStatus.PENDING)
        found = await service.moderation.reports(by, chosen, _after(request))
        statuses = [one.value for one in ReportStatus]
        return page(request, "q/admin/reports.html", status, found=found, chosen=chosen.value, statuses=statuses)

    async def settle(request: Request) -> Response:
        by = await _admin(request, service)
        status = ReportStatus((await form(request, Settle)).status)
        await service.moderation.settle(by, request.path_params["report_id"], status)
        return _done(request, "/q/admin/reports")

    pages.get("/admin/flagged", name="admin-flagged")(flagged)
    pages.get("/admin/reports", name="admin-reports")(reports)
    pages.post("/admin/answers/{day}/{user_id}")(_telling(review_post, flagged))
    pages.post("/admin/reports/{report_id}")(_telling(settle, reports))


def _people(pages: Pages, service: Service) -> None:
    @pages.get("/admin/users", name="admin-users")
    async def users(request: Request) -> Response:
        by = await _admin(request, service)
        asked = request.query_params.get("q", "").strip()
        if asked:
            found, cursor = await service.moderation.search(by, asked), None
        else:
            listed = await service.moderation.people(by, _after(request))
            found, cursor = list(listed), listed.cursor
        return page(request, "q/admin/users.html", found=found, cursor=cursor, asked=asked)

    async def show_user(request: Request, filled: Form, status: int = 200) -> Response:
        by = await _admin(request, service)
        found = await service.moderation.dossier(by, request.path_params["user_id"])
        return page(request, "q/admin/user.html", status, found=found, form=filled)

    async def one(request: Request, status: int = 200) -> Response:
        return await show_user(request, Form(), status)

    def set_banned(banned: bool) -> Handler:
        async def act(request: Request) -> Response:
            by = await _proven(request, service)
            id = request.path_params["user_id"]
            change = service.moderation.ban if banned else service.moderation.unban
            try:
                given = await form(request, Ban)
                await change(by, id, given.reason)
            except Invalid as wrong:
                return await show_user(request, refill(request, wrong), 422)
            return _done(request, f"/q/admin/users/{id}")

        return _telling(act, one)

    pages.get("/admin/users/{user_id}", name="admin-user")(one)
    pages.post("/admin/users/{user_id}/ban")(set_banned(True))
    pages.post("/admin/users/{user_id}/unban")(set_banned(False))


def _words_and_log(pages: Pages, service: Service) -> None:
    async def show_words(request: Request, filled: Form, status: int = 200) -> Response:
        by = await _admin(request, service)
        found = await service.moderation.words(by)
        asked = request.query_params.get("page", "")
        last = max(0, (len(found) - 1) // WORDS_PAGE)
        number = min(int(asked), last) if asked.isascii() and asked.isdigit() and len(asked) < 5 else 0
        shown = found[number * WORDS_PAGE : (number + 1) * WORDS_PAGE]
        return page(
            request, "q/admin/words.html", status, found=shown, total=len(found), number=number, last=last, form=filled
        )

    async def words(request: Request, status: int = 200) -> Response:
        return await show_words(request, Form(), status)

    @pages.post("/admin/words")
    async def add_word(request: Request) -> Response:
        by = await _admin(request, service)
        try:
            given = await form(request, Word)
            await service.moderation.add_word(by, given.word, allowed=given.allowed)
        except (Invalid, Taken) as wrong:
            return await show_words(request, refill(request, wrong), wrong.status)
        return _done(request, "/q/admin/words")

    async def delete_word(request: Request) -> Response:
        by = await _admin(request, service)
        await service.moderation.delete_word(by, (await form(request, OldWord)).word)
        return _done(request, "/q/admin/words")

    pages.get("/admin/words", name="admin-words")(words)
    pages.post("/admin/words/delete")(delete_word)

    @pages.get("/admin/log", name="admin-log")
    async def log(request: Request) -> Response:
        by = await _admin(request, service)
        asked = request.query_params.get("action")
        action = next((one for one in AdminAction if one.value == asked), None)
        admin = request.query_params.get("admin") or None
        found = await service.logs.page(by, action=action, admin=admin, after=_after(request))
        actions = [one.value for one in AdminAction]
        return page(
            request, "q/admin/log.html", found=found, actions=actions, action=asked if action else "", admin=admin
        )
