"""What happens by the clock, and long jobs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from sekkei.runtime.jobs import Job, Jobs
from sekkei.runtime.system import Payload, ScheduledJob
from sekkei_systems.eventbot.jobs.events import EventSettling
from sekkei_systems.eventbot.jobs.notices import NoticeSettling
from sekkei_systems.eventbot.jobs.reminders import Reminders
from sekkei_systems.eventbot.jobs.removal import PURGE, REMOVE, Removal
from sekkei_systems.eventbot.ports.discord.rest import Rest
from sekkei_systems.eventbot.refusals import NoSuchEvent, NoSuchNotice
from sekkei_systems.eventbot.service import Service
from sekkei_systems.eventbot.service.desk import SETTLE_EVENT, SETTLE_NOTICE, SOON


class BotJobs:
    """Everything that the worker calls."""

    def __init__(self, service: Service, rest: Rest, jobs: Jobs) -> None:
        self._service, self._desk = service, service.desk
        self.reminders = Reminders(service)
        self._events, self._notices = EventSettling(service, rest), NoticeSettling(service, rest)
        self._removal = Removal(service, rest, jobs, self._events, self._notices)

    async def settle_event(self, payload: Payload) -> None:
        """At once, for whoever waits for the answer; the row that is stored does it again if this does not."""
        await self._events.settle_event(payload)

    def scheduled(self) -> Mapping[str, ScheduledJob]:
        return {
            SETTLE_EVENT: self._events.settle_event,
            SETTLE_NOTICE: self._notices.settle_notice,
            "remind-event": self.reminders.remind_event,
            "remind-notice": self.reminders.remind_notice,
            "begin-event": self.begin_event,
            "close-event": self.close_event,
            "end-event": self.end_event,
        }

    def definitions(self) -> Mapping[str, Job]:
        return self._removal.definitions()

    async def begin_event(self, payload: Payload) -> None:
        guild_id = str(payload["guild_id"])
        event = await self._service.events.begin(guild_id, str(payload["event_id"]), str(payload["at"]))
        for notice_id in await self._service.notices.outlasting(event) if event is not None else ():
            with suppress(NoSuchNotice, NoSuchEvent):
                await self._service.notices.shut(guild_id, notice_id)

    async def close_event(self, payload: Payload) -> None:
        await self._service.events.deadline(str(payload["guild_id"]), str(payload["event_id"]), str(payload["at"]))

    async def end_event(self, payload: Payload) -> None:
        """What the event gave is taken back; the settling sees by itself whether it is over."""
        await self._desk.transact(self._desk.settle_event(str(payload["guild_id"]), str(payload["event_id"]), SOON))


__all__ = ["PURGE", "REMOVE", "BotJobs"]
