"""While the old table leads, waitlists are changed there: this system shows them, and leaves the rest to the old one.

`SEKKEI_LESSONS_OLD_TABLE=waitlistTable` says that there is an old table. Its changes are then followed, and whether it
still leads is asked of the ledger, so that `cutover` and `rollback` switch every process at once. Without the setting
nothing is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime.idempotency import Also, nothing
from sekkei.runtime.pump import Pump
from sekkei.runtime.settings import Settings
from sekkei.runtime.system import Context, ScheduledJob
from sekkei.runtime.wiring import Wiring
from sekkei.runtime.worker import worker_name
from sekkei_lessons_migration.configuration import OldTable
from sekkei_lessons_migration.ledger import NEW_LEADS, Ledger
from sekkei_lessons_migration.moving import Move
from sekkei_systems.lessons.design import UserLesson
from sekkei_systems.lessons.refusals import WaitlistsElsewhere
from sekkei_systems.lessons.rules.places import Availability
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.waitlist import Wishes
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.monitor import HORIZON, Monitor
from sekkei_systems.lessons.service.waitlist import Waitlist


def old_table_of(settings: Settings) -> OldTable | None:
    """`SEKKEI_LESSONS_OLD_MAPPING=old.json`, or only `SEKKEI_LESSONS_OLD_TABLE=waitlistTable` for the usual names."""
    mapping, table = settings.get("lessons_old_mapping"), settings.get("lessons_old_table")
    if mapping:
        return OldTable.read(Path(mapping).read_bytes())
    return OldTable(table=table) if table else None


@dataclass
class WaitlistBesideOld(Waitlist):
    """The waitlist while there is an old table: it changes only when it is led here."""

    ledger: Ledger

    async def join(self, member: Member, slot: Slot, also: Also[UserLesson] = nothing) -> UserLesson:
        await self._led_here()
        return await super().join(member, slot, also)

    async def leave(self, member: Member, slot: Slot) -> None:
        await self._led_here()
        await super().leave(member, slot)

    async def prefer(self, member: Member, slot: Slot, wanted: Wishes) -> UserLesson:
        await self._led_here()
        return await super().prefer(member, slot, wanted)

    async def _led_here(self) -> None:
        if not await leads_here(self.ledger):
            raise WaitlistsElsewhere()


@dataclass
class MonitorBesideOld(Monitor):
    """The monitor while there is an old table, whose own monitor tells people as long as it leads."""

    ledger: Ledger

    async def run(self, horizon: timedelta = HORIZON) -> int:
        return await super().run(horizon) if await leads_here(self.ledger) else 0

    async def look_at(self, slot: Slot) -> int:
        return await super().look_at(slot) if await leads_here(self.ledger) else 0

    async def pushed(self, slot: Slot, found: Availability, said_at: datetime | None = None) -> int:
        return await super().pushed(slot, found, said_at) if await leads_here(self.ledger) else 0


async def leads_here(ledger: Ledger) -> bool:
    state = await ledger.read()
    return state is not None and state.stage in NEW_LEADS


def follower(db: Database, runtime: Database, clock: Clock, old: OldTable) -> Pump:
    """Carries changes of the old table over, as its stream tells of them."""
    move = Move(db, clock, old)
    return Pump(db.store, runtime, clock, old.table, "lessons-migration", move.follow, worker_name())


async def follow_all(pump: Pump) -> int:
    """Everything that the stream holds now; how many records that were."""
    handled = 0
    while records := await pump.run_once():
        handled += records
    return handled


class Following:
    """What the running system needs while there is an old table."""

    recurring: ClassVar[dict[str, str]] = {"follow": "* * * * *"}

    def __init__(self, context: Context, old: OldTable) -> None:
        self._ledger = Ledger(context.db, context.clock, old.table)
        self._pump = follower(context.db, context.runtime, context.clock, old)

    @classmethod
    def of(cls, context: Context) -> Following | None:
        """None when no old table is set."""
        old = old_table_of(context.settings)
        return cls(context, old) if old is not None else None

    def wire(self, wiring: Wiring) -> None:
        """Hold a waitlist and a monitor that ask which table leads."""
        wiring.value(Ledger, self._ledger)
        wiring.build(WaitlistBesideOld)
        wiring.build(MonitorBesideOld)

    def scheduled(self) -> dict[str, ScheduledJob]:
        return {"follow": self.follow}

    async def follow(self, payload: Mapping[str, Any]) -> None:
        await follow_all(self._pump)
