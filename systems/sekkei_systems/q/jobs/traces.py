"""A day after somebody has left, what was set aside of them goes: by then the streams have forgotten them too.

The deletions themselves are in the streams for a day. What cannot be handled of them is set aside among the dead
letters, with all that was deleted in it, perhaps after the withdrawal was done.
"""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime import days
from sekkei.runtime.data_subjects import AFTER
from sekkei.runtime.jobs import Payload
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.schedules import Schedules
from sekkei_systems.q.design.tables import users

JOB = "forget-traces"


@dataclass
class LateTraces:
    db: Database
    clock: Clock
    outbox: Outbox
    schedules: Schedules

    async def later(self, user_id: str) -> None:
        at = days.now(self.clock) + AFTER
        await self.schedules.put(f"q/traces/{user_id}", JOB, {"user_id": user_id}, at=at)

    async def forget(self, payload: Payload) -> None:
        """Whoever has come back meanwhile, with an account that other systems need too, keeps what is new."""
        if await self.db.get(users(payload["user_id"]).consistent()) is None:
            await self.outbox.forget(payload["user_id"])
