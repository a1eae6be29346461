"""What an earlier version stored, brought under the rules of today: once, when a store is opened by this version.

Whoever was banned has a decision that they can appeal against, and is out of others' counters; reports are found by the
person they concern; words that were deleted are gone. Each step takes a page, and may be done twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from sekkei.design import ConditionFailed
from sekkei.runtime import days
from sekkei.runtime.jobs import Payload, Progress, Step
from sekkei.runtime.system import Context
from sekkei_systems.q import design
from sekkei_systems.q.design.models import WITHDRAWN, Answer, ReportStatus, User
from sekkei_systems.q.design.models_added import Decision, DecisionKind, DecisionState, ReportAbout
from sekkei_systems.q.design.tables_added import decisions, reports_concerning
from sekkei_systems.q.jobs.bans import CountingBans
from sekkei_systems.q.rules import times
from sekkei_systems.q.service import Service
from sekkei_systems.q.service.erasing import APPEALED_WITHIN, ERASED
from sekkei_systems.q.service.reports import concerned
from sekkei_systems.q.service.sanctions import LOCKING_OUT

EARLIER = "bring-up-to-date-0.2"
EARLIER_LOG = "bring-up-to-date-log"
"""Of its own: some stores were brought up to date before lines of the log were found by whom they concern."""
USERS_PER_STEP = 25
REPORTS_PER_STEP = 100
BEFORE = "earlier"
"""Who decided, where nobody wrote it down."""


class Earlier:
    def __init__(self, context: Context, service: Service, bans: CountingBans) -> None:
        self._db = context.db
        self._clock = context.clock
        self._erasing = service.erasing
        self._bans = bans

    def steps(self) -> Sequence[tuple[str, Step]]:
        return [("people", self._people), *((f"reports-{one.value}", self._reports(one)) for one in ReportStatus)]

    async def _people(self, payload: Payload, cursor: str | None) -> Progress:
        page = await self._db.page(design.all_users().consistent(), size=USERS_PER_STEP, after=cursor)
        for user in page:
            if user.is_banned:
                await self._note_ban(user)
                await self._bans.count(user)
            await self._erase_deleted(user)
        return Progress(len(page), page.cursor)

    async def _note_ban(self, user: User) -> None:
        """Named after the moment of the ban, so that a second try makes no second one."""
        found = await self._db.all(design.decisions_about(user.user_id).consistent())
        if any(one.kind in LOCKING_OUT and one.state is DecisionState.IN_FORCE for one in found):
            return
        at = user.updated_at
        made = Decision(
            user_id=user.user_id,
            decision_id=f"{at:%Y%m%dT%H%M%S}-{BEFORE}",
            kind=DecisionKind.SUSPENSION if user.banned_until else DecisionKind.BAN,
            decided_by=BEFORE,
            created_at=at,
            until=user.banned_until,
            since=at,
        )
        try:
            await self._db.write(decisions.create(made))
        except ConditionFailed:
            pass  # there already, and ended since

    async def _erase_deleted(self, user: User) -> None:
        """At once, or when nobody can bring it back any more."""
        query = design.answers_of_user(user.user_id).filter(Answer.is_deleted.is_(True))
        for one in [one for one in await self._db.all(query) if one.text != ERASED and one.deleted_at is not None]:
            wait = APPEALED_WITHIN if one.deleted_by_admin else times.UNDO
            left = (one.deleted_at or days.now(self._clock)) + wait - days.now(self._clock)
            if left.total_seconds() > 0:
                await self._erasing.later(one.day, one.user_id, left)
            else:
                await self._erasing.erase({"day": one.day.isoformat(), "user_id": one.user_id})

    def _reports(self, status: ReportStatus) -> Step:
        async def step(payload: Payload, cursor: str | None) -> Progress:
            page = await self._db.page(design.reports_with_status(status), size=REPORTS_PER_STEP, after=cursor)
            about = [
                ReportAbout(user_id=who, report_id=one.report_id, created_at=one.created_at)
                for one in page
                if (who := concerned(one)) and not who.startswith(WITHDRAWN)
            ]
            await self._db.write_many(reports_concerning.put(one) for one in about)
            return Progress(len(about), page.cursor)

        return step
