"""What was deleted is really gone: the words of an answer go when it can no longer be brought back.

An author can undo a deletion for half an hour, and somebody whose answer was taken down has a month to appeal; while
an appeal is open, the words stay. That there was an answer stays, without its words: there is no second one for that
day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database
from sekkei.runtime import days
from sekkei.runtime.jobs import Payload
from sekkei.runtime.schedules import Schedules
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Answer
from sekkei_systems.q.design.models_added import AppealState
from sekkei_systems.q.design.tables import answers
from sekkei_systems.q.rules import times

ERASE = "erase-answer"
APPEALED_WITHIN = timedelta(days=30)
UNTIL_DECIDED = timedelta(days=1)
"""While an appeal is open, it is looked at again every day."""
ERASED = ""


def erasing_of(day: date, user_id: str) -> str:
    return f"q/erase/{day}/{user_id}"


@dataclass
class Erasing:
    db: Database
    clock: Clock
    schedules: Schedules

    async def later(self, day: date, user_id: str, after: timedelta) -> None:
        at = days.now(self.clock) + after + timedelta(minutes=1)
        payload = {"day": day.isoformat(), "user_id": user_id}
        await self.schedules.put(erasing_of(day, user_id), ERASE, payload, at=at)

    async def erase(self, payload: Payload) -> None:
        """Only what is still deleted, and has been for long enough: it may have come back and gone again."""
        day, user_id = date.fromisoformat(payload["day"]), payload["user_id"]
        found = await self.db.get(answers(day, user_id).consistent())
        if found is None or not found.is_deleted or found.deleted_at is None:
            return
        wait = APPEALED_WITHIN if found.deleted_by_admin else times.UNDO
        if found.deleted_at > days.now(self.clock) - wait:
            return  # the schedule of that deletion comes later
        if found.deleted_by_admin and await self._is_appealed(day, user_id):
            await self.later(day, user_id, UNTIL_DECIDED)
            return
        update = answers.update(day, user_id).set(Answer.text, ERASED)
        try:
            await self.db.write(update.when(Answer.is_deleted.is_(True), Answer.deleted_at == found.deleted_at))
        except ConditionFailed:
            pass  # brought back at this moment

    async def _is_appealed(self, day: date, user_id: str) -> bool:
        """Whoever decides about an appeal reads what it is about, and may bring it back."""
        found = await self.db.all(design.decisions_about(user_id).consistent())
        return any(one.appeal is AppealState.OPEN and one.target == day.isoformat() for one in found)


def restored(day: date, author: str) -> Action[Any, Any]:
    """What moderators took down is there again."""
    update = answers.update(day, author).set(Answer.is_deleted, False).set(Answer.deleted_by_admin, False)
    return update.set(Answer.deleted_at, None).when(Answer.deleted_by_admin.is_(True))
