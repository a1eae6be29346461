"""The calendar: which question is asked on which day, and when."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Annotated
from urllib.parse import urlencode

from msgspec import Meta, Struct, field

from sekkei.clock import Clock
from sekkei.kit.typed import Token
from sekkei.runtime.refusals import Conflict
from sekkei.web import Html, Pages, Redirect
from sekkei_systems.days import today
from sekkei_systems.q.design.models import QuestionStatus
from sekkei_systems.q.pages.desk import done
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.questions import Editing

SHOWN_DAYS = 14
BACK_DAYS = 2
pages = Pages()


class Since(Struct):
    first: Token = field(name="from", default="")

    def day(self, clock: Clock) -> date:
        try:
            return date.fromisoformat(self.first)
        except ValueError:
            return today(clock) - timedelta(days=BACK_DAYS)


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
