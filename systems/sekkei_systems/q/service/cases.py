"""How reports end: one by one, or with what was done about them. Whoever sent one hears what came of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, TransactionFailed
from sekkei.runtime import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import WITHDRAWN, AdminAction, NoticeKind, Report, ReportStatus
from sekkei_systems.q.design.tables import profile_images, reports
from sekkei_systems.q.refusals import NoSuchThing, WrongState
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.decisions import Decisions
from sekkei_systems.q.service.logs import Logs
from sekkei_systems.q.service.notices import entry as notice
from sekkei_systems.q.service.reports import concerned, copy_of


@dataclass
class Cases:
    db: Database
    clock: Clock
    logs: Logs
    decisions: Decisions

    async def settle(self, by: Admin, report_id: str, status: ReportStatus) -> None:
        if status is ReportStatus.PENDING:
            raise WrongState()
        update = (
            reports.update(report_id)
            .set(Report.status, status)
            .set(Report.resolved_at, days.now(self.clock))
            .set(Report.resolved_by, by.id)
            .when(Report.status == ReportStatus.PENDING)
        )
        entry = self.logs.entry(by, AdminAction.UPDATE_REPORT, "report", report_id, {"to": status.value})
        found = await self.db.get(reports(report_id).consistent())
        if found is None:
            raise NoSuchThing()
        await self.decisions.leave_to_another(by, concerned(found))
        also = [*self._word_to_reporter(found, status), *_copies_gone(found, status)]
        try:
            await self.db.transact(update, entry, *also)
        except TransactionFailed as failed:
            raise (WrongState() if failed.old(update) else NoSuchThing()) from failed

    def _word_to_reporter(self, report: Report, status: ReportStatus) -> list[Action[Any, Any]]:
        """What came of it; not what was done to whom."""
        if report.reporter_id.startswith(WITHDRAWN):
            return []
        reason, now = f"report#{report.report_id}", days.now(self.clock)
        return [notice(report.reporter_id, NoticeKind.OUTCOME, f"notice.outcome.{status.value}", reason, now)]

    async def close(self, by: Admin, target: str) -> None:
        """About one account or one answer: what they asked for is done."""
        await self._close(by, list(await self.db.all(design.reports_about(target))))

    async def close_concerning(self, by: Admin, user_id: str) -> None:
        """All that is about a person, their account or answers."""
        about = await self.db.all(design.reports_on(user_id).consistent())
        found = await self.db.get_many([reports(one.report_id).consistent() for one in about])
        await self._close(by, [one for one in found if one is not None])

    async def _close(self, by: Admin, found: list[Report]) -> None:
        """One that somebody settles meanwhile stays as that moderator left it."""
        for one in found:
            if one.status is ReportStatus.PENDING:
                with suppress(WrongState, NoSuchThing):
                    await self.settle(by, one.report_id, ReportStatus.RESOLVED)


def _copies_gone(report: Report, status: ReportStatus) -> list[Action[Any, Any]]:
    """Of a picture that nothing was wrong with no copy is kept."""
    is_needless = report.seen_picture is not None and status is ReportStatus.DISMISSED
    return [profile_images.delete(copy_of(report.report_id))] if is_needless else []
