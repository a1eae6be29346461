"""What the staff of a studio did to a lesson: written with the act itself, and shown at the desk. So is what a studio's
own system refused of it later."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, Put, Update
from sekkei.runtime import days
from sekkei.runtime.identifiers import uuid7
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import DeskAct, DeskVerb, UserLesson, acts_of, desk_acts
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.access import Staff

_KEPT = timedelta(days=90)
UNDONE_WITHIN = timedelta(hours=1)
"""So long everybody who was told of a mistake is told that it was one; later it would be another surprise."""
_CAN_BE_UNDONE = frozenset(DeskVerb) - {DeskVerb.MESSAGE, DeskVerb.REFUSED}


@dataclass
class Acts:
    db: Database
    clock: Clock

    def act(self, staff: Staff, slot: Slot, verb: DeskVerb, **more: Any) -> DeskAct:
        return self._act(slot, verb, by=staff.user_id, **more)

    def _act(self, slot: Slot, verb: DeskVerb, **more: Any) -> DeskAct:
        return DeskAct(
            studio_code=slot.studio_code,
            lesson_date=slot.lesson_date,
            start_time=slot.start_time,
            act_id=uuid7(self.clock),
            verb=verb,
            done_at=days.now(self.clock),
            ttl=slot.starts_at + _KEPT,
            **more,
        )

    def noted(self, act: DeskAct) -> Put[DeskAct]:
        """For the transaction of what was done."""
        return desk_acts.create(act)

    async def of(self, slot: Slot) -> list[DeskAct]:
        """Newest first."""
        found = await self.db.all(acts_of(slot.studio_code, slot.lesson_date, slot.start_time).consistent())
        return found[::-1]

    async def get(self, slot: Slot, act_id: str) -> DeskAct:
        found = await self.db.get(desk_acts(slot.studio_code, slot.lesson_date, slot.start_time, act_id).consistent())
        if found is None:
            raise refusals.NoSuchAct()
        return found

    def may_undo(self, act: DeskAct) -> bool:
        recent = days.now(self.clock) <= act.done_at + UNDONE_WITHIN
        return recent and act.undone_at is None and act.verb in _CAN_BE_UNDONE

    def undone(self, act: DeskAct, by_reservation: str | None = None) -> Update[DeskAct]:
        """For the transaction that undoes it: of two clicks one does it, and whoever dies over it has undone it or may
        try again. `by_reservation` is the booking that it is undone with, which a studio's own system may refuse."""
        update = desk_acts.update(act.studio_code, act.lesson_date, act.start_time, act.act_id)
        update = update.set(DeskAct.undone_at, days.now(self.clock))
        update = update.set(DeskAct.undone_by, by_reservation) if by_reservation else update
        return update.when(DeskAct.act_id.exists(), DeskAct.undone_at.absent())

    async def refused(self, slot: Slot, booking: UserLesson, name: str) -> list[Action[Any, Any]]:
        """For the transaction that ends a booking which the studio's own system refused: the desk sees it, and what
        was undone with that booking is not undone."""
        act = self._act(slot, DeskVerb.REFUSED, by="", user_id=booking.user_id, name=name)
        return [self.noted(act), *[self._not_undone(one) for one in await self.of(slot) if _is_by(one, booking)]]

    def _not_undone(self, act: DeskAct) -> Update[DeskAct]:
        update = desk_acts.update(act.studio_code, act.lesson_date, act.start_time, act.act_id)
        update = update.remove(DeskAct.undone_at).remove(DeskAct.undone_by)
        return update.when(DeskAct.undone_by == act.undone_by)


def _is_by(act: DeskAct, booking: UserLesson) -> bool:
    return act.undone_by is not None and act.undone_by == booking.reservation_id
