"""A studio's weekly schedule at the desk: templates, days without them, holidays."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta

from sekkei.kit.typed import Line
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.lessons.pages.view import Typed, View
from sekkei_systems.lessons.rules.places import NAME_MAX
from sekkei_systems.lessons.rules.slots import time_in
from sekkei_systems.lessons.rules.weekly import WeeklyFields
from sekkei_systems.lessons.service.access import Staff
from sekkei_systems.lessons.service.weekly import Weekly

_HOLIDAYS_SHOWN = timedelta(days=365)
pages = Pages()
_Weekday = Annotated[int, Meta(ge=0, le=6)]


class WeeklyForm(WeeklyFields[Typed], kw_only=True, frozen=True):
    weekday: _Weekday
    start_time: Typed


class Named(msgspec.Struct):
    weekday: _Weekday
    start_time: Typed


class _Skipped(Named, kw_only=True):
    day: date


class Closed(msgspec.Struct):
    day: date
    name: Annotated[str, Line(NAME_MAX, 0)] = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """The page; a template that was refused shows it again."""

    view: View
    staff: Staff
    weekly: Weekly

    async def html(self, status: int = 200, filled: Form | None = None) -> Html:
        code, today = self.staff.studio.code, self.view.today
        return Html(
            "lessons/weekly.html",
            status,
            view=self.view,
            studio=self.staff.studio,
            templates=await self.weekly.all(code),
            holidays=await self.weekly.holidays(code, today, today + _HOLIDAYS_SHOWN),
            form=filled or Form({"first_day": today.isoformat(), "weekday": "0"}),
            blank=Form({}),
        )

    @property
    def again(self) -> Redirect:
        return Redirect("lessons:weekly", code=self.staff.studio.code)


@pages.get("/desk/{code}/weekly", name="weekly")
async def open_weekly(shown: Shown) -> Html:
    return await shown.html()


@pages.post("/desk/{code}/weekly")
async def save(shown: Shown, weekly: Weekly, sent: Sent[WeeklyForm]) -> Html | Redirect:
    try:
        given = sent.value
        await weekly.enter(shown.staff, given.weekday, time_in(given.start_time, "start_time"), given)
    except Invalid as wrong:
        return await shown.html(wrong.status, sent.refilled(wrong))
    return shown.again.flash("done.weekly")


@pages.post("/desk/{code}/weekly/remove", name="remove_weekly")
async def remove(shown: Shown, weekly: Weekly, form: Named) -> Redirect:
    try:
        await weekly.remove(shown.staff, form.weekday, time_in(form.start_time, "start_time"))
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.weekly.removed")


@pages.post("/desk/{code}/weekly/skip", name="skip_weekly")
async def skip(shown: Shown, weekly: Weekly, form: _Skipped) -> Redirect:
    try:
        await weekly.skip(shown.staff, form.weekday, time_in(form.start_time, "start_time"), form.day)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.weekly.skipped")


@pages.post("/desk/{code}/weekly/hold", name="hold_weekly")
async def hold(shown: Shown, weekly: Weekly, form: _Skipped) -> Redirect:
    try:
        await weekly.hold(shown.staff, form.weekday, time_in(form.start_time, "start_time"), form.day)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.weekly.held")


@pages.post("/desk/{code}/holidays", name="close_day")
async def close(shown: Shown, weekly: Weekly, form: Closed) -> Redirect:
    try:
        await weekly.close(shown.staff, form.day, form.name)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.holiday")


@pages.post("/desk/{code}/holidays/remove", name="open_day")
async def reopen(shown: Shown, weekly: Weekly, form: Closed) -> Redirect:
    await weekly.open(shown.staff, form.day)
    return shown.again.flash("done.holiday.gone")
