"""What administrators do about people and posts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei.runtime import days
from sekkei.runtime.refusals import ProofNeeded
from sekkei_systems.q.design.models import ReportCategory, ReportStatus, TargetType
from sekkei_systems.q.design.tables import reports
from sekkei_systems.q.refusals import (
    AdminsStay,
    Banned,
    NoSuchThing,
    NoSuchUser,
    ReasonNeeded,
    WrongState,
)
from tests.systems.q.conftest import World


async def test_a_ban_ends_everything_at_once(desk: World) -> None:
    await desk.ask()
    await desk.ban("a", reason="荒らし行為")
    for attempt in (desk.answer("a"), desk.service.timelines.show("a"), desk.service.following.follow("a", "b")):
        with pytest.raises(Banned):
            await attempt
    with pytest.raises(NoSuchUser):
        await desk.service.following.follow("b", "a")
    with pytest.raises(WrongState):
        await desk.ban("a")
    with pytest.raises(AdminsStay):
        await desk.ban("boss")
    with pytest.raises(NoSuchUser):
        await desk.ban("nobody")
    desk.pass_time()
    await desk.unban("a")
    assert (await desk.answer("a")).user_id == "a"
    assert [name for name, _ in await desk.logged()] == ["UNBAN_USER", "BAN_USER"]


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


async def test_people_are_found_by_any_of_their_names(desk: World) -> None:
    await desk.service.people.choose_username("a", "AoiAoi")
    for text in ("a", "@a_id", "aoiaoi", "A@example.com"):
        found = await desk.service.moderation.search("boss", text)
        assert [one.user_id for one in found] == ["a"], text
    assert await desk.service.moderation.search("boss", "#") == []


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


async def test_answers_are_read_with_a_reason_that_the_log_keeps(desk: World) -> None:
    day = (await desk.ask()).day
    await desk.answer("a", "秋が好き")
    await desk.follow(("b", "a"))
    moderation = desk.service.moderation
    await desk.service.reports.send("b", TargetType.USER, "a", ReportCategory.SPAM, "宣伝です。")
    desk.clock.advance(1)
    await desk.service.reports.send("b", TargetType.ANSWER, f"{day}#a", ReportCategory.SPAM, "これも。")
    desk.pass_time()
    found = await moderation.dossier("boss", "a")
    assert (found.user.user_id, found.looked, found.posts) == ("a", False, [])
    assert [report.description for report in found.reports] == ["これも。", "宣伝です。"]  # both kinds together
    with pytest.raises(ReasonNeeded):
        await moderation.look("boss", "a", "  ")
    look = await moderation.look("boss", "a", "通報の確認")
    found = await moderation.dossier("boss", "a", look)
    assert (found.looked, [post.answer.text for post in found.posts]) == (True, ["秋が好き"])
    assert await desk.logged() == [("VIEW_ANSWERS", "a")]
    # It opens this person's answers to this moderator, for half an hour.
    await desk.make_admin("b")
    for who, whom, by_then in (("b", "a", 0), ("boss", "b", 0), ("boss", "a", 31 * 60)):
        desk.clock.advance(by_then)
        assert not (await moderation.dossier(who, whom, look)).looked
    for wrong in ("x", "2025-11-06T03:00:00_x", look + "x"):
        assert not (await moderation.dossier("boss", "a", wrong)).looked
    with pytest.raises(NoSuchUser):
        await moderation.dossier("boss", "nobody")


async def test_reports_about_a_removed_post_are_closed_with_it(desk: World) -> None:
    day = (await desk.ask()).day
    await desk.follow(("a", "b"))
    await desk.answer("b", "ひどい言葉")
    send = desk.service.reports.send
    about = await send("a", TargetType.ANSWER, f"{day}#b", ReportCategory.SPAM)
    other = await send("a", TargetType.USER, "b", ReportCategory.SPAM)
    desk.pass_time()
    await desk.service.moderation.review_post("boss", day, "b", remove=True)
    settled = await desk.db.need(reports(about.report_id).consistent())
    assert (settled.status, settled.resolved_by) == (ReportStatus.RESOLVED, "boss")
    assert (await desk.db.need(reports(other.report_id).consistent())).status is ReportStatus.PENDING


async def test_what_comes_back_ends_the_decision_and_its_author_hears_of_it(desk: World) -> None:
    day = (await desk.ask()).day
    await desk.answer("a")
    await desk.answer("b")
    restore, remove = desk.service.moderation.restore_post, desk.service.moderation.review_post
    for who in ("a", "b"):
        await remove("boss", day, who, True, "まちがい")
        desk.clock.advance(1)
    (made,) = await desk.service.decisions.mine("b")
    await desk.service.decisions.appeal("b", made.decision_id, "ふつうです")
    for who, said, appeal in (("a", "notice.decision.restored", None), ("b", "notice.appeal.overturned", "overturned")):
        await restore("boss", day, who)
        assert not (await desk.service.answers.today(who)).answer.is_deleted
        (made,) = await desk.service.decisions.mine(who)
        assert (made.state.value, made.appeal and made.appeal.value) == ("ended", appeal)
        assert said in [one.notice.said for one in await desk.service.inbox.page(who)]
    desk.pass_time()
    assert await desk.service.queue.show("boss") == []  # the appeal waits for nobody any more


async def test_what_its_author_deleted_nobody_brings_back(desk: World) -> None:
    day = (await desk.ask()).day
    await desk.answer("a", "やっぱり秘密")
    await desk.service.answers.delete("a", day)
    with pytest.raises(WrongState):
        await desk.service.moderation.restore_post("boss", day, "a")
    with pytest.raises(NoSuchThing):
        await desk.service.moderation.restore_post("boss", day, "nobody")
    assert (await desk.service.answers.today("a")).answer.is_deleted
