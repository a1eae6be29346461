"""The queue's page: ages, and pictures as moderators see them."""

from __future__ import annotations

from sekkei_systems.q.design.models import ReportCategory, TargetType
from sekkei_systems.q.pages.queue import picture, queue
from tests.systems.q.conftest import World, png


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
