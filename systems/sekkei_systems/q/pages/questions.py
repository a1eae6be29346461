"""Questions: all by status, those of the next days, and those that people sent in."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Annotated, Literal
from urllib.parse import urlencode

from msgspec import Meta, Struct, field

from sekkei.clock import Clock
from sekkei.kit.typed import Line, Token
from sekkei.runtime.refusals import Conflict, Invalid
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.days import today
from sekkei_systems.q.design.models import QuestionStatus
from sekkei_systems.q.pages.desk import Paging, done
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.questions import Editing

# Questions that users have suggested.


pages = Pages()


@pages.get("/admin/submissions", name="admin-submissions")
async def submissions(by: Admin, editing: Editing, query: Paging, status: int = 200) -> Html:
    found = await editing.with_status(by, QuestionStatus.PENDING, query.after or None)
    return Html("q/admin/submissions.html", status, found=found)


class Which(Paging):
    status: Token = ""

    @property
    def chosen(self) -> QuestionStatus:
        return next((one for one in QuestionStatus if one.value == self.status), QuestionStatus.APPROVED)


class NewQuestion(Struct):
    text: Annotated[str, Line(500)]


class Review(Struct):
    decision: Literal["approve", "reject", "archive", "bring-back"]


@pages.get("/admin/questions", name="admin-questions")
async def questions(by: Admin, editing: Editing, query: Which, status: int = 200, filled: Form | None = None) -> Html:
    return Html(
        "q/admin/questions.html",
        status,
        found=await editing.with_status(by, query.chosen, query.after or None),
        chosen=query.chosen.value,
        statuses=[one.value for one in QuestionStatus],
        form=filled or Form(),
    )


@pages.post("/admin/questions")
async def create(by: Admin, editing: Editing, query: Which, sent: Sent[NewQuestion]) -> Html | Redirect:
    try:
        await editing.create(by, sent.value.text)
    except Invalid as wrong:
        return await questions(by, editing, query, 422, sent.refilled(wrong))
    return done("/q/admin/questions")


@pages.post("/admin/questions/{question_id}")
async def review(by: Admin, editing: Editing, question_id: str, query: Which, form: Review) -> Html | Redirect:
    """From the suggestions or, with a status in the query, from the list of all questions."""
    try:
        await _decide(by, editing, question_id, form.decision)
    except Conflict as refused:  # somebody else was quicker: the page as it is now, and why
        if query.status:
            return (await questions(by, editing, query, refused.status)).flash(refused)
        return (await submissions(by, editing, query, refused.status)).flash(refused)
    if form.decision in ("approve", "reject"):
        return done("/q/admin/submissions")
    return done(f"/q/admin/questions?status={query.chosen.value}")


async def _decide(by: Admin, editing: Editing, question_id: str, decision: str) -> None:
    if decision in ("approve", "reject"):
        await editing.review(by, question_id, decision == "approve")
    elif decision == "archive":
        await editing.archive(by, question_id)
    else:
        await editing.bring_back(by, question_id)


# The calendar: which question is asked on which day, and when.


SHOWN_DAYS = 14
_BACK_DAYS = 2


class Since(Struct):
    first: Token = field(name="from", default="")

    def day(self, clock: Clock) -> date:
        try:
            return date.fromisoformat(self.first)
        except ValueError:
            return today(clock) - timedelta(days=_BACK_DAYS)


class Day(Struct):
    time: Annotated[str, Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$")]
    question_id: Token = ""


@pages.get("/admin/days", name="admin-days")
async def calendar(by: Admin, editing: Editing, clock: Clock, query: Since, status: int = 200) -> Html:
    first, step = query.day(clock), timedelta(days=SHOWN_DAYS)
    shown = await editing.calendar(by, first, SHOWN_DAYS)
    choices = await editing.with_status(by, QuestionStatus.APPROVED)
    return Html(
        "q/admin/days.html",
        status,
        calendar=shown,
        today=today(clock),
        choices=[(one.question_id, one.text) for one in choices],
        before=first - step,
        after=first + step,
    )


@pages.post("/admin/days/{day}")
async def set_day(by: Admin, editing: Editing, clock: Clock, day: date, query: Since, form: Day) -> Html | Redirect:
    try:
        await editing.set_day(by, day, time.fromisoformat(form.time), form.question_id or None)
    except Conflict as refused:
        return (await calendar(by, editing, clock, query, refused.status)).flash(refused)
    return done(f"/q/admin/days?{urlencode({'from': query.first})}" if query.first else "/q/admin/days")
