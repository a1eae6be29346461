"""What the staff of a studio did to a lesson: written with the act itself, and shown at the desk."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, Put
from sekkei.runtime import days
from sekkei.runtime.identifiers import uuid7
from sekkei.runtime.refusals import Changed
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import DeskAct, DeskVerb, acts_of, desk_acts
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.access import Staff

KEPT = timedelta(days=90)
UNDONE_WITHIN = timedelta(hours=1)
"""So long everybody who was told of a mistake is told that it was one; later it would be another surprise."""
CAN_BE_UNDONE = frozenset(DeskVerb) - {DeskVerb.MESSAGE}


class Acts:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    def act(self, staff: Staff, slot: Slot, verb: DeskVerb, **more: Any) -> DeskAct:
        return DeskAct(
            studio_code=slot.studio_code,
            lesson_date=slot.lesson_date,
            start_time=slot.start_time,
            act_id=uuid7(self._clock),
            verb=verb,
            by=staff.user_id,
            done_at=days.now(self._clock),
            ttl=slot.starts_at + KEPT,
            **more,
        )

    def noted(self, act: DeskAct) -> Put[DeskAct]:
        """For the transaction of what was done."""
        return desk_acts.create(act)

    async def of(self, slot: Slot) -> list[DeskAct]:
        """Newest first."""
        found = await self._db.all(acts_of(slot.studio_code, slot.lesson_date, slot.start_time).consistent())
        return found[::-1]

    async def get(self, slot: Slot, act_id: str) -> DeskAct:
        found = await self._db.get(desk_acts(slot.studio_code, slot.lesson_date, slot.start_time, act_id).consistent())
        if found is None:
            raise refusals.NoSuchAct()
        return found

    def may_undo(self, act: DeskAct) -> bool:
        recent = days.now(self._clock) <= act.done_at + UNDONE_WITHIN
        return recent and act.undone_at is None and act.verb in CAN_BE_UNDONE

    async def undone(self, act: DeskAct) -> None:
        """Claims the undoing, so that of two clicks one does it."""
        update = desk_acts.update(act.studio_code, act.lesson_date, act.start_time, act.act_id)
        update = update.set(DeskAct.undone_at, days.now(self._clock))
        try:
            await self._db.write(update.when(DeskAct.act_id.exists(), DeskAct.undone_at.absent()))
        except ConditionFailed:
            raise Changed() from None

    async def not_undone(self, act: DeskAct) -> None:
        """It could not be undone after all."""
        update = desk_acts.update(act.studio_code, act.lesson_date, act.start_time, act.act_id)
        await self._db.write(update.remove(DeskAct.undone_at).when(DeskAct.act_id.exists()))
