"""A report, once for each target."""

from __future__ import annotations

from datetime import date

import pytest

from sekkei_systems.q.design.models import ReportCategory, ReportStatus, TargetType
from sekkei_systems.q.design.tables import reports
from sekkei_systems.q.refusals import (
    AlreadyReported,
    NoSuchAnswer,
    NoSuchThing,
    Oneself,
)
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World, picture


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
