"""The pages of what waits for a moderator."""

from __future__ import annotations

import pytest

from sekkei.web import Html
from sekkei.web.testing import Client
from sekkei_systems.q.design.models import ReportCategory, TargetType
from sekkei_systems.q.pages.cases import Decision, From, Settle, Which, decide, flagged, picture, queue, reports, settle
from sekkei_systems.q.pages.desk import Paging, done
from tests.systems.q.conftest import World, png

# The queue's page: ages, and pictures as moderators see them.


async def test_it_says_how_long_each_has_waited(desk: World) -> None:
    await desk.service.reports.send("a", TargetType.USER, "b", ReportCategory.SPAM)
    desk.clock.advance(49 * 3600)
    by = await desk.proven.access.admin("boss")
    page = await queue(by, desk.proven.queue, desk.clock)
    assert [(one.kind, hours) for one, hours in page.values["found"]] == [("reports", 49)]


async def test_moderators_see_the_picture(desk: World) -> None:
    await desk.service.people.set_picture("a", png())
    reply = await picture(await desk.proven.access.admin("boss"), desk.proven.profiles, "a")
    assert (reply.media_type, reply.headers["cache-control"]) == ("image/jpeg", "private, no-store")


# What users have reported.


async def test_settled_once_and_then_in_the_other_list(desk: World) -> None:
    by, moderation = await desk.proven.access.admin("boss"), desk.proven.moderation
    made = await desk.service.reports.send("a", TargetType.USER, "b", ReportCategory.SPAM)
    desk.pass_time()
    page = await reports(by, moderation, Which(status="nonsense"))
    assert ([one.report.report_id for one in page.values["found"]], page.values["chosen"]) == (
        [made.report_id],
        "pending",
    )
    assert await settle(by, moderation, made.report_id, Which(), Settle("resolved")) == done("/q/admin/reports")
    desk.pass_time()
    page = await reports(by, moderation, Which(status="resolved"))
    assert [one.report.report_id for one in page.values["found"]] == [made.report_id]
    late = await settle(by, moderation, made.report_id, Which(), Settle("dismissed"))
    assert isinstance(late, Html)
    assert late.status == 409


async def test_the_reported_administrator_neither_settles_it_nor_reads_who_reported(site: tuple[Client, World]) -> None:
    client, world = site
    other = client.another()
    await client.sign_in("demo-aoi")
    await other.sign_in("demo-ren")
    await world.join("demo-aoi", "demo-ren", "teller")
    for admin in ("demo-aoi", "demo-ren"):
        await world.make_admin(admin)
    made = await world.service.reports.send("teller", TargetType.USER, "demo-aoi", ReportCategory.SPAM)
    world.pass_time()
    for language, hidden, refused in (
        ("ja", "自分についての通報のため、表示されません", "ほかの管理者が判断する必要があります"),
        ("en", "hidden from you, because the report is about you", "another administrator has to decide"),
    ):
        page = await client.get(f"/q/admin/reports?lang={language}")
        assert hidden in page.text
        assert "teller" not in page.text.lower()
        answer = await client.post(f"/q/admin/reports/{made.report_id}?lang={language}", {"status": "dismissed"})
        assert (answer.status, refused in answer.text, "teller" in answer.text.lower()) == (409, True, False)
    assert "Teller" in (await other.get("/q/admin/reports")).text


# Answers with a forbidden word.


@pytest.mark.parametrize(
    ("place", "to"), [("", "/q/admin/flagged"), ("reports", "/q/admin/reports"), ("user", "/q/admin/users/a")]
)
async def test_decided_where_it_was_seen_and_only_once(desk: World, place: str, to: str) -> None:
    by, moderation = await desk.proven.access.admin("boss"), desk.proven.moderation
    await desk.service.moderation.add_word("boss", "秋")
    day = (await desk.ask()).day
    await desk.answer("a")
    desk.pass_time()
    page = await flagged(by, moderation, Paging())
    assert [one.answer.user_id for one in page.values["found"]] == ["a"]
    assert await decide(by, moderation, day, "a", From(place=place), Decision("remove")) == done(to)
    late = await decide(by, moderation, day, "a", From(place=place), Decision("remove"))
    assert isinstance(late, Html)
    assert (late.status, late.template) == (409, "q/admin/flagged.html")
    assert await decide(by, moderation, day, "a", From(place=place), Decision("restore")) == done(to)
