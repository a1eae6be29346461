"""What a studio says to those who come to a lesson, and if it likes to those who wait."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sekkei.design import Database
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.schedules import Schedules
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    DeskAct,
    DeskVerb,
    Status,
    TieKind,
    UserLesson,
    contact,
    of_studio_on,
)
from sekkei_systems.lessons.rules.notices import Notices
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.service.access import Staff
from sekkei_systems.lessons.service.acts import Acts
from sekkei_systems.lessons.service.timetable import Timetable

WORDS_LENGTH_MAX = 1000
FINISHED_AFTER = timedelta(minutes=1)


@dataclass
class ClassMessages:
    db: Database
    timetable: Timetable
    acts: Acts
    outbox: Outbox
    notices: Notices
    schedules: Schedules

    async def send(self, staff: Staff, slot: Slot, words: str, *, to_waiting: bool = False) -> int:
        """Returns how many people could be reached. What is left when this process dies is sent by the schedule."""
        await self.timetable.get(staff.own(slot))
        if not 1 <= len(words.strip()) <= WORDS_LENGTH_MAX:
            raise refusals.BadWords(field="words", limit=WORDS_LENGTH_MAX)
        act = self.acts.act(staff, slot, DeskVerb.MESSAGE, words=words.strip(), to_waiting=to_waiting)
        payload = {"slot": str(slot), "act": act.act_id}
        await self.schedules.put(f"lessons/message/{act.act_id}", "message", payload, at=act.done_at + FINISHED_AFTER)
        await self.db.transact(self.acts.noted(act))
        return await self._deliver(act, slot)

    async def finish(self, slot: Slot, act_id: str) -> int:
        """There is one message for one act and person, however often this is done."""
        return await self._deliver(await self.acts.get(slot, act_id), slot)

    async def _deliver(self, act: DeskAct, slot: Slot) -> int:
        lesson = await self.timetable.get(slot)
        ties = await self.db.all(of_studio_on(slot.studio_code, slot.lesson_date))
        users = sorted({tie.user_id for tie in ties if slot_of(tie) == slot and _hears(tie, act)})
        people = await self.db.get_many(contact(user) for user in users)
        reached = 0
        for person in people:
            bodies = self.notices.message(person, lesson, act.words or "") if person is not None else {}
            for kind, body in bodies.items():
                reason = f"class/{act.act_id}/{body['to']}/{kind}"
                await self.outbox.put(kind, str(body["to"]), body, id=reason)
            reached += bool(bodies)
        return reached


def _hears(tie: UserLesson, act: DeskAct) -> bool:
    if tie.kind is TieKind.BOOKING:
        return tie.status in (Status.ACTIVE, Status.COMPLETED)
    return act.to_waiting and tie.kind is TieKind.WAITLIST and tie.status is Status.ACTIVE
