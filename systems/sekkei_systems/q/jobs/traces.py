"""A day after somebody has left, what was set aside of them goes: by then the streams have forgotten them too.

The deletions themselves are in the streams for a day. What cannot be handled of them is set aside among the dead
letters, with all that was deleted in it, perhaps after the withdrawal was done.
"""

from __future__ import annotations

from sekkei.runtime import days
from sekkei.runtime.data_subjects import AFTER
from sekkei.runtime.jobs import Payload
from sekkei.runtime.system import Context
from sekkei_systems.q.design.tables import users

JOB = "forget-traces"


class LateTraces:
    def __init__(self, context: Context) -> None:
        self._db = context.db
        self._outbox = context.outbox
        self._schedules = context.schedules
        self._clock = context.clock

    async def later(self, user_id: str) -> None:
        at = days.now(self._clock) + AFTER
        await self._schedules.put(f"q/traces/{user_id}", JOB, {"user_id": user_id}, at=at)

    async def forget(self, payload: Payload) -> None:
        """Whoever has come back meanwhile, with an account that other systems need too, keeps what is new."""
        if await self._db.get(users(payload["user_id"]).consistent()) is None:
            await self._outbox.forget(payload["user_id"])
