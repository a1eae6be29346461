"""What every operation of the bot works with."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from sekkei.clock import Clock
from sekkei.design import Action, Contended, Database, Put, Transaction, TransactionFailed
from sekkei.runtime.design import Message, Once, Schedule
from sekkei.runtime.idempotency import Idempotency
from sekkei.runtime.live import Live
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.schedules import Schedules, StoredSchedules
from sekkei_systems import days
from sekkei_systems.eventbot.design import Event, GuildSettings, Notice, settings_of_guild
from sekkei_systems.eventbot.design import event as event_now
from sekkei_systems.eventbot.design import notice as notice_now
from sekkei_systems.eventbot.refusals import Busy, NoSuchEvent, NoSuchNotice, Repeated
from sekkei_systems.eventbot.rules.identifiers import schedule_name
from sekkei_systems.eventbot.rules.zones import zone_of
from sekkei_systems.eventbot.texts import Wording, wording

log = logging.getLogger("sekkei_systems.eventbot")

SETTLE_EVENT = "settle-event"
SETTLE_NOTICE = "settle-notice"
CALL = "eventbot.call"
DIRECT = "eventbot.direct"
_SETTLE_DELAY = timedelta(seconds=1)
"""A message is edited this long after the first of several changes, so that a rush of joins makes one edit."""
_SETTLE_TURN_SECONDS = 4
"""A stream of changes without an end puts the edit off no longer than this."""
SOON = timedelta(milliseconds=1)
SETTLE_ROWS = ("settle", "settle0", "settle1")
"""The rows of one event or notice: for what is to be seen at once, and the two that take turns."""
PATIENCE_SECONDS = 2.0
"""Discord waits three seconds for an answer; contended writes are repeated for two of them."""
_REQUEST_KEPT = timedelta(minutes=20)
"""Longer than a signature is accepted and than a token lives."""


@dataclass(slots=True)
class Request:
    """One interaction of Discord's, which is carried out once: its mark is stored in the transaction of its effect."""

    id: str
    done: bool = False

    @property
    def key(self) -> str:
        return f"eventbot/interaction/{self.id}"


class Asking(Protocol):
    """Whoever asks, as far as the desk cares: for which request of Discord's."""

    @property
    def request(self) -> Request | None: ...


@dataclass(frozen=True, slots=True)
class Desk:
    """The store, the clock and the ways out."""

    db: Database
    clock: Clock
    outbox: Outbox
    soon: StoredSchedules
    """Rows of our own table, so that they can stand in a transaction; for what is due in a moment."""
    schedules: Schedules
    """The port for what is due in days: EventBridge where that is set up."""
    live: Live
    idempotency: Idempotency

    def now(self) -> datetime:
        """This second: times are stored to the second, in one width."""
        return days.now_jst(self.clock).replace(microsecond=0)

    def milliseconds(self) -> int:
        """Since the epoch: the order within a second."""
        return int(self.clock.now() * 1000)

    def settle_event(self, guild_id: str, event_id: str, delay: timedelta = _SETTLE_DELAY) -> Put[Schedule]:
        """An action: bring Discord in line with the event shortly. Many changes in a row make one such row."""
        return self._settle(event_id, SETTLE_EVENT, {"guild_id": guild_id, "event_id": event_id}, delay)

    def settle_notice(self, guild_id: str, notice_id: str, delay: timedelta = _SETTLE_DELAY) -> Put[Schedule]:
        return self._settle(notice_id, SETTLE_NOTICE, {"guild_id": guild_id, "notice_id": notice_id}, delay)

    def _settle(self, id: str, job: str, payload: Mapping[str, Any], delay: timedelta) -> Put[Schedule]:
        """Two rows take turns: while changes put off the one of this turn, the one of the turn before comes due. What
        is to be seen at once has a row of its own: a press before it is still on its way to Discord, which draws the
        message by its answer, and is followed by the edit a second later."""
        now = days.now(self.clock)
        at_once, *turns = SETTLE_ROWS
        row = at_once if delay == SOON else turns[int(now.timestamp()) // _SETTLE_TURN_SECONDS % 2]
        return self.soon.put_action(schedule_name(id, row), job, payload, at=now + delay)

    def call(
        self,
        channel_id: str,
        calls: Sequence[Mapping[str, Any]],
        *,
        id: str,
        fallback: str | None = None,
        event: Event | None = None,
        about: Mapping[str, str] | None = None,
    ) -> Put[Message]:
        """An action: ring people in one or several messages, one after the other. Where the channel is gone they go to
        the `fallback`, and the event's page says so. What it is `about` is looked at again when it goes out."""
        body: dict[str, Any] = {"calls": [dict(call) for call in calls]}
        if about is not None:
            body["about"] = dict(about)
        if fallback and fallback != channel_id:
            body["fallback"] = fallback
        if event is not None:
            body |= {"guild_id": event.guild_id, "event_id": event.event_id}
        return self.outbox.message(CALL, channel_id, body, id=id)

    async def transact(
        self, *actions: Action[Any, Any] | Transaction, by: Asking | None = None, others: Sequence[Asking] = ()
    ) -> None:
        """All or none, and the marks that the requests of `by` and `others` were carried out with them; raises Repeated
        when one was before."""
        asking = [one.request for one in (by, *others) if one is not None]
        requests = [one for one in asking if one is not None and not one.done]
        marks = [self.mark(one) for one in requests]
        deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        while True:
            try:
                await self.db.transact(*actions, *marks)
                break
            except Contended:
                if asyncio.get_running_loop().time() > deadline:
                    raise Busy(1) from None
            except TransactionFailed as failed:
                if any(failed.failed(mark) for mark in marks):
                    raise Repeated() from None
                raise
        for request in requests:
            request.done = True

    def mark(self, request: Request) -> Put[Once]:
        return self.idempotency.mark(request.key, kept=_REQUEST_KEPT)

    async def refuse_repetition(self, actor: Asking) -> None:
        """Before anything is done. Raises Repeated."""
        if actor.request is not None and await self.idempotency.answer(actor.request.key) is not None:
            raise Repeated()

    async def finish(self, actor: Asking) -> None:
        """Mark what changed nothing too: whoever sends it again has recorded it. Raises Repeated."""
        if actor.request is not None and not actor.request.done:
            await self.transact(by=actor)

    def changed(self, guild_id: str) -> None:
        """Tell open pages."""
        self.live.publish(f"eventbot/{guild_id}", "changed")

    # Reading, consistently

    async def event(self, guild_id: str, event_id: str) -> Event:
        found = await self.db.get(event_now(guild_id, event_id))
        if found is None:
            raise NoSuchEvent()
        return found

    async def notice(self, guild_id: str, notice_id: str) -> Notice:
        found = await self.db.get(notice_now(guild_id, notice_id))
        if found is None:
            raise NoSuchNotice()
        return found

    async def settings(self, guild_id: str) -> GuildSettings:
        return await self.db.get(settings_of_guild(guild_id)) or GuildSettings(guild_id=guild_id)

    async def wall_clock(self, guild_id: str) -> datetime:
        """Now, as the clocks of the guild's people show it; dates that they write are read by it."""
        return self.now().astimezone(zone_of((await self.settings(guild_id)).time_zone))

    async def words(self, guild_id: str) -> Wording:
        """What the bot says to everybody in a guild."""
        return wording((await self.settings(guild_id)).locale)
