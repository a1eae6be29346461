"""Taking back what the desk did, shortly after: everybody who was told is told again."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.runtime.refusals import Refusal
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import DeskAct, DeskVerb
from sekkei_systems.lessons.rules.slots import Slot, parse_slot
from sekkei_systems.lessons.service.access import Staff
from sekkei_systems.lessons.service.acts import Acts
from sekkei_systems.lessons.service.desk import Desk
from sekkei_systems.lessons.service.moves import Moves
from sekkei_systems.lessons.service.restoring import Restoring


@dataclass
class Undoing:
    acts: Acts
    desk: Desk
    moves: Moves
    restoring: Restoring

    async def undo(self, staff: Staff, slot: Slot, act_id: str) -> Slot:
        """Returns where the lesson is then. Refuses what was undone before, is too long ago, or cannot be."""
        act = await self.acts.get(staff.own(slot), act_id)
        if not self.acts.may_undo(act):
            raise refusals.CannotUndo()
        try:
            return await self._undo(staff, slot, act)
        except Refusal:
            if not self.acts.may_undo(await self.acts.get(slot, act_id)):
                raise refusals.CannotUndo() from None  # another click was quicker
            raise

    async def _undo(self, staff: Staff, slot: Slot, act: DeskAct) -> Slot:
        """Each marks the act in its own transaction: it is never marked and not undone."""
        if act.verb in (DeskVerb.BOOKED, DeskVerb.WALK_IN):
            await self.desk.cancel_for(staff, slot, act.user_id or "", undoes=act)
        elif act.verb is DeskVerb.CANCELLED:
            await self.desk.book_for(staff, slot, act.user_id or "", undoes=act)
        elif act.verb is DeskVerb.CALLED_OFF:
            await self.restoring.bring_back(slot, self.acts.undone(act))
        elif act.verb is DeskVerb.MOVED:
            await self.moves.settle(slot)  # what still stands in the old slot would be in the way
            await self.moves.move(staff, parse_slot(act.target or ""), slot, self.acts.undone(act))
        return slot
