"""What was decided: words for the person, and nothing for others."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass

import pytest

from sekkei.runtime import days
from sekkei_systems.q.design.models import (
    Answer,
    AppealState,
    ProfilePart,
    Report,
    ReportCategory,
    ReportStatus,
    TargetType,
    User,
)
from sekkei_systems.q.design.tables import answers, reports
from sekkei_systems.q.refusals import BadText, NoSuchThing, OwnDecision, OwnMatter, WrongState
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World


async def test_everybody_sees_their_own_decisions_alone(desk: World) -> None:
    await desk.service.sanctions.warn("boss", "a", "やめましょう")
    (made,) = await desk.service.decisions.mine("a")
    assert await desk.service.decisions.mine("b") == []
    with pytest.raises(NoSuchThing):
        await desk.service.decisions.appeal("b", made.decision_id, "ちがう")
    with pytest.raises(BadText):
        await desk.service.decisions.appeal("a", made.decision_id, "あ" * 501)


async def test_what_is_over_cannot_be_appealed(desk: World) -> None:
    await desk.ban("a", reason="x")
    (made,) = await desk.service.decisions.mine("a")
    await desk.unban("a")
    with pytest.raises(WrongState):
        await desk.service.decisions.appeal("a", made.decision_id, "ちがう")


@dataclass(frozen=True, slots=True)
class AboutBoss:
    """What there is to decide about an administrator: two reports, a post and a name with a forbidden word."""

    world: World
    account: Report
    said: Report
    post: Answer

    def decided(self, by: str) -> list[Awaitable[None]]:
        service, day, now = self.world.service, self.post.day, days.now(self.world.clock)
        return [
            service.moderation.settle(by, self.account.report_id, ReportStatus.DISMISSED),
            service.moderation.settle(by, self.said.report_id, ReportStatus.RESOLVED),
            service.moderation.review_post(by, day, "boss", False),
            service.moderation.review_post(by, day, "boss", True, "だめ"),
            service.moderation.restore_post(by, day, "boss"),
            service.profiles.keep(by, "boss", ProfilePart.NAME),
            service.profiles.remove(by, "boss", ProfilePart.NAME, "だめ"),
            service.sanctions.verify(by, "boss", True, proved_at=now),
        ]

    async def as_stored(self) -> tuple[Report, Report, Answer, User]:
        db = self.world.db
        account = await db.need(reports(self.account.report_id).consistent())
        said = await db.need(reports(self.said.report_id).consistent())
        post = await db.need(answers(self.post.day, "boss").consistent())
        return account, said, post, await self.world.user("boss")


@pytest.fixture
async def about_boss(desk: World) -> AboutBoss:
    day = (await desk.ask()).day
    await desk.follow(("a", "boss"))
    post = await desk.answer("boss", "秋が好き")
    send = desk.service.reports.send
    account = await send("a", TargetType.USER, "boss", ReportCategory.HARASSMENT)
    said = await send("a", TargetType.ANSWER, f"{day}#boss", ReportCategory.SPAM)
    await desk.service.moderation.add_word("boss", "秋")
    await desk.service.people.change("boss", Profile(display_name="秋の人"))
    await desk.db.write(answers.update(day, "boss").set(Answer.is_flagged, True))
    desk.pass_time()
    return AboutBoss(desk, account, said, post)


async def test_an_administrator_leaves_to_another_what_is_about_themselves(about_boss: AboutBoss) -> None:
    world = about_boss.world
    await world.make_admin("b")
    before, logged = await about_boss.as_stored(), await world.logged()
    for own in about_boss.decided("boss"):
        with pytest.raises(OwnMatter):
            await own
    assert (await about_boss.as_stored(), await world.logged()) == (before, logged)
    for others in about_boss.decided("b"):
        await others
    assert len(await world.logged()) == len(logged) + 8


async def test_the_only_administrator_decides_about_themselves_too(about_boss: AboutBoss) -> None:
    for own in about_boss.decided("boss"):
        await own
    account, said, post, boss = await about_boss.as_stored()
    assert (account.status, said.status) == (ReportStatus.DISMISSED, ReportStatus.RESOLVED)
    assert (post.is_flagged, post.is_deleted, boss.display_name, boss.is_verified) == (False, False, None, True)


async def test_an_administrator_does_not_decide_about_their_own_appeal(about_boss: AboutBoss) -> None:
    world, service = about_boss.world, about_boss.world.service
    await world.make_admin("b")
    await service.moderation.review_post("b", about_boss.post.day, "boss", True, "だめ")
    (made,) = await service.decisions.mine("boss")
    await service.decisions.appeal("boss", made.decision_id, "ふつうの答えです")
    given = ("boss", made.decision_id, True)
    with pytest.raises(OwnMatter):
        await service.sanctions.decide_appeal("boss", *given, proved_at=days.now(world.clock))
    await world.make_admin("a")
    with pytest.raises(OwnDecision):
        await service.sanctions.decide_appeal("b", *given, proved_at=days.now(world.clock))
    await service.sanctions.decide_appeal("a", *given, proved_at=days.now(world.clock))


async def test_of_two_administrators_the_one_who_decided_hears_the_appeal_of_the_other(about_boss: AboutBoss) -> None:
    world, service = about_boss.world, about_boss.world.service
    await world.make_admin("b")
    await service.moderation.review_post("b", about_boss.post.day, "boss", True, "だめ")
    (made,) = await service.decisions.mine("boss")
    await service.decisions.appeal("boss", made.decision_id, "ふつうの答えです")
    await service.sanctions.decide_appeal("b", "boss", made.decision_id, True, proved_at=days.now(world.clock))
    (ended,) = await service.decisions.mine("boss")
    assert (ended.appeal, ended.appeal_by) == (AppealState.OVERTURNED, "b")


async def test_a_ban_that_was_proposed_is_not_dropped_by_whom_it_is_about(desk: World) -> None:
    now = days.now(desk.clock)
    await desk.service.sanctions.verify("boss", "a", True, proved_at=now)
    made = await desk.service.sanctions.ban("boss", "a", "なりすまし", proved_at=now)
    await desk.make_admin("a")
    with pytest.raises(OwnMatter):
        await desk.service.sanctions.decline("a", "a", made.decision_id)
    await desk.service.sanctions.decline("boss", "a", made.decision_id)
