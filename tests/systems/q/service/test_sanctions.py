"""Warnings, suspensions, bans that take two, and appeals."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from sekkei.runtime import days
from sekkei.runtime.design import newest_messages
from sekkei_systems.q import design
from sekkei_systems.q.design.models import DecisionKind, DecisionState, ReportCategory, ReportStatus, TargetType
from sekkei_systems.q.refusals import (
    AdminsStay,
    AppealedAlready,
    Banned,
    NoSuchThing,
    NoSuchUser,
    OwnDecision,
    ReasonNeeded,
    SecondPersonNeeded,
    WrongState,
)
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World

DAY = timedelta(days=1).total_seconds()


async def act(world: World, by: str, name: str, *given: Any) -> Any:
    """As an administrator who has just shown who they are."""
    return await getattr(world.service.sanctions, name)(by, *given, proved_at=days.now(world.clock))


async def mails(world: World) -> list[tuple[str, str]]:
    found = await world.deployment.runtime.all(newest_messages())
    return [(one.to, one.body["subject"]) for one in found if one.kind == "mail"]


async def test_a_warning_is_told_in_the_app_by_mail_and_on_devices(fair: World) -> None:
    await fair.with_devices("boss", "a")
    await fair.make_admin("boss")
    await fair.service.people.change("a", Profile(language="en"))
    await fair.service.sanctions.warn("boss", "a", "Please be kind.")
    await fair.settle()
    assert await fair.pushes() == [("ExponentPushToken[a]", "decision")]
    (message,) = await fair.push_messages()
    assert (message.body["body"], message.body["data"]["url"]) == (
        "You have a warning from the moderators",
        "/q/#/standing",
    )
    assert await mails(fair) == [("a@example.com", "Q. You have a warning from the moderators")]
    (told,) = await fair.service.inbox.page("a")
    assert (told.notice.said, told.is_new) == ("notice.decision.warning", True)
    for wrong, refusal in (("a", ReasonNeeded), ("nobody", NoSuchUser), ("boss", AdminsStay)):
        with pytest.raises(refusal):
            await fair.service.sanctions.warn("boss", wrong, "" if wrong == "a" else "x")


async def test_a_suspension_ends_by_itself(desk: World) -> None:
    await desk.ask()
    await act(desk, "boss", "suspend", "a", 3, "三日の休み")
    with pytest.raises(Banned):
        await desk.answer("a")
    desk.clock.advance(3 * DAY - 1)
    await desk.settle()  # goes past the end
    assert not (await desk.user("a")).is_banned
    (made,) = await desk.service.decisions.mine("a")
    assert (made.kind, made.state) == (DecisionKind.SUSPENSION, DecisionState.ENDED)
    assert [name for name, _ in await desk.logged()] == ["UNBAN_USER", "SUSPEND_USER"]


async def test_a_suspension_that_became_a_ban_does_not_end(desk: World) -> None:
    await act(desk, "boss", "suspend", "a", 1, "一日")
    await act(desk, "boss", "ban", "a", "もっと悪い")
    desk.clock.advance(2 * DAY)
    await desk.settle()
    assert (await desk.user("a")).is_banned


async def test_a_second_suspension_outlasts_the_first(desk: World) -> None:
    await act(desk, "boss", "suspend", "a", 1, "一日")
    await act(desk, "boss", "unban", "a")
    await act(desk, "boss", "suspend", "a", 7, "一週間")
    desk.clock.advance(2 * DAY)
    await desk.settle()
    assert (await desk.user("a")).is_banned
    with pytest.raises(WrongState):
        await act(desk, "boss", "suspend", "a", 3, "まだ")


@pytest.mark.parametrize("refused_days", [1, 30])
async def test_a_suspension_that_is_refused_does_not_move_the_end_of_the_first(fair: World, refused_days: int) -> None:
    await fair.join("boss", "a")
    await fair.make_admin("boss")
    await act(fair, "boss", "suspend", "a", 3, "三日の休み")
    with pytest.raises(WrongState):
        await act(fair, "boss", "suspend", "a", refused_days, "もう一度")
    with pytest.raises(AdminsStay):
        await act(fair, "boss", "suspend", "boss", refused_days, "自分")
    fair.clock.advance(DAY)
    await fair.settle()
    assert (await fair.user("a")).is_banned
    fair.clock.advance(2 * DAY)
    await fair.settle()
    assert not (await fair.user("a")).is_banned


async def test_the_ban_of_a_verified_account_takes_two(desk: World) -> None:
    await desk.make_admin("b")
    await act(desk, "boss", "verify", "a", True)
    with pytest.raises(ReasonNeeded):
        await act(desk, "boss", "ban", "a")
    made = await act(desk, "boss", "ban", "a", "なりすまし")
    assert (made.state, (await desk.user("a")).is_banned) == (DecisionState.PROPOSED, False)
    assert await desk.service.decisions.mine("a") == []  # nobody is told of a proposal
    with pytest.raises(NoSuchThing):
        await desk.service.decisions.appeal("a", made.decision_id, "なぜ")
    for again in (("approve", "a", made.decision_id), ("ban", "a", "もう一度")):
        with pytest.raises(SecondPersonNeeded):
            await act(desk, "boss", *again)
    desk.pass_time()
    assert [one.kind for one in await desk.service.queue.show("b")] == ["approval"]
    await act(desk, "b", "ban", "a", "同意")
    assert (await desk.user("a")).is_banned
    (told,) = await desk.service.decisions.mine("a")
    assert (told.decided_by, told.approved_by, told.reason) == ("boss", "b", "なりすまし")
    with pytest.raises(WrongState):
        await act(desk, "b", "approve", "a", made.decision_id)


async def test_taking_the_mark_away_first_does_not_spare_the_second_person(desk: World) -> None:
    await act(desk, "boss", "verify", "a", True)
    await act(desk, "boss", "verify", "a", False)
    assert (await desk.service.moderation.dossier("boss", "a")).takes_two
    made = await act(desk, "boss", "ban", "a", "なりすまし")
    assert (made.state, (await desk.user("a")).is_banned) == (DecisionState.PROPOSED, False)
    await desk.service.sanctions.decline("boss", "a", made.decision_id)
    desk.clock.advance(30 * DAY)
    assert (await act(desk, "boss", "ban", "a", "なりすまし")).state is DecisionState.IN_FORCE


async def test_a_proposed_ban_can_be_dropped(desk: World) -> None:
    await desk.make_admin("b")
    await act(desk, "boss", "verify", "a", True)
    made = await act(desk, "boss", "ban", "a", "なりすまし")
    await desk.service.sanctions.decline("b", "a", made.decision_id)
    with pytest.raises(WrongState):
        await act(desk, "b", "approve", "a", made.decision_id)
    assert not (await desk.user("a")).is_banned


async def test_whoever_is_banned_appeals_and_another_moderator_decides(desk: World) -> None:
    await desk.make_admin("b")
    await desk.ban("a", reason="荒らし")
    (made,) = await desk.service.decisions.mine("a")
    await desk.service.decisions.appeal("a", made.decision_id, "人ちがいです")
    with pytest.raises(AppealedAlready):
        await desk.service.decisions.appeal("a", made.decision_id, "もう一度")
    desk.pass_time()
    (waiting,) = await desk.service.queue.show("boss")
    assert (waiting.kind, waiting.text) == ("appeal", "人ちがいです")
    with pytest.raises(OwnDecision):
        await act(desk, "boss", "decide_appeal", "a", made.decision_id, True)
    await act(desk, "b", "decide_appeal", "a", made.decision_id, True)
    assert not (await desk.user("a")).is_banned
    told = [one.notice.said for one in await desk.service.inbox.page("a")]
    assert "notice.appeal.overturned" in told
    with pytest.raises(WrongState):
        await act(desk, "b", "decide_appeal", "a", made.decision_id, False)


async def test_the_only_moderator_decides_alone(desk: World) -> None:
    day = (await desk.ask()).day
    await desk.answer("a")
    await desk.service.moderation.review_post("boss", day, "a", True, "だめ")
    (made,) = await desk.service.decisions.mine("a")
    assert (made.kind, made.target) == (DecisionKind.ANSWER, str(day))
    await desk.service.decisions.appeal("a", made.decision_id, "ふつうの答えです")
    await act(desk, "boss", "decide_appeal", "a", made.decision_id, True)
    assert (await desk.service.answers.today("a")).answer.is_deleted is False


async def test_an_appeal_that_fails_changes_nothing(desk: World) -> None:
    await desk.make_admin("b")
    await desk.ban("a", reason="荒らし")
    (made,) = await desk.service.decisions.mine("a")
    await desk.service.decisions.appeal("a", made.decision_id, "ちがう")
    await act(desk, "b", "decide_appeal", "a", made.decision_id, False)
    assert (await desk.user("a")).is_banned
    with pytest.raises(NoSuchThing):
        await desk.service.decisions.appeal("b", made.decision_id, "他人の決定")


async def test_reporters_hear_what_came_of_it_and_not_to_whom(fair: World) -> None:
    await fair.with_devices("boss", "a", "b")
    await fair.make_admin("boss")
    for about, status in (("a", ReportStatus.RESOLVED), ("boss", ReportStatus.DISMISSED)):
        made = await fair.service.reports.send("b", TargetType.USER, about, ReportCategory.SPAM)
        await fair.service.moderation.settle("boss", made.report_id, status)
        fair.clock.advance(1)
    await fair.settle()
    assert await fair.pushes() == [("ExponentPushToken[b]", "outcome")] * 2
    said = [(one.notice.said, one.notice.about_id, one.notice.values) for one in await fair.service.inbox.page("b")]
    assert said == [("notice.outcome.dismissed", None, None), ("notice.outcome.resolved", None, None)]
    assert await mails(fair) == []


async def locking(world: World, user: str) -> list[tuple[str, str]]:
    found = await world.db.all(design.decisions_about(user).consistent())
    return [(one.kind.value, one.state.value) for one in found if one.kind.value in ("suspension", "ban")]


async def test_a_ban_ends_the_suspension_that_it_follows(desk: World) -> None:
    """One decision at a time locks somebody out, so that its end opens the door and nothing else does."""
    proved_at = days.now(desk.clock)
    made = await desk.service.sanctions.suspend("boss", "a", 3, "x", proved_at=proved_at)
    await desk.service.decisions.appeal("a", made.decision_id, "ちがいます")
    desk.clock.advance(60)
    await desk.ban("a", reason="y")
    assert sorted(await locking(desk, "a")) == [("ban", "in-force"), ("suspension", "ended")]
    proved_at = days.now(desk.clock)
    await desk.service.sanctions.decide_appeal("boss", "a", made.decision_id, True, proved_at=proved_at)
    assert (await desk.user("a")).is_banned  # the appeal was about the suspension, which is over
    await desk.unban("a")
    assert {state for _, state in await locking(desk, "a")} == {"ended"}
    assert not (await desk.user("a")).is_banned
