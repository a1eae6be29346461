"""Counters held against the edges that they count, at night; what still differs later is set right."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.runtime.jobs import Jobs, Payload, Progress
from sekkei.runtime.schedules import Schedules
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Follow, User
from sekkei_systems.q.design.tables import users
from sekkei_systems.q.rules import times
from sekkei_systems.q.rules.sight import is_present
from sekkei_systems.q.service.following import Following
from sekkei_systems.q.service.numbers import Numbers
from sekkei_systems.q.service.people import known_as

USERS_PER_STEP = 25

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
        page = await self.db.page(design.all_users(), size=USERS_PER_STEP, after=cursor)
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
