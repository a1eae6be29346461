"""What administrators did."""

from __future__ import annotations

from sekkei.kit.typed import Token
from sekkei.web import Html, Pages
from sekkei_systems.q.design.models import AdminAction
from sekkei_systems.q.pages.desk import Paging
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.logs import Logs

pages = Pages()


class Which(Paging):
    action: Token = ""
    admin: Token = ""

    @property
    def chosen(self) -> AdminAction | None:
        return next((one for one in AdminAction if one.value == self.action), None)


@pages.get("/admin/log", name="admin-log")
async def log(by: Admin, logs: Logs, query: Which) -> Html:
    return Html(
        "q/admin/log.html",
        found=await logs.page(by, action=query.chosen, admin=query.admin or None, after=query.after or None),
        actions=[one.value for one in AdminAction],
        action=query.action if query.chosen else "",
        admin=query.admin or None,
    )
