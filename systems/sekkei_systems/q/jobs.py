"""What Q. does by the clock: plan, publish, push, ask what became of pushes, free old questions, count anew."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Protocol

from sekkei.design import ConditionFailed, Page
from sekkei.runtime import days
from sekkei.runtime.design import State
from sekkei.runtime.jobs import Job, Payload, Progress
from sekkei.runtime.system import Context, ScheduledJob
from sekkei_systems.q import design, notices, times
from sekkei_systems.q.ban_job import AGAIN as COUNT_BANNED_AGAIN
from sekkei_systems.q.ban_job import CountingBans
from sekkei_systems.q.entities import daily_questions, push_tokens, users
from sekkei_systems.q.leave_job import Withdrawal
from sekkei_systems.q.models import Follow, PushToken, User
from sekkei_systems.q.notices import NoticeKind, is_wanted
from sekkei_systems.q.service import Service
from sekkei_systems.q.service.leaving import JOB as BEGIN_WITHDRAWAL
from sekkei_systems.q.service.moderation import COUNT_BANNED
from sekkei_systems.q.service.notices import message_id
from sekkei_systems.q.sight import is_present

TOKENS_PER_STEP = 100
SPREAD_SECONDS = 60
"""The pushes of one question are spread over a minute, so that not everybody answers in the same second."""
RECEIPTS_AFTER = timedelta(minutes=15)
RECEIPTS_AGAIN_AFTER = timedelta(hours=1)
RECEIPT_TIMES = 3
"""Some are not known yet after a quarter of an hour; Expo forgets them after a day."""
FOR_THE_OPERATOR = ("InvalidCredentials", "MismatchSenderId")
USERS_PER_STEP = 25

RECURRING = {
    "plan": "0 0 * * *",
    "publish": "* * * * *",
    "reuse": "30 0 * * *",
    "reconcile": "30 3 * * *",
    "digest": "0 20 * * 0",
}
"""Japan's time."""

log = logging.getLogger("sekkei_systems.q.jobs")


class Receipts(Protocol):
    """Expo, as far as it is asked what became of a message."""

    async def receipts(self, tickets: Sequence[str]) -> dict[str, dict[str, Any]]: ...


class QJobs:
    def __init__(self, context: Context, service: Service, expo: Receipts | None = None) -> None:
        self._context = context
        self._db = context.db
        self._clock = context.clock
        self._service = service
        self._expo = expo
        self._withdrawal = Withdrawal(context, service.accounts)
        self._bans = CountingBans(context)

    def definitions(self) -> Mapping[str, Job]:
        return {
            "push": Job([("tokens", self._push), ("receipts", self._ask_later)]),
            "receipts": Job([("tokens", self._receipts)]),
            "reuse": Job([("questions", self._reuse)]),
            "reconcile": Job([("users", self._reconcile)]),
            "digest": Job([("tokens", self._digest)]),
            "withdraw": Job(self._withdrawal.steps()),
            COUNT_BANNED: Job(self._bans.steps()),
        }

    def scheduled(self) -> Mapping[str, ScheduledJob]:
        return {
            "plan": self.plan,
            "publish": self.publish,
            "reuse": self._begin_reuse,
            "reconcile": self._begin_reconcile,
            "digest": self._begin_digest,
            "receipts": self._begin_receipts,
            "recount": self.recount,
            BEGIN_WITHDRAWAL: self._withdrawal.begin,
            COUNT_BANNED_AGAIN: self._bans.again,
        }

    # Days

    async def plan(self, payload: Payload) -> None:
        """Tomorrow's row; and today's, should it be missing."""
        today = days.today(self._clock)
        await self._service.planning.plan(today)
        await self._service.planning.plan(today + timedelta(days=1))

    async def publish(self, payload: Payload) -> None:
        published = await self._service.planning.publish_due()
        if published is not None and published.by_us:
            self._context.live.publish("q/today", "published", {"day": published.question.day.isoformat()})

    async def _begin_reuse(self, payload: Payload) -> None:
        await self._context.jobs.start("reuse", {}, id=f"reuse/{days.today(self._clock)}")

    async def _reuse(self, payload: Payload, cursor: str | None) -> Progress:
        freed, following = await self._service.planning.reuse(cursor)
        return Progress(freed, following)

    # Pushes

    async def _push(self, payload: Payload, cursor: str | None) -> Progress:
        """A message for every device. Its id is the day and the token, so that a repeated step sends nothing twice."""
        day = date.fromisoformat(payload["day"])
        question = await self._db.need(daily_questions(day).consistent())
        page = await self._db.page(design.all_tokens(), size=TOKENS_PER_STEP, after=cursor)
        message = notices.new_question(day, question.question_text)
        for owner, device in await self._who_want(page, NoticeKind.QUESTION):
            spread = timedelta(seconds=self._clock.random() * SPREAD_SECONDS)
            await self._service.notices.send(owner, device, NoticeKind.QUESTION, message, day.isoformat(), spread)
        return Progress(len(page), page.cursor)

    async def _who_want(self, page: Page[PushToken], kind: NoticeKind) -> list[tuple[User, PushToken]]:
        owners = await self._db.get_many([users(one.user_id).consistent() for one in page])
        return [
            (owner, one)
            for one, owner in zip(page, owners, strict=True)
            if owner is not None and is_present(owner) and is_wanted(owner, kind)
        ]

    async def _begin_digest(self, payload: Payload) -> None:
        await self._context.jobs.start("digest", {}, id=f"digest/{days.today(self._clock)}")

    async def _digest(self, payload: Payload, cursor: str | None) -> Progress:
        """Once a week, what came in it; whoever got nothing hears nothing."""
        page = await self._db.page(design.all_tokens(), size=TOKENS_PER_STEP, after=cursor)
        for owner, device in await self._who_want(page, NoticeKind.DIGEST):
            found = await self._service.reactions.digest_of(owner.user_id)
            if found.total:
                message = notices.weekly_digest(found.until, found.total, found.counts)
                await self._service.notices.send(owner, device, NoticeKind.DIGEST, message, found.until.isoformat())
        return Progress(len(page), page.cursor)

    async def _ask_later(self, payload: Payload, cursor: str | None) -> Progress:
        await self._ask_at(payload["day"], 1, RECEIPTS_AFTER)
        return Progress(0)

    async def _ask_at(self, day: str, time: int, after: timedelta) -> None:
        name, at = f"{day}/{time}", days.now(self._clock) + after
        await self._context.schedules.put(f"q/receipts/{name}", "receipts", {"day": day, "time": time}, at=at)

    async def _begin_receipts(self, payload: Payload) -> None:
        await self._context.jobs.start("receipts", payload, id=f"receipts/{payload['day']}/{payload['time']}")

    async def _receipts(self, payload: Payload, cursor: str | None) -> Progress:
        """What became of the day's pushes; a device that has the app no longer is forgotten."""
        day = date.fromisoformat(payload["day"])
        page = await self._db.page(design.all_tokens(), size=TOKENS_PER_STEP, after=cursor)
        tickets: dict[str, PushToken] = {}
        gone: list[PushToken] = []
        for one in page:
            message = await self._context.outbox.get(message_id(NoticeKind.QUESTION, day.isoformat(), one.token))
            if message is None:
                continue
            if message.state is State.FAILED and "DeviceNotRegistered" in (message.last_error or ""):
                gone.append(one)
            elif message.state is State.SENT and message.receipt and self._expo is not None:
                tickets[message.receipt] = one
        if tickets and self._expo is not None:
            found = await self._expo.receipts(list(tickets))
            gone += self._gone(found, tickets)
            if len(found) < len(tickets) and int(payload["time"]) < RECEIPT_TIMES:
                await self._ask_at(payload["day"], int(payload["time"]) + 1, RECEIPTS_AGAIN_AFTER)
        for one in gone:
            await self._forget(one)
        return Progress(len(page), page.cursor)

    def _gone(self, receipts: Mapping[str, Any], tickets: Mapping[str, PushToken]) -> list[PushToken]:
        gone = []
        for ticket, receipt in receipts.items():
            if receipt.get("status") != "error" or ticket not in tickets:
                continue
            reason = (receipt.get("details") or {}).get("error", "")
            if reason == "DeviceNotRegistered":
                gone.append(tickets[ticket])
            else:
                level = logging.ERROR if reason in FOR_THE_OPERATOR else logging.WARNING
                log.log(
                    level, "a push was not delivered", extra={"reason": reason, "words": receipt.get("message", "")}
                )
        return gone

    async def _forget(self, one: PushToken) -> None:
        try:
            await self._db.write(
                push_tokens.delete(one.user_id, one.token).when(PushToken.updated_at == one.updated_at)
            )
        except ConditionFailed:
            pass  # registered anew meanwhile

    # Counters

    async def _begin_reconcile(self, payload: Payload) -> None:
        await self._context.jobs.start("reconcile", {}, id=f"reconcile/{days.today(self._clock)}")

    async def _reconcile(self, payload: Payload, cursor: str | None) -> Progress:
        page = await self._db.page(design.all_users(), size=USERS_PER_STEP, after=cursor)
        for user in page:
            drift = await self.drift(user.user_id)
            if drift is not None:
                log.warning("counters differ from the edges", extra=drift)
                at = days.now(self._clock) + times.RECOUNT_AFTER
                await self._context.schedules.put(f"q/recount/{user.user_id}", "recount", drift, at=at)
        return Progress(len(page), page.cursor)

    async def drift(self, user_id: str) -> dict[str, Any] | None:
        """What the counters say and what there is; None when they agree, or changed while they were counted."""
        before = await self._db.get(users(user_id).consistent())
        out, back = design.following(user_id).consistent(), design.followers_of(user_id)
        following = await self._db.count(out.filter(Follow.followee_banned.absent()))
        follower = await self._db.count(back.filter(Follow.follower_banned.absent()))
        after = await self._db.get(users(user_id).consistent())
        if before is None or after is None or before.deleting_at is not None:
            return None
        said = (before.following_count, before.follower_count)
        if said == (following, follower) or said != (after.following_count, after.follower_count):
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
        found = await self.drift(user_id)
        if found is None or any(int(found[name]) != int(payload[name]) for name in found if name != "user_id"):
            return
        update = users.update(user_id).set(User.following_count, found["following"])
        update = update.set(User.follower_count, found["follower"]).keeping_version()
        try:
            await self._db.write(
                update.when(
                    User.following_count == found["said_following"], User.follower_count == found["said_follower"]
                )
            )
        except ConditionFailed:
            pass  # it has just changed, so it will be looked at again tomorrow
