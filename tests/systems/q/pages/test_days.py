"""The calendar."""

from __future__ import annotations

from datetime import timedelta

from sekkei.web import Html, Redirect
from sekkei_systems import days
from sekkei_systems.q.pages.days import SHOWN_DAYS, Day, Since, calendar, set_day
from tests.systems.q.conftest import World


async def test_two_weeks_from_the_day_before_yesterday_or_as_asked(desk: World) -> None:
    by, editing = await desk.proven.access.admin("boss"), desk.proven.editing
    today = days.today(desk.clock)
    page = await calendar(by, editing, desk.clock, Since("no day"))
    shown = [day for day, _ in page.values["calendar"]]
    assert (shown[0], len(shown)) == (today - timedelta(days=2), SHOWN_DAYS)
    page = await calendar(by, editing, desk.clock, Since("2026-02-01"))
    assert str(page.values["calendar"][0][0]) == "2026-02-01"


async def test_a_day_is_set_and_stays_on_its_page(desk: World) -> None:
    by, editing = await desk.proven.access.admin("boss"), desk.proven.editing
    await desk.question("one")
    day = days.today(desk.clock) + timedelta(days=3)
    answer = await set_day(by, editing, desk.clock, day, Since("2025-11-08"), Day("21:15", "one"))
    assert answer == Redirect("/q/admin/days?from=2025-11-08").flash("admin.done")
    row = dict(await editing.calendar(by, day, 1))[day]
    assert row is not None
    assert (row.question_id, row.scheduled_publish_time.strftime("%H:%M")) == ("one", "21:15")


async def test_what_is_out_stays(desk: World) -> None:
    by, editing = await desk.proven.access.admin("boss"), desk.proven.editing
    out = await desk.ask()
    answer = await set_day(by, editing, desk.clock, out.day, Since(), Day("21:15"))
    assert isinstance(answer, Html)
    assert (answer.status, len(answer.flashes)) == (409, 1)
