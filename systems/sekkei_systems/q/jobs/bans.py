"""Whoever is banned is not in others' counters; when the ban ends they are again.

A ban and its end each start this job in their own transaction. It takes the user as they are when it looks, and every
edge changes only while that is still so: whichever order the jobs run in, the last decision holds. Done twice it does
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.jobs import Jobs, Payload, Progress, Step
from sekkei.runtime.schedules import Schedules
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Follow, User
from sekkei_systems.q.design.tables import admin_logs, follows, users
from sekkei_systems.q.rules import times
from sekkei_systems.q.service.sanctions import COUNT_BANNED

AGAIN = "count-banned-again"
EDGES_PER_STEP = 25


@dataclass
class CountingBans:
    db: Database
    clock: Clock
    jobs: Jobs
    schedules: Schedules

    def steps(self) -> Sequence[tuple[str, Step]]:
        return [
            ("follows-out", self._follows_out),
            ("follows-in", self._follows_in),
            ("look-again", self._look_again),
        ]

    async def _user(self, payload: Payload) -> User | None:
        """Whom the line of the log is about; nobody, when they have left."""
        at = datetime.fromisoformat(payload["timestamp"])
        entry = await self.db.get(admin_logs(at, payload["log_id"]).consistent())
        if entry is None or entry.target_id is None:
            return None
        return await self.db.get(users(entry.target_id).consistent())

    async def _follows_out(self, payload: Payload, cursor: str | None) -> Progress:
        user = await self._user(payload)
        if user is None:
            return Progress(0)
        page = await self.db.page(design.following(user.user_id).consistent(), size=EDGES_PER_STEP, after=cursor)
        return Progress(await self._count(user, page.items), page.cursor)

    async def _follows_in(self, payload: Payload, cursor: str | None) -> Progress:
        user = await self._user(payload)
        if user is None:
            return Progress(0)
        page = await self.db.page(design.followers_of(user.user_id), size=EDGES_PER_STEP, after=cursor)
        there = await self.db.get_many([follows(one.follower_id, one.followee_id).consistent() for one in page])
        return Progress(await self._count(user, [one for one in there if one is not None]), page.cursor)

    async def count(self, user: User) -> int:
        """All edges of somebody at once: for those who were banned before edges said so."""
        out = await self.db.all(design.following(user.user_id).consistent())
        back = await self.db.all(design.followers_of(user.user_id))
        there = await self.db.get_many([follows(one.follower_id, one.followee_id).consistent() for one in back])
        return await self._count(user, [*out, *(one for one in there if one is not None)])

    async def _count(self, user: User, edges: Sequence[Follow]) -> int:
        done = 0
        for edge in edges:
            marked = edge.follower_banned if edge.follower_id == user.user_id else edge.followee_banned
            if bool(marked) == user.is_banned:
                continue
            try:
                await self.db.transact(design.count_banned(edge, user.user_id, user.is_banned))
                done += 1
            except TransactionFailed:
                pass  # the edge is gone; or the ban has changed, and the job of that change does the rest
        return done

    async def _look_again(self, payload: Payload, cursor: str | None) -> Progress:
        """The index of followers may not have shown somebody who followed in the last moment."""
        if not payload.get("again"):
            at = days.now(self.clock) + times.RECOUNT_AFTER
            await self.schedules.put(f"q/{COUNT_BANNED}/{payload['log_id']}", AGAIN, payload, at=at)
        return Progress(0)

    async def again(self, payload: Payload) -> None:
        await self.jobs.start(COUNT_BANNED, {**payload, "again": True}, id=f"{COUNT_BANNED}/{payload['log_id']}/again")
