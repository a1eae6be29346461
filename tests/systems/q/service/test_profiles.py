"""Looking at names, bios and pictures."""

from __future__ import annotations

import pytest

from sekkei_systems.q.design.models import DecisionKind, ProfilePart, ReportCategory, ReportStatus, TargetType
from sekkei_systems.q.design.tables import reports
from sekkei_systems.q.refusals import NoSuchThing, NoSuchUser, PictureRefused, WrongState
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World, picture, png


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
