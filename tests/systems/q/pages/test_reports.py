"""What users have reported."""

from __future__ import annotations

from sekkei.web import Html
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
