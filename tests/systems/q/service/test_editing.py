"""What administrators do to questions and days."""

from __future__ import annotations

from datetime import time, timedelta

import pytest

from sekkei_systems import days
from sekkei_systems.q.design.models import QuestionStatus
from sekkei_systems.q.design.tables import daily_questions, questions
from sekkei_systems.q.refusals import (
    AlreadyPublished,
    BadText,
    NoSuchThing,
    WrongState,
)
from sekkei_systems.q.service.questions import Published
from tests.systems.q.conftest import World


async def test_a_proposal_is_approved_or_rejected_once(desk: World) -> None:
    made = await desk.service.submissions.submit("a", "よい提案？")
    desk.pass_time()
    assert [one.text for one in await desk.service.editing.with_status("boss", QuestionStatus.PENDING)] == [
        "よい提案？"
    ]
    review = desk.service.editing.review
    await review("boss", made.question_id, approve=True, address="192.0.2.1")
    with pytest.raises(WrongState):
        await review("boss", made.question_id, approve=False)
    with pytest.raises(NoSuchThing):
        await review("boss", "nothing", approve=True)
    assert await desk.logged() == [("REVIEW_SUBMISSION", made.question_id)]
    (line,) = await desk.service.logs.page("boss")
    assert (line.admin_email, line.ip_address, line.details) == ("boss@example.com", "192.0.2.1", {"to": "approved"})
    assert line.ttl - line.timestamp == timedelta(days=90)


async def test_archived_and_brought_back(desk: World) -> None:
    made = await desk.service.editing.create("boss", "いい質問？")
    await desk.service.editing.archive("boss", made.question_id)
    with pytest.raises(WrongState):
        await desk.service.editing.archive("boss", made.question_id)
    await desk.service.editing.bring_back("boss", made.question_id)
    assert (await desk.db.need(questions(made.question_id).consistent())).status is QuestionStatus.APPROVED
    with pytest.raises(BadText):
        await desk.service.editing.create("boss", "長" * 81)


async def test_a_days_question_can_be_replaced_until_it_is_out(desk: World) -> None:
    await desk.question("first")
    desk.pass_time()
    tomorrow = days.today(desk.clock) + timedelta(days=1)
    await desk.service.planning.plan(tomorrow)
    await desk.question("second")
    row = await desk.service.editing.set_day("boss", tomorrow, time(9, 30), "second")
    assert (row.question_id, row.scheduled_publish_time) == ("second", time(9, 30))
    first = await desk.db.need(questions("first").consistent())
    assert (first.status, first.last_used_at.year) == (QuestionStatus.APPROVED, 1970)
    assert (await desk.db.need(questions("second").consistent())).status is QuestionStatus.USED
    row = await desk.service.editing.set_day("boss", tomorrow, time(21))
    assert (row.question_id, row.scheduled_publish_time) == ("second", time(21))
    with pytest.raises(WrongState):
        await desk.service.editing.set_day("boss", tomorrow, time(21), "nothing")
    desk.clock.advance(33 * 3600 + 60)  # 21:01 of that day
    assert isinstance(await desk.service.planning.publish_due(), Published)
    with pytest.raises(AlreadyPublished):
        await desk.service.editing.set_day("boss", tomorrow, time(22), "first")
    assert [name for name, _ in await desk.logged()].count("SET_DAILY_QUESTION") == 2


async def test_a_planned_question_that_was_archived_can_be_replaced_and_stays_archived(desk: World) -> None:
    await desk.question("bad")
    await desk.question("good")
    tomorrow = days.today(desk.clock) + timedelta(days=1)
    await desk.service.editing.set_day("boss", tomorrow, time(9), "bad")
    await desk.service.editing.archive("boss", "bad")
    row = await desk.service.editing.set_day("boss", tomorrow, time(9), "good")
    assert row.question_id == "good"
    assert (await desk.db.need(questions("bad").consistent())).status is QuestionStatus.ARCHIVED


async def test_a_free_day_is_set(desk: World) -> None:
    await desk.question("chosen")
    later = days.today(desk.clock) + timedelta(days=9)
    await desk.service.editing.set_day("boss", later, time(12), "chosen")
    assert (await desk.db.need(daily_questions(later).consistent())).question_text == "chosen？"
    days_shown = await desk.service.editing.calendar("boss", later, 2)
    assert [row is not None for _, row in days_shown] == [True, False]


async def test_archiving_takes_a_question_off_the_plan(desk: World) -> None:
    for id in ("tomorrow", "later", "spare"):
        await desk.question(id)
    today = days.today(desk.clock)
    soon, late = today + timedelta(days=1), today + timedelta(days=40)
    await desk.service.editing.set_day("boss", soon, time(9), "tomorrow")
    await desk.service.editing.set_day("boss", late, time(9), "later")
    desk.pass_time()
    await desk.service.editing.archive("boss", "tomorrow")
    await desk.service.editing.archive("boss", "later")
    calendar = dict(await desk.service.editing.calendar("boss", today, 60))
    assert calendar[soon] is not None
    assert calendar[soon].question_id not in ("tomorrow", "later")  # drawn anew
    assert calendar[late] is None  # planned when its day comes
    for id in ("tomorrow", "later"):
        assert (await desk.db.need(questions(id).consistent())).status is QuestionStatus.ARCHIVED


async def test_archiving_what_is_out_leaves_its_day(desk: World) -> None:
    await desk.question("one")
    today = days.today(desk.clock)
    await desk.service.editing.set_day("boss", today, time(0), "one")
    await desk.service.planning.publish_due()
    await desk.service.editing.archive("boss", "one")
    assert dict(await desk.service.editing.calendar("boss", today, 1))[today].question_id == "one"
