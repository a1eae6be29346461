"""Counters: compared with the edges that they count at night, and changed when a person is banned."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, TransactionFailed
from sekkei.runtime.jobs import Jobs, Payload, Progress, Step
from sekkei.runtime.schedules import Schedules
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Follow, User
from sekkei_systems.q.design.tables import admin_logs, follows, users
from sekkei_systems.q.rules import times
from sekkei_systems.q.rules.sight import is_present
from sekkei_systems.q.service.following import Following
from sekkei_systems.q.service.numbers import Numbers
from sekkei_systems.q.service.people import known_as
from sekkei_systems.q.service.sanctions import COUNT_BANNED

_USERS_PER_STEP = 25

log = logging.getLogger("sekkei_systems.q.jobs")


@dataclass
class Counters:
    db: Database
    clock: Clock
    jobs: Jobs
    schedules: Schedules
    numbers: Numbers
    following: Following

    async def begin(self, payload: Payload) -> None:
        await self.jobs.start("reconcile", {}, id=f"reconcile/{days.today(self.clock)}")

    async def reconcile(self, payload: Payload, cursor: str | None) -> Progress:
        page = await self.db.page(design.all_users(), size=_USERS_PER_STEP, after=cursor)
        for user in page:
            await self._tidy(user)
            drift = await self.drift(user)
            if drift is not None:
                log.warning("counters differ from the edges", extra=drift)
                at = days.now(self.clock) + times.RECOUNT_AFTER
                await self.schedules.put(f"q/recount/{user.user_id}", "recount", drift, at=at)
        return Progress(len(page), page.cursor)

    async def _tidy(self, user: User) -> None:
        """What an older version left: names of administrators, requests to accounts that are public, people who are in
        no number yet; or whom a stream that nobody read for a day has left out."""
        if user.counted_present is not is_present(user):
            await self.numbers.presence(user.user_id)
        if user.is_admin and user.display_name:
            await self.db.transact(*known_as(user, user.display_name))
        if not user.is_private:
            await self.following.settle_requests(user.user_id)

    async def drift(self, before: User) -> dict[str, Any] | None:
        """What the counters said and what there is; None when they agree, or changed while they were counted."""
        user_id, said = before.user_id, (before.following_count, before.follower_count)
        out, back = design.following(user_id).consistent(), design.followers_of(user_id)
        following = await self.db.count(out.filter(Follow.followee_banned.absent()))
        follower = await self.db.count(back.filter(Follow.follower_banned.absent()))
        if said == (following, follower):
            return None
        after = await self.db.get(users(user_id).consistent())
        if after is None or after.deleting_at is not None or said != (after.following_count, after.follower_count):
            return None
        return {
            "user_id": user_id,
            "said_following": said[0],
            "said_follower": said[1],
            "following": following,
            "follower": follower,
        }

    async def recount(self, payload: Payload) -> None:
        """Set the counters right, if what was found is still so and nobody followed meanwhile."""
        user_id = payload["user_id"]
        now = await self.db.get(users(user_id).consistent())
        found = await self.drift(now) if now is not None else None
        if found is None or any(int(found[name]) != int(payload[name]) for name in found if name != "user_id"):
            return
        update = users.update(user_id).set(User.following_count, found["following"])
        update = update.set(User.follower_count, found["follower"]).keeping_version()
        try:
            await self.db.write(
                update.when(
                    User.following_count == found["said_following"], User.follower_count == found["said_follower"]
                )
            )
        except ConditionFailed:
            pass  # it has just changed, so it will be looked at again tomorrow


# Whoever is banned is not in others' counters; when the ban ends they are again.
#
# A ban and its end each start this job in their own transaction. It takes the user as they are when it looks, and every
# edge changes only while that is still so: whichever order the jobs run in, the last decision holds. Done twice it does
# nothing.


AGAIN = "count-banned-again"
_EDGES_PER_STEP = 25


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
        page = await self.db.page(design.following(user.user_id).consistent(), size=_EDGES_PER_STEP, after=cursor)
        return Progress(await self._count(user, page.items), page.cursor)

    async def _follows_in(self, payload: Payload, cursor: str | None) -> Progress:
        user = await self._user(payload)
        if user is None:
            return Progress(0)
        page = await self.db.page(design.followers_of(user.user_id), size=_EDGES_PER_STEP, after=cursor)
        there = await self.db.get_many([follows(one.follower_id, one.followee_id).consistent() for one in page])
        return Progress(await self._count(user, [one for one in there if one is not None]), page.cursor)

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
