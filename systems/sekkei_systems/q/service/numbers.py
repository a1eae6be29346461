"""The operator's numbers: counted as things happen, each once, and shown.

Whether somebody is counted as there stands in their own row, so that it can be looked at again at any time. Everything
else is counted by the change that brought it, which is remembered for longer than a stream may repeat it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal

from sekkei.clock import Clock
from sekkei.design import Action, Contended, Database, TransactionFailed
from sekkei_systems import days
from sekkei_systems.q.design.models import Answer, Counted, Totals, User
from sekkei_systems.q.design.patterns import cohorts_between, numbers_now, numbers_of_days, retention_since
from sekkei_systems.q.design.tables import NOW, counted, users
from sekkei_systems.q.rules import numbers
from sekkei_systems.q.rules.numbers import COHORTS, DAYS, Tally, monday, weeks_after
from sekkei_systems.q.rules.sight import is_present
from sekkei_systems.q.service.access import Admin

_REMEMBERED = timedelta(days=3)
"""A stream keeps its records for a day, and a message is given up within two."""
TRIES_MAX = 20
Outcome = Literal["sent", "failed", "gone"]


@dataclass
class Numbers:
    db: Database
    clock: Clock

    # Counting

    async def presence(self, user_id: str) -> bool:
        """Bring what is counted in line with whether somebody is there; True when it had to be."""
        for _ in range(TRIES_MAX):
            user = await self.db.get(users(user_id).consistent())
            if user is None or user.counted_present is is_present(user):
                return False
            if await self._transacted(*_presence(user)):
                return True
        raise Contended("SK303", f"{user_id} kept being let in and locked out.")

    async def answer(self, sequence: str, old: Answer | None, new: Answer | None) -> bool:
        """An answer that was posted, deleted, brought back, flagged or looked at."""
        for _ in range(TRIES_MAX):
            tally = numbers.of_answer(old, new)
            self._add_matter(tally, old, new)
            active = await self._active(tally, new) if old is None and new is not None else []
            if await self._counted(f"Answers#{sequence}", [*active, *tally.actions()]):
                return True
            if not active or await self._is_counted(f"Answers#{sequence}"):
                return False
        raise Contended("SK303", f"The author of {new!r} kept changing.")

    async def matter(self, table: str, sequence: str, old: Any, new: Any) -> bool:
        """Something that moderators have to look at, or had to."""
        return await self._counted(f"{table}#{sequence}", self._add_matter(Tally(), old, new).actions())

    async def push(self, message_id: str, outcome: Outcome) -> bool:
        tally = Tally().day(days.today(self.clock), **{outcome: 1})
        return await self._counted(f"{outcome}#{message_id}", tally.actions())

    def _add_matter(self, tally: Tally, old: Any, new: Any) -> Tally:
        was, since = numbers.waits_since(old), numbers.waits_since(new)
        return numbers.add_matter(tally, was, since, days.now(self.clock))

    async def _active(self, tally: Tally, answer: Answer) -> list[Action[Any, Any]]:
        """The first answer of a week counts its author among those who stayed. One who has left is in no week."""
        user, week = await self.db.get(users(answer.user_id).consistent()), monday(answer.day)
        if user is None or (user.active_week is not None and user.active_week >= week):
            return []
        cohort = monday(days.day_of(user.created_at))
        tally.weeks[cohort, weeks_after(cohort, answer.day)] += 1
        update = users.update(user.user_id).set(User.active_week, week).keeping_version()
        return [update.when(User.active_week == user.active_week)]

    async def _counted(self, what: str, actions: list[Action[Any, Any]]) -> bool:
        if not actions:
            return False
        marker = Counted(what=what, ttl=days.now(self.clock) + _REMEMBERED)
        return await self._transacted(counted.create(marker), *actions)

    async def _is_counted(self, what: str) -> bool:
        return await self.db.get(counted(what).consistent()) is not None

    async def _transacted(self, *actions: Action[Any, Any]) -> bool:
        try:
            await self.db.transact(*actions)
        except TransactionFailed:
            return False
        return True

    # Showing

    async def show(self, by: Admin) -> numbers.Numbers:
        today = days.today(self.clock)
        this_week = monday(today)
        first_week = this_week - timedelta(weeks=COHORTS - 1)
        found, now, joined, weeks = await asyncio.gather(
            self.db.all(numbers_of_days(today - timedelta(days=DAYS - 1), today)),
            self.db.get(numbers_now()),
            self.db.all(cohorts_between(first_week, this_week)),
            self.db.all(retention_since(first_week)),
        )
        total = now or Totals(name=NOW)
        shown = numbers.days_of(found, total, today)
        return numbers.Numbers(
            days=shown,
            cohorts=numbers.cohorts_of(joined, weeks, this_week),
            members=max(0, total.members),
            waiting=max(0, total.waiting),
            ages=numbers.ages_of(shown, total, today),
        )


def _presence(user: User) -> list[Action[Any, Any]]:
    present = is_present(user)
    update = users.update(user.user_id).set(User.counted_present, present).keeping_version()
    as_read = User.is_banned.is_(user.is_banned), User.deleting_at == user.deleting_at
    mark = update.when(User.counted_present == user.counted_present, *as_read)
    return [mark, *numbers.of_presence(user, present).actions()]


def leaving(user: User, today: date) -> list[Action[Any, Any]]:
    """For the transaction that deletes somebody's row: whoever still counts as there does no longer."""
    if not user.counted_present:
        return []
    tally = Tally().day(today, away=1)
    tally.totals["members"] -= 1
    return tally.actions()
