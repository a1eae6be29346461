"""What users have reported."""

from __future__ import annotations

from sekkei.web import Html
from sekkei.web.testing import Client
from sekkei_systems.q.design.models import ReportCategory, TargetType
from sekkei_systems.q.pages.desk import done
from sekkei_systems.q.pages.reports import Settle, Which, reports, settle
from tests.systems.q.conftest import World


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
