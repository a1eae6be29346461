"""What users have reported."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from sekkei.kit.typed import Token
from sekkei.runtime.refusals import Conflict
from sekkei.web import Html, Pages, Redirect
from sekkei_systems.q.design.models import ReportStatus
from sekkei_systems.q.pages.desk import Paging, done
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.moderation import Moderation

pages = Pages()


class Which(Paging):
    status: Token = ""

    @property
    def chosen(self) -> ReportStatus:
        return next((one for one in ReportStatus if one.value == self.status), ReportStatus.PENDING)


class Settle(Struct):
    status: Literal["resolved", "dismissed"]


@pages.get("/admin/reports", name="admin-reports")
async def reports(by: Admin, moderation: Moderation, query: Which, status: int = 200) -> Html:
    return Html(
        "q/admin/reports.html",
        status,
        found=await moderation.reports(by, query.chosen, query.after or None),
        chosen=query.chosen.value,
        statuses=[one.value for one in ReportStatus],
    )


@pages.post("/admin/reports/{report_id}")
async def settle(by: Admin, moderation: Moderation, report_id: str, query: Which, form: Settle) -> Html | Redirect:
    try:
        await moderation.settle(by, report_id, ReportStatus(form.status))
    except Conflict as refused:
        return (await reports(by, moderation, query, refused.status)).flash(refused)
    return done("/q/admin/reports")
