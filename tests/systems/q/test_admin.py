"""What administrators do: each action with its line in the log, both or neither."""

from __future__ import annotations

import asyncio
from datetime import time, timedelta
from typing import Any

import pytest

from sekkei.runtime import days
from sekkei.runtime.refusals import ProofNeeded
from sekkei_systems.q.entities import daily_questions, questions
from sekkei_systems.q.models import AdminAction, QuestionStatus, ReportCategory, ReportStatus, TargetType
from sekkei_systems.q.refusals import (
    AdminsStay,
    AlreadyPublished,
    BadText,
    Banned,
    NoSuchThing,
    NoSuchUser,
    NotAdmin,
    Taken,
    WrongState,
)
from sekkei_systems.q.service.words import ForbiddenWords
from tests.systems.q.conftest import World


@pytest.fixture
async def desk(world: World) -> World:
    await world.join("boss", "a", "b")
    await world.make_admin("boss")
    return world


async def logged(world: World, action: AdminAction | None = None) -> list[tuple[str, str | None]]:
    world.pass_time()
    page = await world.service.logs.page("boss", action=action)
    return [(one.action.value, one.target_id) for one in page]


async def test_nobody_else_may(desk: World) -> None:
    service = desk.service
    attempts: list[Any] = [
        service.editing.create("a", "質問？"),
        service.editing.review("a", "x", approve=True),
        service.editing.archive("a", "x"),
        service.editing.bring_back("a", "x"),
        service.editing.with_status("a", QuestionStatus.PENDING),
        service.editing.set_day("a", days.today(desk.clock), time(9)),
        service.editing.calendar("a", days.today(desk.clock), 3),
        service.moderation.reports("a", ReportStatus.PENDING),
        service.moderation.settle("a", "x", ReportStatus.RESOLVED),
        service.moderation.flagged("a"),
        service.moderation.review_post("a", days.today(desk.clock), "b", remove=True),
        service.moderation.restore_post("a", days.today(desk.clock), "b"),
        desk.ban("b", by="a"),
        desk.unban("b", by="a"),
        service.moderation.people("a"),
        service.moderation.dossier("a", "b"),
        service.moderation.search("a", "b"),
        service.moderation.words("a"),
        service.moderation.add_word("a", "x"),
        service.moderation.delete_word("a", "x"),
        service.logs.page("a"),
    ]
    results = await asyncio.gather(*attempts, return_exceptions=True)
    assert [type(one) for one in results] == [NotAdmin] * len(attempts)
    assert await logged(desk) == []


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
    assert await logged(desk) == [("REVIEW_SUBMISSION", made.question_id)]
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
    assert await desk.service.planning.publish_due() is not None
    with pytest.raises(AlreadyPublished):
        await desk.service.editing.set_day("boss", tomorrow, time(22), "first")
    assert [name for name, _ in await logged(desk)].count("SET_DAILY_QUESTION") == 2


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


async def test_a_ban_ends_everything_at_once(desk: World) -> None:
    await desk.ask()
    await desk.ban("a", reason="荒らし行為")
    for attempt in (desk.answer("a"), desk.service.timelines.show("a"), desk.service.graph.follow("a", "b")):
        with pytest.raises(Banned):
            await attempt
    with pytest.raises(NoSuchUser):
        await desk.service.graph.follow("b", "a")
    with pytest.raises(WrongState):
        await desk.ban("a")
    with pytest.raises(AdminsStay):
        await desk.ban("boss")
    with pytest.raises(NoSuchUser):
        await desk.ban("nobody")
    desk.pass_time()
    await desk.unban("a")
    assert (await desk.answer("a")).user_id == "a"
    assert [name for name, _ in await logged(desk)] == ["UNBAN_USER", "BAN_USER"]


async def test_a_report_is_settled_once(desk: World) -> None:
    made = await desk.service.reports.send("a", TargetType.USER, "b", ReportCategory.SPAM, "宣伝")
    desk.pass_time()
    (case,) = await desk.service.moderation.reports("boss", ReportStatus.PENDING)
    assert (case.report.report_id, case.user and case.user.user_id) == (made.report_id, "b")
    await desk.service.moderation.settle("boss", made.report_id, ReportStatus.DISMISSED)
    with pytest.raises(WrongState):
        await desk.service.moderation.settle("boss", made.report_id, ReportStatus.RESOLVED)
    desk.pass_time()
    (case,) = await desk.service.moderation.reports("boss", ReportStatus.DISMISSED)
    assert case.report.resolved_by == "boss"


async def test_words_are_known_everywhere_within_a_minute(desk: World) -> None:
    elsewhere = ForbiddenWords(desk.db, desk.clock)
    assert not await elsewhere.flags("spam")
    await desk.service.moderation.add_word("boss", "ＳＰＡＭ")
    with pytest.raises(Taken):
        await desk.service.moderation.add_word("boss", "spam")
    assert await desk.service.words.flags("S P A M")
    desk.clock.advance(61)
    assert await elsewhere.flags("spam")
    await desk.service.moderation.add_word("boss", "spambook", allowed=True)
    assert not await desk.service.words.flags("spambook")
    await desk.service.moderation.delete_word("boss", "spam")
    with pytest.raises(NoSuchThing):
        await desk.service.moderation.delete_word("boss", "spam")
    assert not await desk.service.words.flags("spam")
    assert [name for name, _ in await logged(desk, AdminAction.ADD_NG_WORD)] == ["ADD_NG_WORD"] * 2


async def test_people_are_found_by_any_of_their_names(desk: World) -> None:
    await desk.service.people.choose_username("a", "AoiAoi")
    for text in ("a", "@a_id", "aoiaoi", "A@example.com"):
        found = await desk.service.moderation.search("boss", text)
        assert [one.user_id for one in found] == ["a"], text
    assert await desk.service.moderation.search("boss", "#") == []


async def test_the_log_forgets_after_ninety_days(desk: World) -> None:
    await desk.service.moderation.add_word("boss", "word")
    assert len(await logged(desk)) == 1
    desk.clock.advance(timedelta(days=91).total_seconds())
    assert await logged(desk) == []
    assert await logged(desk, AdminAction.ADD_NG_WORD) == []


async def test_a_ban_needs_a_recent_proof(desk: World) -> None:
    now = days.now(desk.clock)
    for proved_at in (None, now - timedelta(minutes=10, seconds=1)):
        with pytest.raises(ProofNeeded):
            await desk.service.moderation.ban("boss", "a", proved_at=proved_at)
        with pytest.raises(ProofNeeded):
            await desk.service.moderation.unban("boss", "a", proved_at=proved_at)
    assert not (await desk.user("a")).is_banned
    await desk.service.moderation.ban("boss", "a", proved_at=now - timedelta(minutes=9))
    assert (await desk.user("a")).is_banned


async def test_the_log_of_one_administrator_and_one_action(desk: World) -> None:
    await desk.make_admin("a")
    for admin, word in (("boss", "ひとつ"), ("a", "ふたつ"), ("boss", "みっつ")):
        await desk.service.moderation.add_word(admin, word)
        desk.pass_time()
    await desk.service.editing.create("boss", "いい質問？")
    desk.pass_time()
    found = await desk.service.logs.page("boss", action=AdminAction.ADD_NG_WORD, admin="boss")
    assert [line.target_id for line in found] == ["みっつ", "ひとつ"]
    assert len(await desk.service.logs.page("boss", admin="boss")) == 3


async def test_a_dossier_tells_what_somebody_said_and_what_is_said_of_them(desk: World) -> None:
    await desk.ask()
    await desk.answer("a", "秋が好き")
    await desk.service.reports.send("b", TargetType.USER, "a", ReportCategory.SPAM, "宣伝です。")
    desk.pass_time()
    found = await desk.service.moderation.dossier("boss", "a")
    assert (found.user.user_id, [post.answer.text for post in found.posts]) == ("a", ["秋が好き"])
    assert [report.description for report in found.reports] == ["宣伝です。"]
    with pytest.raises(NoSuchUser):
        await desk.service.moderation.dossier("boss", "nobody")
