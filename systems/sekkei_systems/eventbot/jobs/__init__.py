"""What happens by the clock, and what takes long: reminders, starts and deadlines, and the removal of an event."""

from __future__ import annotations

from collections.abc import Mapping

from sekkei.design import Put, TransactionFailed
from sekkei.runtime.design import Message
from sekkei.runtime.jobs import Job, Jobs, Progress
from sekkei.runtime.system import Payload, ScheduledJob
from sekkei_systems.eventbot import design
from sekkei_systems.eventbot.design import (
    Event,
    Notice,
    Status,
    acks,
    events,
    guild_settings,
    members,
    notices,
    replies,
    templates,
)
from sekkei_systems.eventbot.jobs.settling import Settling
from sekkei_systems.eventbot.ports.discord.errors import DiscordError
from sekkei_systems.eventbot.ports.discord.rest import Rest
from sekkei_systems.eventbot.refusals import NoSuchEvent, NoSuchNotice
from sekkei_systems.eventbot.rules import render
from sekkei_systems.eventbot.rules.identifiers import uuid_of
from sekkei_systems.eventbot.rules.mentions import call_messages
from sekkei_systems.eventbot.rules.views import NoticeView
from sekkei_systems.eventbot.service import Service
from sekkei_systems.eventbot.service.desk import SETTLE_EVENT, SETTLE_NOTICE
from sekkei_systems.eventbot.service.views import members_in_order
from sekkei_systems.eventbot.texts.wording import wording

REMOVE = "remove-event"
PURGE = "purge-guild"
BATCH = 100


class BotJobs:
    """Everything that the worker calls."""

    def __init__(self, service: Service, rest: Rest, jobs: Jobs) -> None:
        self._service, self._desk, self._rest, self._jobs = service, service.desk, rest, jobs
        self._settling = Settling(service, rest)

    def scheduled(self) -> Mapping[str, ScheduledJob]:
        return {
            SETTLE_EVENT: self._settling.settle_event,
            SETTLE_NOTICE: self._settling.settle_notice,
            "remind-event": self.remind_event,
            "remind-notice": self.remind_notice,
            "begin-event": self.begin_event,
            "close-event": self.close_event,
        }

    def definitions(self) -> Mapping[str, Job]:
        return {
            REMOVE: Job(
                [
                    ("stop", self._stop),
                    ("notices", self._remove_notices),
                    ("members", self._remove_members),
                    ("event", self._remove_event),
                    ("tell", self._tell_removed),
                ]
            ),
            PURGE: Job([("events", self._purge_events), ("rest", self._purge_rest)]),
        }

    # Reminders. The scheduler may fire twice, so the event says that it was done, in the transaction that does it.

    async def remind_event(self, payload: Payload) -> None:
        guild_id, event_id = str(payload["guild_id"]), str(payload["event_id"])
        try:
            event = await self._desk.event(guild_id, event_id)
        except NoSuchEvent:
            return
        start = event.event_start_at
        if event.cancelled_at is not None or event.reminded_at is not None or start is None:
            return
        if event.event_remind_at is None or event.event_remind_at.isoformat() != payload["at"]:
            return
        if start <= self._desk.now():
            return  # after a long pause: a reminder of what has begun helps nobody
        people = [member.user_id for member in await members_in_order(self._desk.db, event)]
        words = await self._desk.words(guild_id)
        text = words["event-reminder"].format(title=event.title, unix=int(start.timestamp()))
        more = {}
        if event.recruit_channel_id and event.recruit_message_id:
            url = render.message_url(guild_id, event.recruit_channel_id, event.recruit_message_id)
            more = {"components": [render.row(render.link(words["to-event"], url))]}
        done = events.update(guild_id, event_id).keeping_version().set(Event.reminded_at, self._desk.now())
        done = done.when(Event.reminded_at.absent(), Event.event_remind_at == event.event_remind_at)
        channel = event.thread_id or event.notice_channel_id or event.recruit_channel_id or ""
        reason = f"remind/{uuid_of(event_id)}/{payload['at']}"
        said = [
            self._desk.outbox.message("discord", channel, body, id=f"{reason}/{number}")
            for number, body in enumerate(call_messages(text, people, **more))
        ]
        try:
            await self._desk.transact(done.when(Event.cancelled_at.absent()), *said)
        except TransactionFailed:
            return  # done before, moved, or called off meanwhile
        self._desk.changed(guild_id)

    async def remind_notice(self, payload: Payload) -> None:
        """Only those who have not confirmed are rung."""
        guild_id, notice_id = str(payload["guild_id"]), str(payload["notice_id"])
        view = await self._service.notices.begin_reminder(guild_id, notice_id, str(payload["at"]))
        if view is None:
            return
        people = [member.user_id for member in view.unconfirmed]
        done = notices.update(guild_id, notice_id).set(Notice.reminded_at, self._desk.now())
        done = done.when(Notice.reminded_at.absent(), Notice.status == Status.OPEN)
        said = await self._notice_calls(view, people, str(payload["at"])) if people else []
        try:
            await self._desk.transact(done, *said)
        except TransactionFailed:
            return
        self._desk.changed(guild_id)

    async def _notice_calls(self, view: NoticeView, people: list[str], at: str) -> list[Put[Message]]:
        notice = view.notice
        words = await self._desk.words(notice.guild_id)
        more = {}
        if notice.notice_channel_id and notice.notice_message_id:
            url = render.message_url(notice.guild_id, notice.notice_channel_id, notice.notice_message_id)
            more = {"components": [render.row(render.link(words["to-notice"], url))]}
        text = words["notice-reminder"].format(title=notice.title)
        reason = f"remind/{uuid_of(notice.notice_id)}/{at}"
        return [
            self._desk.outbox.message("discord", notice.notice_channel_id or "", body, id=f"{reason}/{number}")
            for number, body in enumerate(call_messages(text, people, **more))
        ]

    # Start and deadline

    async def begin_event(self, payload: Payload) -> None:
        open_notice = await self._service.events.begin(
            str(payload["guild_id"]), str(payload["event_id"]), str(payload["at"])
        )
        if open_notice is not None:
            try:
                await self._service.notices.shut(str(payload["guild_id"]), open_notice)
            except (NoSuchNotice, NoSuchEvent):
                pass

    async def close_event(self, payload: Payload) -> None:
        await self._service.events.deadline(str(payload["guild_id"]), str(payload["event_id"]), str(payload["at"]))

    # Removal, in steps that can be cut off anywhere

    async def _stop(self, payload: Payload, cursor: str | None) -> Progress:
        """Nobody can join any more; the post and the schedules go."""
        guild_id, event_id = str(payload["guild_id"]), str(payload["event_id"])
        try:
            event = await self._desk.event(guild_id, event_id)
        except NoSuchEvent:
            return Progress(0)
        update = events.update(guild_id, event_id).set(Event.status, Status.CLOSED)
        await self._desk.db.write(update.set(Event.cancelled_at, self._desk.now()))
        for name in event.scheduled:
            await self._desk.schedules.delete(name)
        if event.recruit_channel_id and event.recruit_message_id:
            await self._delete_message(event.recruit_channel_id, event.recruit_message_id)
        return Progress(0)

    async def _delete_message(self, channel_id: str, message_id: str) -> None:
        try:
            await self._rest.delete(channel_id, message_id)
        except DiscordError:
            pass  # a message that cannot be deleted must not keep the data alive

    async def _remove_notices(self, payload: Payload, cursor: str | None) -> Progress:
        guild_id, event_id = str(payload["guild_id"]), str(payload["event_id"])
        page = await self._desk.db.page(design.stored_notices_of_event(guild_id, event_id), size=10)
        removed = 0
        for notice in page:
            found = await self._desk.db.all(design.acks_of_notice(guild_id, notice.notice_id))
            removed += await self._desk.db.write_many(
                acks.delete(guild_id, one.notice_id, one.user_id) for one in found
            )
            if notice.remind_schedule_name is not None:
                await self._desk.schedules.delete(notice.remind_schedule_name)
            if notice.notice_channel_id and notice.notice_message_id:
                await self._delete_message(notice.notice_channel_id, notice.notice_message_id)
            await self._desk.db.write(notices.delete(guild_id, notice.notice_id))
            removed += 1
        return Progress(removed, "more" if page.cursor is not None else None)

    async def _remove_members(self, payload: Payload, cursor: str | None) -> Progress:
        guild_id, event_id = str(payload["guild_id"]), str(payload["event_id"])
        page = await self._desk.db.page(design.members_of_event(guild_id, event_id).consistent(), size=BATCH)
        removed = await self._desk.db.write_many(members.delete(guild_id, event_id, one.user_id) for one in page)
        if page.cursor is not None:
            return Progress(removed, "more")
        rest = await self._desk.db.all(design.replies_of_event(guild_id, event_id).consistent())
        removed += await self._desk.db.write_many(replies.delete(guild_id, event_id, one.user_id) for one in rest)
        return Progress(removed)

    async def _remove_event(self, payload: Payload, cursor: str | None) -> Progress:
        await self._desk.db.write(events.delete(str(payload["guild_id"]), str(payload["event_id"])))
        self._desk.changed(str(payload["guild_id"]))
        return Progress(1)

    async def _tell_removed(self, payload: Payload, cursor: str | None) -> Progress:
        token = payload.get("token")
        if token:
            words = wording(str(payload.get("locale") or "ja"))
            text = words["deleted"].format(title=payload.get("title", ""))
            body = {"message": {"content": text[:2000], "components": []}, "original": True}
            await self._desk.outbox.put(
                "eventbot.reply", str(token), body, id=f"removed/{uuid_of(payload['event_id'])}"
            )
        return Progress(0)

    # Everything of a guild: an HTTP bot is not told when it is thrown out, so this is asked for by people

    async def _purge_events(self, payload: Payload, cursor: str | None) -> Progress:
        guild_id = str(payload["guild_id"])
        page = await self._desk.db.page(design.events_of_guild(guild_id), size=BATCH, after=cursor)
        for event in page:
            removal = {"guild_id": guild_id, "event_id": event.event_id, "title": event.title}
            await self._jobs.start(REMOVE, removal, id=f"remove/{uuid_of(event.event_id)}")
        return Progress(len(page.items), page.cursor)

    async def _purge_rest(self, payload: Payload, cursor: str | None) -> Progress:
        guild_id = str(payload["guild_id"])
        found = await self._desk.db.all(design.templates_of_guild(guild_id))
        removed = await self._desk.db.write_many(templates.delete(guild_id, one.template_id) for one in found)
        await self._desk.db.write(guild_settings.delete(guild_id))
        return Progress(removed + 1)
