"""Adding a question, and deciding what becomes of one."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei.web import Html, Redirect, Sent
from sekkei_systems import days
from sekkei_systems.q.design.models import QuestionStatus
from sekkei_systems.q.pages.desk import Paging, done
from sekkei_systems.q.pages.questions import (
    SHOWN_DAYS,
    Day,
    NewQuestion,
    Review,
    Since,
    Which,
    calendar,
    create,
    questions,
    review,
    set_day,
    submissions,
)
from tests.systems.q.conftest import World


async def test_a_new_one_is_approved_and_a_bad_one_shown_again(desk: World) -> None:
    by, editing = await desk.proven.access.admin("boss"), desk.proven.editing
    assert await create(by, editing, Which(), Sent(NewQuestion("好きな音は？"))) == done("/q/admin/questions")
    again = await create(by, editing, Which(), Sent(NewQuestion("あ" * 81)))
    assert isinstance(again, Html)
    assert (again.status, list(again.values["form"].errors)) == (422, ["text"])
    desk.pass_time()
    page = await questions(by, editing, Which(status="nonsense"))
    assert ([one.text for one in page.values["found"]], page.values["chosen"]) == (["好きな音は？"], "approved")


@pytest.mark.parametrize(
    ("decision", "before", "after", "to"),
    [
        ("approve", "pending", "approved", "/q/admin/submissions"),
        ("reject", "pending", "rejected", "/q/admin/submissions"),
        ("archive", "approved", "archived", "/q/admin/questions?status=approved"),
        ("bring-back", "archived", "approved", "/q/admin/questions?status=archived"),
    ],
)
async def test_decisions_and_the_second_one_to_decide(
    desk: World, decision: str, before: str, after: str, to: str
) -> None:
    by, editing = await desk.proven.access.admin("boss"), desk.proven.editing
    await desk.question("one", QuestionStatus(before))
    query = Which(status="" if before == "pending" else before)
    form = Review(decision)  # type: ignore[arg-type]
    assert await review(by, editing, "one", query, form) == Redirect(to).flash("admin.done")
    desk.pass_time()
    assert [one.question_id for one in await editing.with_status(by, QuestionStatus(after))] == ["one"]
    late = await review(by, editing, "one", query, form)
    assert isinstance(late, Html)
    assert (late.status, len(late.flashes)) == (409, 1)
    assert late.template == ("q/admin/submissions.html" if before == "pending" else "q/admin/questions.html")


# The calendar.


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


# Questions that users have suggested.


async def test_only_what_waits(desk: World) -> None:
    await desk.question("waiting", QuestionStatus.PENDING)
    await desk.question("free")
    desk.pass_time()
    page = await submissions(await desk.proven.access.admin("boss"), desk.proven.editing, Paging())
    assert [one.question_id for one in page.values["found"]] == ["waiting"]
