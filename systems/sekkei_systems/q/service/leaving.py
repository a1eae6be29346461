"""Withdrawal: asked for, held for a week in which it can be cancelled, and then carried out by a job."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.schedules import Schedules
from sekkei_systems.q.design.models import User
from sekkei_systems.q.design.tables import users
from sekkei_systems.q.refusals import AdminsStay, WrongState
from sekkei_systems.q.rules import times
from sekkei_systems.q.service.access import Joined

JOB = "begin-withdrawal"


def schedule_of(user: str) -> str:
    return f"q/withdraw/{user}"


@dataclass
class Leaving:
    db: Database
    clock: Clock
    schedules: Schedules

    async def ask(self, member: Joined, leaves_house: bool = False) -> datetime:
        """From now on nobody sees the user any more. Returns when everything will be deleted. Whoever is banned may
        leave, too.

        With `leaves_house` the account that they sign in with goes too. Where other systems share it, it stays.
        """
        if member.user.is_admin:
            raise AdminsStay()
        if member.user.deleting_at is not None:
            raise WrongState()  # before the schedule is put: asking again puts nothing off
        now = days.now(self.clock)
        # The schedule first: one that fires for somebody who does not leave does nothing, but one that was lost
        # between two writes would keep a leaver's data for ever.
        await self.schedules.put(schedule_of(member.id), JOB, {"user_id": member.id}, at=now + times.GRACE)
        update = users.update(member.id).set(User.deleting_at, now).set(User.updated_at, now)
        update = update.set(User.leaves_house, leaves_house)
        try:  # transactions, whose tokens know their own work when an answer is lost
            await self.db.transact(update.when(User.is_admin.is_(False), User.deleting_at.absent()))
        except TransactionFailed as failed:
            raise WrongState() from failed
        return now + times.GRACE

    async def cancel(self, joined: Joined) -> User:
        """Until the job has begun; then it is too late."""
        now = days.now(self.clock)
        update = users.update(joined.id).set(User.deleting_at, None).set(User.updated_at, now)
        try:
            await self.db.transact(update.when(User.deleting_at > now - times.GRACE))
        except TransactionFailed as failed:
            raise WrongState() from failed
        await self.schedules.delete(schedule_of(joined.id))
        return await self.db.need(users(joined.id).consistent())
