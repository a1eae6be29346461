"""What happens by the clock, and long jobs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from sekkei.runtime.system import Payload, ScheduledJob
from sekkei_systems.eventbot.jobs.events import EventSettling
from sekkei_systems.eventbot.jobs.notices import NoticeSettling
from sekkei_systems.eventbot.jobs.reminders import Reminders
from sekkei_systems.eventbot.jobs.removal import Removal
from sekkei_systems.eventbot.refusals import NoSuchEvent, NoSuchNotice
from sekkei_systems.eventbot.service import Service
from sekkei_systems.eventbot.service.desk import SETTLE_EVENT, SETTLE_NOTICE, SOON


@dataclass
class BotJobs:
    """Everything that the worker calls."""

    service: Service
    reminders: Reminders
    events: EventSettling
    notices: NoticeSettling
    removal: Removal

    def scheduled(self) -> Mapping[str, ScheduledJob]:
        return {
            SETTLE_EVENT: self.events.settle_event,
            SETTLE_NOTICE: self.notices.settle_notice,
            "remind-event": self.reminders.remind_event,
            "remind-notice": self.reminders.remind_notice,
            "begin-event": self.begin_event,
            "close-event": self.close_event,
            "end-event": self.end_event,
        }

    async def begin_event(self, payload: Payload) -> None:
        guild_id = str(payload["guild_id"])
        event = await self.service.events.begin(guild_id, str(payload["event_id"]), str(payload["at"]))
        for notice_id in await self.service.notices.outlasting(event) if event is not None else ():
            with suppress(NoSuchNotice, NoSuchEvent):
                await self.service.notices.shut(guild_id, notice_id)

    async def close_event(self, payload: Payload) -> None:
        await self.service.events.deadline(str(payload["guild_id"]), str(payload["event_id"]), str(payload["at"]))

    async def end_event(self, payload: Payload) -> None:
        """What the event gave is taken back; the settling sees by itself whether it is over."""
        await self.service.desk.transact(
            self.service.desk.settle_event(str(payload["guild_id"]), str(payload["event_id"]), SOON)
        )
