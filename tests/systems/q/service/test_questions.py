"""The question that is open, the days to come, and what people send in."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, time, timedelta

import pytest

from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import NEVER, Question, QuestionStatus, QuestionType
from sekkei_systems.q.design.tables import daily_questions, questions
from sekkei_systems.q.refusals import AlreadyPublished, AlreadySubmitted, BadText, NoQuestion, NoSuchThing, WrongState
from sekkei_systems.q.service.questions import SPARE_QUESTIONS, Published
from tests.systems.q.conftest import World

# The question that is open now.


async def test_none_until_one_is_published_and_then_that_one_until_the_next(world: World) -> None:
    with pytest.raises(NoQuestion):
        await world.service.question.get()
    assert await world.service.question.find() is None
    first = await world.ask("一つめ？")
    assert await world.service.question.get() == first
    world.clock.advance(26 * 3600)
    assert await world.service.question.get() == first
    second = await world.ask("二つめ？")
    assert await world.service.question.get() == second


# Which question is asked on which day.


async def test_votes_are_tickets_in_the_draw(fair: World) -> None:
    await fair.question("wanted")
    await fair.question("plain")
    await fair.db.write(questions.update("wanted").set(Question.votes, 8))
    drawn = [await fair.service.planning._draw() for _ in range(200)]
    wanted = sum(one is not None and one.question_id == "wanted" for one in drawn)
    assert 160 <= wanted < 200  # 180 is to be expected


async def test_a_never_used_question_comes_first(world: World) -> None:
    """Stored with a time of 1970, so that the index has it at all."""
    await world.question("fresh")
    world.pass_time()
    page = await world.db.page(design.approved_questions(), size=50)
    assert [one.question_id for one in page] == ["fresh"]
    planned = await world.service.planning.plan(days.today(world.clock))
    assert (planned.question_id, planned.is_fallback, planned.previous_use) == ("fresh", False, NEVER)


async def test_without_questions_a_spare_one_is_asked(world: World) -> None:
    planned = await world.service.planning.plan(days.today(world.clock))
    assert planned.is_fallback
    assert planned.question_text in SPARE_QUESTIONS


# What administrators do to questions and days.


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


# Proposals and votes.


DAY = timedelta(days=1).total_seconds()


async def test_one_proposal_a_day(world: World) -> None:
    await world.join("me")
    results = await asyncio.gather(
        *(world.service.submissions.submit("me", f"提案{n}？") for n in range(5)), return_exceptions=True
    )
    assert sum(isinstance(one, AlreadySubmitted) for one in results) == 4
    world.pass_time()
    assert len(await world.service.submissions.mine("me")) == 1
    world.clock.advance(DAY)
    await world.service.submissions.submit("me", "翌日の提案？")


async def test_a_vote_each_and_more_chances_for_the_wanted(world: World) -> None:
    await world.join("a", "b")
    await world.question("wanted", type=QuestionType.USER)
    await world.question("plain", type=QuestionType.USER)
    await world.question("ours")
    await world.question("asked", type=QuestionType.USER, last_used_at=datetime(2025, 1, 1, tzinfo=UTC))
    voted = world.service.submissions
    assert [(await voted.vote(who, "wanted")).votes for who in ("a", "b", "b")] == [1, 2, 2]
    world.pass_time()
    assert [(one.question_id, one.votes, mine) for one, mine in await voted.candidates("a")] == [
        ("wanted", 2, True),
        ("plain", 0, False),
    ]
    assert (await voted.unvote("a", "wanted")).votes == 1
    for who, id in (("a", "wanted"), ("a", "nothing")):
        with pytest.raises(NoSuchThing):
            await voted.unvote(who, id)
    for id in ("asked", "nothing"):
        with pytest.raises(NoSuchThing):
            await voted.vote("a", id)


async def test_nobody_votes_for_what_is_not_approved(fair: World) -> None:
    await fair.join("a")
    await fair.question("pending", QuestionStatus.PENDING, type=QuestionType.USER)
    with pytest.raises(NoSuchThing):
        await fair.service.submissions.vote("a", "pending")
