"""Reminders. The scheduler may fire twice, so what was reminded of says so, in the transaction that does it.

They may wait in the outbox while people act: whether one is true, and whom it concerns, is judged when it goes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sekkei.design import Put, TransactionFailed, Update
from sekkei.runtime.design import Message
from sekkei.runtime.system import Payload
from sekkei_systems.eventbot.design import Event, Notice, Status, direct_reminders, events, notices
from sekkei_systems.eventbot.refusals import NoSuchEvent, NoSuchNotice
from sekkei_systems.eventbot.rules import render
from sekkei_systems.eventbot.rules.identifiers import uuid_of
from sekkei_systems.eventbot.rules.markdown import NOBODY, call_messages, escaped
from sekkei_systems.eventbot.rules.views import NoticeView, has_started
from sekkei_systems.eventbot.service.desk import DIRECT, Desk
from sekkei_systems.eventbot.service.members import members_in_order
from sekkei_systems.eventbot.service.notices import Notices
from sekkei_systems.eventbot.texts import Wording


@dataclass
class Reminders:
    """What the schedules call."""

    desk: Desk
    notices: Notices

    async def remind_event(self, payload: Payload) -> None:
        guild_id, event_id = str(payload["guild_id"]), str(payload["event_id"])
        try:
            event = await self.desk.event(guild_id, event_id)
        except NoSuchEvent:
            return
        at = str(payload["at"])
        done = self._done(event, at)
        if done is None:
            return
        people = [member.user_id for member in await members_in_order(self.desk.db, event)]
        said = [await self._event_call(event, people, at), *await self._directs(event, people, at)]
        try:
            await self.desk.transact(done.when(Event.cancelled_at.absent()), *said)
        except TransactionFailed:
            return  # done before, moved, or called off meanwhile
        self.desk.changed(guild_id)

    def _done(self, event: Event, at: str) -> Update[Event] | None:
        """The mark that a reminder was sent; None for one that is not due: done, moved, or of what has begun."""
        if event.cancelled_at is not None or event.event_start_at is None or event.event_start_at <= self.desk.now():
            return None
        update: Update[Event] = events.update(event.guild_id, event.event_id).keeping_version()
        if event.event_remind_at is not None and event.event_remind_at.isoformat() == at:
            if event.reminded_at is not None:
                return None
            update = update.set(Event.reminded_at, self.desk.now())
            return update.when(Event.reminded_at.absent(), Event.event_remind_at == event.event_remind_at)
        if at not in event.reminders or at in event.reminded:
            return None
        return update.add(Event.reminded, {at}).when(Event.reminders.contains(at), ~Event.reminded.contains(at))

    async def _directs(self, event: Event, people: list[str], at: str) -> list[Put[Message]]:
        """To those who want it, a direct message beside the one in the channel."""
        wanting = {one.user_id for one in await self.desk.db.all(direct_reminders(event.guild_id))}
        users = [user_id for user_id in people if user_id in wanting]
        if not users or event.event_start_at is None:
            return []
        words = await self.desk.words(event.guild_id)
        text = words("bot.event-reminder", title=escaped(event.title), unix=int(event.event_start_at.timestamp()))
        message = {"content": text[:2000], "allowed_mentions": NOBODY, **_link(event, words)}
        body = {"guild_id": event.guild_id, "users": users, "message": message, "about": _about(event)}
        return [self.desk.outbox.message(DIRECT, users[0], body, id=f"direct/{uuid_of(event.event_id)}/{at}")]

    async def _event_call(self, event: Event, people: list[str], at: str) -> Put[Message]:
        assert event.event_start_at is not None
        words = await self.desk.words(event.guild_id)
        text = words("bot.event-reminder", title=escaped(event.title), unix=int(event.event_start_at.timestamp()))
        elsewhere = event.notice_channel_id or event.recruit_channel_id or ""
        calls = call_messages(text, people, **_link(event, words))
        reason = f"remind/{uuid_of(event.event_id)}/{at}"
        return self.desk.call(
            event.thread_id or elsewhere, calls, id=reason, fallback=elsewhere, event=event, about=_about(event)
        )

    async def remind_notice(self, payload: Payload) -> None:
        """Only those who have not confirmed are rung."""
        guild_id, notice_id = str(payload["guild_id"]), str(payload["notice_id"])
        view = await self.notices.begin_reminder(guild_id, notice_id, str(payload["at"]))
        if view is None:
            return
        people = [member.user_id for member in view.unconfirmed]
        done = notices.update(guild_id, notice_id).set(Notice.reminded_at, self.desk.now())
        done = done.when(Notice.reminded_at.absent(), Notice.status == Status.OPEN)
        said = await self._notice_calls(view, people, str(payload["at"])) if people else []
        try:
            await self.desk.transact(done, *said)
        except TransactionFailed:
            return
        self.desk.changed(guild_id)

    async def _notice_calls(self, view: NoticeView, people: list[str], at: str) -> list[Put[Message]]:
        notice = view.notice
        words = await self.desk.words(notice.guild_id)
        more = {}
        if notice.notice_channel_id and notice.notice_message_id:
            url = render.message_url(notice.guild_id, notice.notice_channel_id, notice.notice_message_id)
            more = {"components": [render.row(render.link(words("bot.to-notice"), url))]}
        text = words("bot.notice-reminder", title=escaped(notice.title))
        calls = call_messages(text, people, **more)
        reason = f"remind/{uuid_of(notice.notice_id)}/{at}"
        about = {"guild_id": notice.guild_id, "notice_id": notice.notice_id}
        return [self.desk.call(notice.notice_channel_id or "", calls, id=reason, about=about)]

    # When it goes out

    async def concerned(self, about: Mapping[str, Any], people: Sequence[str]) -> list[str] | None:
        """Of some people those whom a message concerns now; None where it has become untrue since it was written. One
        that says no start is true of whoever takes part."""
        try:
            if "notice_id" in about:
                return await self._concerned_by_notice(str(about["guild_id"]), str(about["notice_id"]), people)
            event = await self.desk.event(str(about["guild_id"]), str(about["event_id"]))
        except (NoSuchEvent, NoSuchNotice):
            return None
        if event.cancelled_at is not None or not self._begins_then(event, about.get("start")):
            return None
        joined = {one.user_id for one in await members_in_order(self.desk.db, event)}
        return [one for one in people if one in joined]

    def _begins_then(self, event: Event, start: str | None) -> bool:
        if start is None:
            return True
        return event.event_start_at == datetime.fromisoformat(start) and not has_started(event, self.desk.now())

    async def _concerned_by_notice(self, guild_id: str, notice_id: str, people: Sequence[str]) -> list[str] | None:
        view = await self.notices.view(guild_id, notice_id)
        if view.notice.status is not Status.OPEN or view.event.cancelled_at is not None:
            return None
        missing = {one.user_id for one in view.unconfirmed}
        return [one for one in people if one in missing] if missing else None


def _about(event: Event) -> dict[str, str]:
    """What a reminder says of an event is true as long as that begins at this time."""
    assert event.event_start_at is not None
    return {"guild_id": event.guild_id, "event_id": event.event_id, "start": event.event_start_at.isoformat()}


def _link(event: Event, words: Wording) -> dict[str, Any]:
    """A button that leads to the recruiting post, where there is one."""
    if not event.recruit_channel_id or not event.recruit_message_id:
        return {}
    url = render.message_url(event.guild_id, event.recruit_channel_id, event.recruit_message_id)
    return {"components": [render.row(render.link(words("bot.to-event"), url))]}
