"""Reminders. The scheduler may fire twice, so what was reminded of says so, in the transaction that does it."""

from __future__ import annotations

from sekkei.design import Put, TransactionFailed
from sekkei.runtime.design import Message
from sekkei.runtime.system import Payload
from sekkei_systems.eventbot.design import Event, Notice, Status, events, notices
from sekkei_systems.eventbot.refusals import NoSuchEvent
from sekkei_systems.eventbot.rules import render
from sekkei_systems.eventbot.rules.identifiers import uuid_of
from sekkei_systems.eventbot.rules.markdown import escaped
from sekkei_systems.eventbot.rules.mentions import call_messages
from sekkei_systems.eventbot.rules.views import NoticeView
from sekkei_systems.eventbot.service import Service
from sekkei_systems.eventbot.service.views import members_in_order


class Reminders:
    """What the schedules call."""

    def __init__(self, service: Service) -> None:
        self._service, self._desk = service, service.desk

    async def remind_event(self, payload: Payload) -> None:
        guild_id, event_id = str(payload["guild_id"]), str(payload["event_id"])
        try:
            event = await self._desk.event(guild_id, event_id)
        except NoSuchEvent:
            return
        if not self._is_due(event, str(payload["at"])):
            return
        done = events.update(guild_id, event_id).keeping_version().set(Event.reminded_at, self._desk.now())
        done = done.when(Event.reminded_at.absent(), Event.event_remind_at == event.event_remind_at)
        said = await self._event_call(event, str(payload["at"]))
        try:
            await self._desk.transact(done.when(Event.cancelled_at.absent()), said)
        except TransactionFailed:
            return  # done before, moved, or called off meanwhile
        self._desk.changed(guild_id)

    def _is_due(self, event: Event, planned: str) -> bool:
        if event.cancelled_at is not None or event.reminded_at is not None or event.event_start_at is None:
            return False
        if event.event_remind_at is None or event.event_remind_at.isoformat() != planned:
            return False
        return event.event_start_at > self._desk.now()  # a reminder of what has begun helps nobody

    async def _event_call(self, event: Event, at: str) -> Put[Message]:
        assert event.event_start_at is not None
        people = [member.user_id for member in await members_in_order(self._desk.db, event)]
        words = await self._desk.words(event.guild_id)
        text = words("bot.event-reminder", title=escaped(event.title), unix=int(event.event_start_at.timestamp()))
        more = {}
        if event.recruit_channel_id and event.recruit_message_id:
            url = render.message_url(event.guild_id, event.recruit_channel_id, event.recruit_message_id)
            more = {"components": [render.row(render.link(words("bot.to-event"), url))]}
        elsewhere = event.notice_channel_id or event.recruit_channel_id or ""
        calls = call_messages(text, people, **more)
        reason = f"remind/{uuid_of(event.event_id)}/{at}"
        return self._desk.call(event.thread_id or elsewhere, calls, id=reason, fallback=elsewhere, event=event)

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
            more = {"components": [render.row(render.link(words("bot.to-notice"), url))]}
        text = words("bot.notice-reminder", title=escaped(notice.title))
        calls = call_messages(text, people, **more)
        reason = f"remind/{uuid_of(notice.notice_id)}/{at}"
        return [self._desk.call(notice.notice_channel_id or "", calls, id=reason)]
