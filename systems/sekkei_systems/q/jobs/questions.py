"""The question of the day: planned, published, asked again after a month; and the messages about it to devices."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Protocol

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, Page
from sekkei.runtime.design import State
from sekkei.runtime.jobs import Jobs, Payload, Progress
from sekkei.runtime.live import Live
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.schedules import Schedules
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import DeviceType, PushToken, User
from sekkei_systems.q.design.tables import daily_questions, push_tokens, users
from sekkei_systems.q.rules import notices
from sekkei_systems.q.rules.notices import GONE, NOT_THEIRS, NoticeKind, is_wanted
from sekkei_systems.q.rules.sight import is_present
from sekkei_systems.q.service.notices import Notices, message_id
from sekkei_systems.q.service.numbers import Numbers
from sekkei_systems.q.service.questions import Planning
from sekkei_systems.q.service.reactions import Reactions


@dataclass
class Questions:
    clock: Clock
    jobs: Jobs
    live: Live
    planning: Planning

    async def plan(self, payload: Payload) -> None:
        """Tomorrow's row; and today's, should it be missing."""
        today = days.today(self.clock)
        await self.planning.plan(today)
        await self.planning.plan(today + timedelta(days=1))

    async def publish(self, payload: Payload) -> datetime | None:
        published = await self.planning.publish_due()
        if isinstance(published, datetime):
            return published
        if published.by_us:
            self.live.publish("q/today", "published", {"day": published.question.day.isoformat()})
        return None

    async def begin_reuse(self, payload: Payload) -> None:
        await self.jobs.start("reuse", {}, id=f"reuse/{days.today(self.clock)}")

    async def reuse(self, payload: Payload, cursor: str | None) -> Progress:
        freed, following = await self.planning.reuse(cursor)
        return Progress(freed, following)


# Telling every device: of the new question, of the week's reactions; and asking what became of the messages.


_TOKENS_PER_STEP = 100
_SPREAD_SECONDS = 60
"""The pushes of one question are spread over a minute, so that not everybody answers in the same second."""
_RECEIPTS_AFTER = timedelta(minutes=15)
_RECEIPTS_AGAIN_AFTER = timedelta(hours=1)
_RECEIPT_TIMES = 3
"""Some are not known yet after a quarter of an hour; Expo forgets them after a day."""
_FOR_THE_OPERATOR = ("InvalidCredentials", "MismatchSenderId")

log = logging.getLogger("sekkei_systems.q.jobs")


class Receipts(Protocol):
    """Expo, as far as it is asked what became of a message."""

    async def receipts(self, tickets: Sequence[str]) -> dict[str, dict[str, Any]]: ...


@dataclass
class Pushes:
    db: Database
    clock: Clock
    jobs: Jobs
    schedules: Schedules
    outbox: Outbox
    notices: Notices
    reactions: Reactions
    numbers: Numbers
    expo: Receipts | None = None

    async def push(self, payload: Payload, cursor: str | None) -> Progress:
        """A message for every device. Its id is the day and the token, so that a repeated step sends nothing twice."""
        day = date.fromisoformat(payload["day"])
        question = await self.db.need(daily_questions(day).consistent())
        page = await self.db.page(design.all_tokens(), size=_TOKENS_PER_STEP, after=cursor)
        message = notices.new_question(day, question.question_text)
        for owner, device in await self._who_want(page, NoticeKind.QUESTION):
            spread = timedelta(seconds=self.clock.random() * _SPREAD_SECONDS)
            await self.notices.send(owner, device, NoticeKind.QUESTION, message, day.isoformat(), spread)
        return Progress(len(page), page.cursor)

    async def _who_want(self, page: Page[PushToken], kind: NoticeKind) -> list[tuple[User, PushToken]]:
        owners = await self.db.get_many([users(one.user_id).consistent() for one in page])
        return [
            (owner, one)
            for one, owner in zip(page, owners, strict=True)
            if owner is not None and is_present(owner) and is_wanted(owner, kind)
        ]

    async def begin_digest(self, payload: Payload) -> None:
        await self.jobs.start("digest", {}, id=f"digest/{days.today(self.clock)}")

    async def digest(self, payload: Payload, cursor: str | None) -> Progress:
        """Once a week, what came in it; whoever got nothing hears nothing."""
        page = await self.db.page(design.all_tokens(), size=_TOKENS_PER_STEP, after=cursor)
        for owner, device in await self._who_want(page, NoticeKind.DIGEST):
            found = await self.reactions.digest_of(owner.user_id)
            if found.total:
                message = notices.weekly_digest(found.until, found.total, found.counts, owner.language)
                await self.notices.send(owner, device, NoticeKind.DIGEST, message, found.until.isoformat())
        return Progress(len(page), page.cursor)

    async def ask_later(self, payload: Payload, cursor: str | None) -> Progress:
        await self._ask_at(payload["day"], 1, _RECEIPTS_AFTER)
        return Progress(0)

    async def _ask_at(self, day: str, time: int, after: timedelta) -> None:
        name, at = f"{day}/{time}", days.now(self.clock) + after
        await self.schedules.put(f"q/receipts/{name}", "receipts", {"day": day, "time": time}, at=at)

    async def begin_receipts(self, payload: Payload) -> None:
        await self.jobs.start("receipts", payload, id=f"receipts/{payload['day']}/{payload['time']}")

    async def receipts(self, payload: Payload, cursor: str | None) -> Progress:
        """What became of the day's pushes; a device that has the app no longer is forgotten."""
        day = date.fromisoformat(payload["day"])
        page = await self.db.page(design.all_tokens(), size=_TOKENS_PER_STEP, after=cursor)
        tickets: dict[str, PushToken] = {}
        gone: list[PushToken] = []
        for one in page:
            if one.device_type is DeviceType.WEB:
                continue  # a push service says at once when a browser is gone
            message = await self.outbox.get(_asked(day, one))
            if message is None:
                continue
            if message.state is State.FAILED and "DeviceNotRegistered" in (message.last_error or ""):
                gone.append(one)
            elif message.state is State.SENT and message.receipt not in (None, "", NOT_THEIRS, GONE):
                tickets[message.receipt] = one
        if tickets and self.expo is not None:
            found = await self.expo.receipts(list(tickets))
            gone += self._gone(found, tickets)
            if len(found) < len(tickets) and int(payload["time"]) < _RECEIPT_TIMES:
                await self._ask_at(payload["day"], int(payload["time"]) + 1, _RECEIPTS_AGAIN_AFTER)
        for one in gone:
            await self.numbers.push(f"q/{_asked(day, one)}", "gone")
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
                level = logging.ERROR if reason in _FOR_THE_OPERATOR else logging.WARNING
                log.log(
                    level, "a push was not delivered", extra={"reason": reason, "words": receipt.get("message", "")}
                )
        return gone

    async def _forget(self, one: PushToken) -> None:
        try:
            await self.db.write(push_tokens.delete(one.user_id, one.token).when(PushToken.updated_at == one.updated_at))
        except ConditionFailed:
            pass  # registered anew meanwhile


def _asked(day: date, device: PushToken) -> str:
    """The message that told a device of a day's question."""
    return message_id(NoticeKind.QUESTION, day.isoformat(), device.token)
