"""Warning somebody, suspending them for a time, banning them, and undoing it after an appeal.

Every action, its line in the log, the decision and word of it to the person are one transaction. A ban of a verified
account takes two administrators: the first proposes it, another carries it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, Put, TransactionFailed, replace
from sekkei.runtime import days
from sekkei.runtime.design import JobRun
from sekkei.runtime.jobs import Jobs, Payload
from sekkei.runtime.refusals import Refusal
from sekkei.runtime.schedules import Schedules
from sekkei.web.identity.accounts import Accounts
from sekkei_systems.q.design.models import AdminAction, AdminLog, Decision, DecisionKind, DecisionState, User
from sekkei_systems.q.design.tables import admin_logs, answers, decisions, users
from sekkei_systems.q.refusals import AdminsStay, NoSuchUser, ReasonNeeded, SecondPersonNeeded, WrongState
from sekkei_systems.q.service.access import Admin, ProvenAdmin
from sekkei_systems.q.service.answers import ERASED, restored
from sekkei_systems.q.service.cases import Cases
from sekkei_systems.q.service.decisions import Decisions, reason_of
from sekkei_systems.q.service.logs import Logs

COUNT_BANNED = "count-banned"
END_SUSPENSION = "end-suspension"
_THE_CLOCK = "clock"
"""Who ends a suspension, in the log."""
_TWO_AFTER_MARK = timedelta(days=30)
"""So long nobody gets around the second person by taking the mark away first."""
_LOCKING_OUT = (DecisionKind.SUSPENSION, DecisionKind.BAN)


def takes_two(user: User, now: datetime) -> bool:
    """Whether a ban takes two administrators."""
    return user.is_verified or (user.takes_two_until is not None and now < user.takes_two_until)


def suspension_of(user_id: str) -> str:
    return f"q/suspended/{user_id}"


@dataclass
class Sanctions:
    db: Database
    clock: Clock
    logs: Logs
    accounts: Accounts
    jobs: Jobs
    schedules: Schedules
    decisions: Decisions
    cases: Cases

    async def warn(self, by: Admin, user_id: str, reason: str) -> Decision:
        why = _needed(reason)
        made = self.decisions.new(by, user_id, DecisionKind.WARNING, why)
        there = users.must_exist(user_id).when(User.is_admin.is_(False))
        entry = self.logs.entry(by, AdminAction.WARN_USER, "user", user_id, {"reason": why})
        await self._transact(user_id, there, entry, *self.decisions.actions(made))
        return made

    async def suspend(self, by: ProvenAdmin, user_id: str, for_days: int, reason: str) -> Decision:
        """As a ban, with an end. The schedule is there first: one that fires too early does nothing."""
        why, until = _needed(reason), days.now(self.clock) + timedelta(days=for_days)
        made = self.decisions.new(by, user_id, DecisionKind.SUSPENSION, why, until=until)
        await self._end_at(user_id, until)
        details = {"reason": why, "days": for_days}
        try:
            await self._lock_out(by, made, AdminAction.SUSPEND_USER, details, self.decisions.actions(made))
        except Refusal:
            await self._end_as_stored(user_id)
            raise
        return made

    async def _end_at(self, user_id: str, until: datetime) -> None:
        payload = {"user_id": user_id, "until": until.isoformat()}
        await self.schedules.put(suspension_of(user_id), END_SUSPENSION, payload, at=until)

    async def _end_as_stored(self, user_id: str) -> None:
        """The suspension that they have ends when it says; who has none needs no schedule."""
        user = await self.db.get(users(user_id).consistent())
        if user is not None and user.banned_until is not None:
            await self._end_at(user_id, user.banned_until)
        else:
            await self.schedules.delete(suspension_of(user_id))

    async def ban(self, by: ProvenAdmin, user_id: str, reason: str = "") -> Decision:
        """Locked out and signed out at once, and unseen; of a verified account, when a second person agrees."""
        why = reason_of(reason)
        found = await self.db.get(users(user_id).consistent())
        if found is not None and takes_two(found, days.now(self.clock)) and not found.is_admin:
            return await self._with_two(by, user_id, why)
        made = self.decisions.new(by, user_id, DecisionKind.BAN, why)
        details = {"reason": why} if why else None
        await self._lock_out(by, made, AdminAction.BAN_USER, details, self.decisions.actions(made))
        return made

    async def _with_two(self, by: ProvenAdmin, user_id: str, why: str | None) -> Decision:
        proposed = next((one for one in await self.decisions.about(user_id) if _is_proposed(one)), None)
        if proposed is not None:
            return await self.approve(by, user_id, proposed.decision_id)
        if why is None:
            raise ReasonNeeded(field="reason")
        made = self.decisions.new(by, user_id, DecisionKind.BAN, why, state=DecisionState.PROPOSED)
        there = users.must_exist(user_id).when(User.is_admin.is_(False), User.is_banned.is_(False))
        entry = self.logs.entry(by, AdminAction.PROPOSE_BAN, "user", user_id, {"reason": why})
        await self._transact(user_id, there, entry, *self.decisions.actions(made))
        return made

    async def approve(self, by: ProvenAdmin, user_id: str, decision_id: str) -> Decision:
        made = await self.decisions.get(user_id, decision_id)
        if made.decided_by == by.id:
            raise SecondPersonNeeded()
        agreed = (
            decisions.update(user_id, decision_id)
            .set(Decision.state, DecisionState.IN_FORCE)
            .set(Decision.approved_by, by.id)
            .when(Decision.state == DecisionState.PROPOSED)
        )
        told = self.decisions.told(made, f"notice.decision.{made.kind.value}")
        await self._lock_out(by, made, AdminAction.BAN_USER, {"reason": made.reason or ""}, [agreed, told])
        return replace(made, state=DecisionState.IN_FORCE, approved_by=by.id)

    async def decline(self, by: Admin, user_id: str, decision_id: str) -> None:
        """Whoever proposed it may take it back, too."""
        await self.decisions.leave_to_another(by, user_id)
        made = await self.decisions.get(user_id, decision_id)
        update = decisions.update(user_id, decision_id).set(Decision.state, DecisionState.DECLINED)
        entry = self.logs.entry(by, AdminAction.DECLINE_BAN, "user", user_id, {"reason": made.reason or ""})
        try:
            await self.db.transact(update.when(Decision.state == DecisionState.PROPOSED), entry)
        except TransactionFailed as failed:
            raise WrongState() from failed

    async def unban(self, by: ProvenAdmin, user_id: str, reason: str = "") -> None:
        why = reason_of(reason)
        ended = [one for one in await self.decisions.about(user_id) if _locks_out(one)]
        entry = self.logs.entry(by, AdminAction.UNBAN_USER, "user", user_id, {"reason": why} if why else None)
        await self._let_in(user_id, entry, [*_ending(ended), *(self._ended_word(one) for one in ended[:1])])

    def _ended_word(self, made: Decision) -> Action[Any, Any]:
        return self.decisions.told(made, "notice.decision.ended")

    # When a suspension's time is over

    async def end_suspension(self, payload: Payload) -> None:
        user = await self.db.get(users(payload["user_id"]).consistent())
        if user is None or not user.is_banned or user.banned_until is None:
            return  # ended before
        if user.banned_until > days.now(self.clock):
            await self._end_at(user.user_id, user.banned_until)
            return
        ended = [one for one in await self.decisions.about(user.user_id) if _locks_out(one)]
        entry = admin_logs.create(
            AdminLog(
                log_id=self.clock.uuid(),
                admin_id=_THE_CLOCK,
                action=AdminAction.UNBAN_USER,
                target_type="user",
                target_id=user.user_id,
                timestamp=days.now(self.clock),
            )
        )
        await self._let_in(user.user_id, entry, [*_ending(ended), *(self._ended_word(one) for one in ended[:1])])

    # Appeals

    async def decide_appeal(self, by: ProvenAdmin, user_id: str, decision_id: str, overturn: bool) -> None:
        """What is overturned is undone in the same transaction, as far as it can be: a name that was removed is not
        known any more."""
        made = await self.decisions.get(user_id, decision_id)
        settling = await self.decisions.settling(by, made, overturn)
        details = {"overturned": overturn, "kind": made.kind.value}
        entry = self.logs.entry(by, AdminAction.DECIDE_APPEAL, "user", user_id, details)
        if overturn and _locks_out(made):
            await self._let_in(user_id, entry, settling)
            return
        undone: list[Action[Any, Any]] = []
        if overturn and made.kind is DecisionKind.ANSWER and made.target:
            undone += await self._back(date.fromisoformat(made.target), user_id)
        try:
            await self.db.transact(entry, *settling, *undone)
        except TransactionFailed as failed:
            raise WrongState() from failed

    async def _back(self, day: date, author: str) -> list[Action[Any, Any]]:
        """What is not there any more, words or answer, does not come back."""
        found = await self.db.get(answers(day, author).consistent())
        return [] if found is None or found.text == ERASED else [restored(day, author)]

    # What they share

    async def _lock_out(
        self,
        by: Admin,
        made: Decision,
        action: AdminAction,
        details: dict[str, Any] | None,
        also: Sequence[Action[Any, Any]],
    ) -> None:
        update = users.update(made.user_id).set(User.is_banned, True).set(User.banned_until, made.until)
        update = update.set(User.updated_at, days.now(self.clock))
        free = User.is_banned.is_(False)
        if made.kind is DecisionKind.BAN:
            free = free | User.banned_until.exists()  # a suspension may become a ban
        update = update.when(free, User.is_admin.is_(False))
        entry = self.logs.entry(by, action, "user", made.user_id, details)
        others = [one for one in await self.decisions.about(made.user_id) if one.decision_id != made.decision_id]
        actions: list[Action[Any, Any]] = [update, entry, self._counting(entry.instance), *also]
        actions += _ending([one for one in others if _locks_out(one)])
        if await self.accounts.get(made.user_id) is not None:
            actions.append(self.accounts.signing_out(made.user_id))
        await self._transact(made.user_id, *actions)
        self.accounts.signed_out(made.user_id)
        if made.kind is DecisionKind.BAN:
            await self.cases.close_concerning(by, made.user_id)
        else:
            await self.cases.close(by, made.user_id)  # answers are seen again, and still to be looked at

    async def _let_in(self, user_id: str, entry: Put[AdminLog], also: Sequence[Action[Any, Any]]) -> None:
        update = users.update(user_id).set(User.is_banned, False).set(User.banned_until, None)
        update = update.set(User.updated_at, days.now(self.clock)).when(User.is_banned.is_(True))
        await self._transact(user_id, update, entry, self._counting(entry.instance), *also)

    async def _transact(self, user_id: str, first: Action[Any, Any], *others: Action[Any, Any]) -> None:
        try:
            await self.db.transact(first, *others)
        except TransactionFailed as failed:
            found = await self.db.get(users(user_id).consistent())
            if found is None:
                raise NoSuchUser() from failed
            raise (AdminsStay() if found.is_admin else WrongState()) from failed

    def _counting(self, entry: AdminLog) -> Put[JobRun]:
        """Others' counters follow in a job. It names the line of the log and not the user, whom a withdrawal takes
        out of the log; the worker's notes stay for a month."""
        payload = {"timestamp": entry.timestamp.isoformat(), "log_id": entry.log_id}
        return self.jobs.start_action(COUNT_BANNED, payload, id=f"{COUNT_BANNED}/{entry.log_id}")

    async def verify(self, by: ProvenAdmin, user_id: str, verified: bool) -> None:
        """A mark beside the name; a ban then takes two administrators, and for a while after one took it away, too."""
        await self.decisions.leave_to_another(by, user_id)
        until = None if verified else days.now(self.clock) + _TWO_AFTER_MARK
        update = users.update(user_id).set(User.is_verified, verified).set(User.takes_two_until, until)
        update = update.when(User.is_verified.is_(not verified))
        entry = self.logs.entry(by, AdminAction.VERIFY_USER, "user", user_id, {"verified": verified})
        await self._transact(user_id, update, entry)


def _needed(reason: str) -> str:
    why = reason_of(reason)
    if why is None:
        raise ReasonNeeded(field="reason")
    return why


def _is_proposed(one: Decision) -> bool:
    return one.state is DecisionState.PROPOSED


def _locks_out(one: Decision) -> bool:
    return one.kind in _LOCKING_OUT and one.state is DecisionState.IN_FORCE


def _ending(found: Sequence[Decision]) -> list[Action[Any, Any]]:
    """Each as long as it is in force: one decision at a time locks somebody out."""
    in_force = Decision.state == DecisionState.IN_FORCE
    return [
        decisions.update(one.user_id, one.decision_id).set(Decision.state, DecisionState.ENDED).when(in_force)
        for one in found
    ]
