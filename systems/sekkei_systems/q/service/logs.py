"""The log of what administrators do; each line joins the transaction of what it tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Database, Page, Put
from sekkei.runtime import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import (
    AdminAction,
    AdminLog,
)
from sekkei_systems.q.design.tables import admin_logs
from sekkei_systems.q.service.access import Admin

PAGE = 50


@dataclass
class Logs:
    """The log of what administrators do; it forgets after 90 days."""

    db: Database
    clock: Clock

    def entry(
        self, by: Admin, action: AdminAction, kind: str, target: str, details: dict[str, Any] | None = None
    ) -> Put[AdminLog]:
        """A line of the log, to join the transaction of what it tells."""
        return admin_logs.create(
            AdminLog(
                log_id=self.clock.uuid(),
                admin_id=by.id,
                admin_email=by.user.email,
                action=action,
                target_type=kind,
                target_id=target,
                details=details,
                ip_address=by.address,
                timestamp=days.now(self.clock),
            )
        )

    async def page(
        self, by: Admin, *, action: AdminAction | None = None, admin: str | None = None, after: str | None = None
    ) -> Page[AdminLog]:
        """Newest first: everything, or one action, or one administrator, or both."""
        query = design.all_logs()
        if action is not None:
            query = design.logs_of_action(action)
            if admin:
                query = query.filter(AdminLog.admin_id == admin)
        elif admin:
            query = design.logs_of_admin(admin)
        return await self.db.page(query, size=PAGE, after=after)
