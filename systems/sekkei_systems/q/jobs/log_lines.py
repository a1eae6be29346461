"""The log without the names of those who have left: its lines of 90 days say what was done, not to whom or by whom."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.runtime import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import WITHDRAWN, AdminLog
from sekkei_systems.q.design.tables import admin_logs

LINES_PER_STEP = 100
INDEXED_AFTER = timedelta(hours=1)


@dataclass
class LogLines:
    db: Database
    clock: Clock

    async def about(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self.db.page(design.logs_about(user), size=LINES_PER_STEP, after=after)
        return await self._without(user, page), page.cursor

    async def by(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self.db.page(design.logs_of_admin(user), size=LINES_PER_STEP, after=after)
        return await self._without(user, page), page.cursor

    async def newest(self, user: str, after: str | None) -> tuple[int, str | None]:
        """Those that an index may not show yet."""
        query = design.logs_since(days.now(self.clock) - INDEXED_AFTER).consistent()
        page = await self.db.page(query, size=LINES_PER_STEP, after=after)
        await self._without(user, [one for one in page if user in (one.admin_id, one.about_id)])
        return 0, page.cursor

    async def _without(self, user: str, lines: Iterable[AdminLog]) -> int:
        count = 0
        for one in await self.db.get_many([admin_logs(one.timestamp, one.log_id).consistent() for one in lines]):
            if one is None or user not in (one.admin_id, one.about_id):
                continue  # an index may still show what is gone
            count += 1
            update = admin_logs.update(one.timestamp, one.log_id).knowing(one)
            if one.admin_id == user:
                update = update.set(AdminLog.admin_id, WITHDRAWN).set(AdminLog.admin_email, None)
                update = update.set(AdminLog.ip_address, None)
            if one.about_id == user:
                update = update.set(AdminLog.target_id, WITHDRAWN)
            with suppress(ConditionFailed):  # forgotten meanwhile
                await self.db.write(update)
        return count
