"""Reports end with what was done about them."""

from __future__ import annotations

from datetime import date

import pytest

from sekkei.runtime import days
from sekkei_systems.q.design.models import DecisionKind, ProfilePart, ReportCategory, ReportStatus, TargetType
from sekkei_systems.q.design.tables import reports
from sekkei_systems.q.refusals import (
    AlreadyReported,
    NoSuchAnswer,
    NoSuchThing,
    NoSuchUser,
    Oneself,
    PictureRefused,
    WrongState,
)
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World, counted, picture, png


async def reported(world: World) -> dict[str, str]:
    """b reports the account of a and an answer of theirs."""
    day = (await world.ask()).day
    await world.follow(("b", "a"))
    await world.answer("a", "ひどい言葉")
    await world.answer("b")
    targets = ((TargetType.USER, "a"), (TargetType.ANSWER, f"{day}#a"))
    sent = [await world.service.reports.send("b", kind, target, ReportCategory.SPAM) for kind, target in targets]
    world.pass_time()
    return {one.target_type.value: one.report_id for one in sent}


async def statuses(world: World, sent: dict[str, str]) -> dict[str, str]:
    return {kind: (await world.db.need(reports(id).consistent())).status.value for kind, id in sent.items()}


async def test_a_ban_closes_all_reports_and_their_sender_hears_of_it(desk: World) -> None:
    sent = await reported(desk)
    await desk.ban("a", reason="荒らし")
    assert await statuses(desk, sent) == {"user": "resolved", "answer": "resolved"}
    assert [one.notice.said for one in await desk.service.inbox.page("b")] == ["notice.outcome.resolved"] * 2
    desk.pass_time()
    assert await desk.service.queue.show("boss") == []


async def test_a_ban_that_is_only_proposed_closes_none(desk: World) -> None:
    await desk.service.sanctions.verify("boss", "a", True, proved_at=days.now(desk.clock))
    sent = await reported(desk)
    await desk.ban("a", reason="荒らし")
    assert await statuses(desk, sent) == {"user": "pending", "answer": "pending"}
    await desk.join("second")
    await desk.make_admin("second")
    await desk.ban("a", by="second")
    assert await statuses(desk, sent) == {"user": "resolved", "answer": "resolved"}


async def test_a_suspension_leaves_answers_to_be_looked_at(desk: World) -> None:
    sent = await reported(desk)
    await desk.service.sanctions.suspend("boss", "a", 3, "休み", proved_at=days.now(desk.clock))
    assert await statuses(desk, sent) == {"user": "resolved", "answer": "pending"}


async def test_what_somebody_settled_stays_so(desk: World) -> None:
    sent = await reported(desk)
    await desk.service.moderation.settle("boss", sent["user"], ReportStatus.DISMISSED)
    await desk.ban("a", reason="荒らし")
    assert await statuses(desk, sent) == {"user": "dismissed", "answer": "resolved"}


# A report, once for each target.


async def test_a_report_once_for_each_target(world: World) -> None:
    await world.join("me", "a")
    await world.follow(("me", "a"))
    day = (await world.ask()).day
    await world.answer("a")
    send = world.service.reports.send
    made = await send("me", TargetType.ANSWER, f"{day}#a", ReportCategory.SPAM, "宣伝です")
    assert made.description == "宣伝です"
    for form in ("%Y-%m-%d", "%Y%m%d", "%G-W%V-%u"):
        with pytest.raises(AlreadyReported):
            await send("me", TargetType.ANSWER, f"{day:{form}}#a", ReportCategory.OTHER)
    await send("me", TargetType.USER, "a", ReportCategory.HARASSMENT)
    with pytest.raises(Oneself):
        await send("a", TargetType.ANSWER, f"{day}#a", ReportCategory.SPAM)
    for target in ("2025-13-01#a", "nonsense", f"{date(2020, 1, 1)}#a"):
        with pytest.raises(NoSuchAnswer):
            await send("me", TargetType.ANSWER, target, ReportCategory.SPAM)


async def test_a_report_keeps_what_was_reported(world: World) -> None:
    await world.join("me", "boss", "a")
    await world.follow(("me", "a"))
    day = (await world.ask()).day
    await world.answer("a", "ひどい言葉")
    made = await world.service.reports.send("me", TargetType.ANSWER, f"{day}#a", ReportCategory.HARASSMENT)
    assert made.seen_text == "ひどい言葉"
    await world.service.people.change("a", Profile(bio="悪口"))
    about = await world.service.reports.send("me", TargetType.USER, "a", ReportCategory.HARASSMENT)
    assert about.seen_text == "A\n悪口"
    await world.service.people.change("a", Profile(bio="いい人です"))
    assert (await world.db.need(reports(about.report_id).consistent())).seen_text == "A\n悪口"


async def test_a_report_keeps_the_picture_that_was_reported(desk: World) -> None:
    send, people, profiles = desk.service.reports.send, desk.service.people, desk.service.profiles
    assert (await send("b", TargetType.USER, "boss", ReportCategory.SPAM)).seen_picture is None
    await people.set_picture("a", picture("PNG", (8, 8)))
    bad = await profiles.picture("boss", "a")
    made = await send("b", TargetType.USER, "a", ReportCategory.INAPPROPRIATE)
    await people.set_picture("a", picture("PNG", (8, 8), colour=(0, 0, 255)))
    kept = await profiles.reported_picture("boss", made.report_id)
    assert (made.seen_picture, kept.content) == (bad.digest, bad.content)
    assert (await profiles.picture("boss", "a")).content != bad.content
    await desk.service.moderation.settle("boss", made.report_id, ReportStatus.DISMISSED)
    with pytest.raises(NoSuchThing):  # nothing was wrong with it
        await profiles.reported_picture("boss", made.report_id)


# All that waits: every kind, oldest first, reports about one person as one matter.


async def test_every_kind_oldest_first_in_few_calls(desk: World) -> None:
    await desk.join("c")
    day = (await desk.ask()).day
    await desk.service.moderation.add_word("boss", "バカ")
    await desk.follow(("b", "a"), ("c", "a"))
    await desk.answer("a", "バカ")
    for text in ("c", "b"):
        desk.clock.advance(60)
        await desk.service.reports.send(text, TargetType.USER, "a", ReportCategory.SPAM)
    await desk.answer("b", "秋")
    desk.clock.advance(60)
    await desk.follow(("c", "b"))
    await desk.service.reports.send("c", TargetType.ANSWER, f"{day}#b", ReportCategory.SPAM)
    desk.clock.advance(60)
    await desk.service.people.change("c", Profile(bio="バカ"))
    desk.clock.advance(60)
    await desk.service.people.set_picture("c", png())
    await desk.service.sanctions.warn("boss", "b", "x")
    (made,) = await desk.service.decisions.mine("b")
    desk.clock.advance(60)
    await desk.service.decisions.appeal("b", made.decision_id, "ちがう")
    desk.pass_time()
    by = await desk.proven.access.admin("boss")
    with counted(desk) as calls:
        found = await desk.proven.queue.show(by)
    assert [(one.kind, one.user_id, one.count) for one in found] == [
        ("answer", "a", 1),
        ("reports", "a", 2),
        ("reports", "b", 1),
        ("bio", "c", 1),
        ("picture", "c", 1),
        ("appeal", "b", 1),
    ]
    assert [one.text for one in found] == ["バカ", "A", "秋", "バカ", "", "ちがう"]
    assert len(calls) <= 8, calls  # in bad weather some are asked again


# Looking at names, bios and pictures.


async def test_what_may_stand_is_seen(desk: World) -> None:
    await desk.service.moderation.add_word("boss", "バカ")
    await desk.service.people.change("a", Profile(display_name="バカ殿"))
    await desk.service.profiles.keep("boss", "a", ProfilePart.NAME)
    assert (await desk.service.people.show("b", "a"))[0].display_name == "バカ殿"
    with pytest.raises(WrongState):
        await desk.service.profiles.keep("boss", "a", ProfilePart.NAME)
    desk.pass_time()
    assert await desk.service.queue.show("boss") == []


async def test_what_is_removed_is_gone_told_and_closes_its_reports(desk: World) -> None:
    await desk.service.people.change("a", Profile(bio="ひどい紹介"))
    told = await desk.service.reports.send("b", TargetType.USER, "a", ReportCategory.HARASSMENT)
    desk.pass_time()
    await desk.service.profiles.remove("boss", "a", ProfilePart.BIO, "悪口です")
    assert (await desk.user("a")).bio is None
    (made,) = await desk.service.decisions.mine("a")
    assert (made.kind, made.reason, made.decided_by) == (DecisionKind.BIO, "悪口です", "boss")
    assert (await desk.db.need(reports(told.report_id).consistent())).status is ReportStatus.RESOLVED
    assert ("REVIEW_PROFILE", "a") in await desk.logged()
    with pytest.raises(WrongState):
        await desk.service.profiles.remove("boss", "a", ProfilePart.BIO)
    with pytest.raises(NoSuchUser):
        await desk.service.profiles.remove("boss", "nobody", ProfilePart.BIO)


async def test_a_removed_picture_does_not_come_back(desk: World) -> None:
    await desk.service.people.set_picture("a", png())
    assert (await desk.service.profiles.picture("boss", "a")).user_id == "a"
    await desk.service.profiles.remove("boss", "a", ProfilePart.PICTURE, "だめな画像")
    with pytest.raises(NoSuchThing):
        await desk.service.profiles.picture("boss", "a")
    for who in ("a", "b"):
        with pytest.raises(PictureRefused):
            await desk.service.people.set_picture(who, png())
    await desk.service.people.set_picture("a", picture("PNG", (9, 9), (1, 2, 3)))
