"""What moderators decided about a person, with the reason that the person reads; and appeals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, First, Page, TransactionFailed
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import (
    AppealState,
    Decision,
    DecisionKind,
    DecisionState,
    NoticeKind,
    User,
)
from sekkei_systems.q.design.tables import decisions
from sekkei_systems.q.refusals import AppealedAlready, NoSuchThing, OwnDecision, OwnMatter, WrongState
from sekkei_systems.q.rules import writing
from sekkei_systems.q.service.access import Admin, Joined
from sekkei_systems.q.service.notices import entry

PAGE = 50
STANDING = "/q/#/standing"


def reason_of(text: str) -> str | None:
    return writing.text_of(text, writing.DESCRIPTION_MAX, "reason", lines=True) if text.strip() else None


@dataclass
class Decisions:
    db: Database
    clock: Clock

    def new(
        self,
        by: Admin,
        user_id: str,
        kind: DecisionKind,
        reason: str | None,
        *,
        target: str | None = None,
        until: datetime | None = None,
        state: DecisionState = DecisionState.IN_FORCE,
    ) -> Decision:
        now = days.now(self.clock)
        return Decision(
            user_id=user_id,
            decision_id=f"{now:%Y%m%dT%H%M%S}-{self.clock.uuid()}",
            kind=kind,
            state=state,
            target=target,
            reason=reason,
            decided_by=by.id,
            created_at=now,
            until=until,
            since=now,
        )

    def actions(self, made: Decision) -> list[Action[Any, Any]]:
        """Write it down and tell the person, in the transaction of what was done."""
        told = [] if made.state is DecisionState.PROPOSED else [self.told(made, f"notice.decision.{made.kind.value}")]
        return [decisions.create(made), *told]

    def told(self, made: Decision, said: str) -> Action[Any, Any]:
        values = {"reason": made.reason or "", "day": made.target or "", "until": _date(made.until)}
        reason, now = f"{made.decision_id}#{said}", days.now(self.clock)
        return entry(made.user_id, NoticeKind.DECISION, said, reason, now, values=values, url=STANDING)

    async def about(self, user_id: str) -> First[Decision]:
        return await self.db.first_items(design.decisions_about(user_id).consistent(), PAGE)

    async def mine(self, joined: Joined) -> list[Decision]:
        """What one was told of: not what is only proposed."""
        hidden = (DecisionState.PROPOSED, DecisionState.DECLINED)
        return [one for one in await self.about(joined.id) if one.state not in hidden]

    async def waiting(self, by: Admin, what: str) -> Page[Decision]:
        return await self.db.page(design.waiting_decisions(what), size=PAGE)

    async def get(self, user_id: str, decision_id: str) -> Decision:
        found = await self.db.get(decisions(user_id, decision_id).consistent())
        if found is None:
            raise NoSuchThing()
        return found

    # Appeals

    async def appeal(self, joined: Joined, decision_id: str, text: str) -> Decision:
        """Once for each decision, also by whoever is banned because of it."""
        said = writing.text_of(text, writing.DESCRIPTION_MAX, "text", lines=True)
        update = (
            decisions.update(joined.id, decision_id)
            .set(Decision.appeal, AppealState.OPEN)
            .set(Decision.appeal_text, said)
            .set(Decision.since, days.now(self.clock))
            .when(Decision.state == DecisionState.IN_FORCE, Decision.appeal.absent())
        )
        try:
            await self.db.transact(update)
        except TransactionFailed as failed:
            old = failed.old(update)
            if old is None or old.state in (DecisionState.PROPOSED, DecisionState.DECLINED):
                raise NoSuchThing() from failed
            raise (AppealedAlready() if old.appeal is not None else WrongState()) from failed
        return await self.get(joined.id, decision_id)

    async def settling(self, by: Admin, made: Decision, overturn: bool) -> Sequence[Action[Any, Any]]:
        """How an appeal ends: for the transaction that undoes what was decided, if it is undone."""
        if made.appeal is not AppealState.OPEN:
            raise WrongState()
        await self.leave_to_another(by, made.user_id)
        had_part = (made.decided_by, made.approved_by)
        if by.id in had_part and await self._another_than(*had_part, made.user_id):
            raise OwnDecision()
        to = AppealState.OVERTURNED if overturn else AppealState.UPHELD
        update = (
            decisions.update(made.user_id, made.decision_id)
            .set(Decision.appeal, to)
            .set(Decision.appeal_by, by.id)
            .when(Decision.appeal == AppealState.OPEN, Decision.state == made.state)
        )
        if overturn:
            update = update.set(Decision.state, DecisionState.ENDED)
        return [update, self.told(made, f"notice.appeal.{to.value}")]

    async def undoing(self, by: Admin, user_id: str, day: date) -> list[Action[Any, Any]]:
        """An answer that was taken down comes back: that ends the decision, and an appeal against it succeeds."""
        ended: list[Action[Any, Any]] = []
        for one in await self.about(user_id):
            if (one.kind, one.state, one.target) != (DecisionKind.ANSWER, DecisionState.IN_FORCE, day.isoformat()):
                continue
            update = decisions.update(user_id, one.decision_id).set(Decision.state, DecisionState.ENDED)
            said = "notice.decision.restored"
            if one.appeal is AppealState.OPEN:
                update = update.set(Decision.appeal, AppealState.OVERTURNED).set(Decision.appeal_by, by.id)
                said = f"notice.appeal.{AppealState.OVERTURNED.value}"
            as_read = Decision.state == one.state, Decision.appeal == one.appeal
            ended += [update.when(*as_read), self.told(one, said)]
        return ended

    # Who decides

    async def leave_to_another(self, by: Admin, about: str) -> None:
        """Refuse that somebody decides about themselves, as long as there is another administrator."""
        if by.id == about and await self._another_than(about):
            raise OwnMatter()

    async def _another_than(self, *had_part: str | None) -> bool:
        """Is there an administrator who had no part in it? Asked only when one who had wants to decide."""
        async for one in self.db.each(design.all_users().consistent().filter(User.is_admin.is_(True))):
            if one.user_id not in had_part and not one.is_banned and one.deleting_at is None:
                return True
        return False


def _date(moment: datetime | None) -> str:
    return f"{moment.astimezone(days.JST):%Y-%m-%d %H:%M}" if moment else ""
