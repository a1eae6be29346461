"""Removal of an event with all that belongs to it, or of all that a guild has, in steps that bear being cut off."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sekkei.runtime.jobs import Job, Jobs, Progress
from sekkei.runtime.leases import LeaseLost
from sekkei.runtime.system import Payload
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
    preferences,
    replies,
    templates,
)
from sekkei_systems.eventbot.jobs.events import EventSettling, Surroundings, without_fail
from sekkei_systems.eventbot.jobs.notices import NoticeSettling
from sekkei_systems.eventbot.jobs.roles import Roles
from sekkei_systems.eventbot.ports.discord.rest import Refused, Rest
from sekkei_systems.eventbot.refusals import NoSuchEvent, NoSuchNotice
from sekkei_systems.eventbot.rules import render
from sekkei_systems.eventbot.rules.identifiers import nonce, uuid_of
from sekkei_systems.eventbot.rules.markdown import NOBODY, escaped
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.texts import wording

REMOVE = "remove-event"
PURGE = "purge-guild"
_BATCH = 100
BUSY_SECONDS = 1.0


@dataclass
class Removal:
    """The steps of both jobs."""

    desk: Desk
    rest: Rest
    jobs: Jobs
    settling: EventSettling
    settling_notices: NoticeSettling
    roles: Roles
    around: Surroundings

    def definitions(self) -> Mapping[str, Job]:
        return {
            REMOVE: Job(
                [
                    ("stop", self._stop),
                    ("around", self._clear_around),
                    ("notices", self._remove_notices),
                    ("members", self._remove_members),
                    ("event", self._remove_event),
                    ("tell", self._tell_removed),
                ]
            ),
            PURGE: Job([("events", self._purge_events), ("rest", self._purge_rest)]),
        }

    async def _stop(self, payload: Payload, cursor: str | None) -> Progress:
        """Nobody can join any more; the post and the schedules go."""
        guild_id, event_id = str(payload["guild_id"]), str(payload["event_id"])
        try:
            event = await self.desk.event(guild_id, event_id)
        except NoSuchEvent:
            return Progress(0)
        update = events.update(guild_id, event_id).set(Event.status, Status.CLOSED)
        await self.desk.db.write(update.set(Event.cancelled_at, self.desk.now()))
        for name in event.scheduled:
            await self.desk.schedules.delete(name)
        if event.recruit_channel_id and event.recruit_message_id:
            await without_fail(self.rest.delete(event.recruit_channel_id, event.recruit_message_id))
        return Progress(0)

    async def _clear_around(self, payload: Payload, cursor: str | None) -> Progress:
        """Take back what the event gave: the role, and Discord's own event. A refusal must not keep the data alive.

        Nobody else settles it meanwhile: whoever began before it was stopped would give the role again."""
        try:
            event = await self.settling.take(str(payload["guild_id"]), str(payload["event_id"]))
        except NoSuchEvent:
            return Progress(0)
        if event is None:
            await asyncio.sleep(BUSY_SECONDS)
            return Progress(0, "more")
        with contextlib.suppress(LeaseLost):
            if await self.settling.keep(event, self._taken_back(event)):
                return Progress(0)
        await asyncio.sleep(BUSY_SECONDS)
        return Progress(0, "more")

    async def _taken_back(self, event: Event) -> bool:
        try:
            await self.around.unmirror(event)
        except Refused:
            pass
        try:
            return await self.roles.settle(event, ())
        except Refused:
            await self.roles.forget(event)
        return True

    async def _delete_posts(self, channel_id: str | None, known: Iterable[str | None], lost: str, title: str) -> None:
        """Those whose ids are known, and one whose answer may have been lost: Discord knows that by its mark for some
        minutes, and gives it back. `lost` is the mark, or empty where there is no such post."""
        if not channel_id:
            return
        ids = [id for id in known if id is not None]
        if lost:
            message = {"content": escaped(title), "allowed_mentions": NOBODY, "nonce": lost, "enforce_nonce": True}
            with contextlib.suppress(Refused):
                ids.append(await self.rest.post(channel_id, message))
        for id in ids:
            await without_fail(self.rest.delete(channel_id, id))

    async def _remove_notices(self, payload: Payload, cursor: str | None) -> Progress:
        guild_id, event_id = str(payload["guild_id"]), str(payload["event_id"])
        page = await self.desk.db.page(design.stored_notices_of_event(guild_id, event_id), size=10)
        removed, busy = 0, False
        for listed in page:
            try:
                notice = await self.settling_notices.take(guild_id, listed.notice_id)
            except NoSuchNotice:
                continue
            if notice is None:
                busy = True
                continue
            with contextlib.suppress(LeaseLost):
                await self.settling_notices.keep(notice, self._remove_notice(notice))
                removed += 1
        if busy:
            await asyncio.sleep(BUSY_SECONDS)
        return Progress(removed, "more" if busy or page.cursor is not None else None)

    async def _remove_notice(self, notice: Notice) -> None:
        """Closed first: whoever confirms it now would leave a row that nobody finds."""
        guild_id, notice_id = notice.guild_id, notice.notice_id
        await self.desk.db.write(notices.update(guild_id, notice_id).set(Notice.status, Status.CLOSED))
        found = await self.desk.db.all(design.acks_of_notice(guild_id, notice_id).consistent())
        await self.desk.db.write_many(acks.delete(guild_id, notice_id, one.user_id) for one in found)
        if notice.remind_schedule_name is not None:
            await self.desk.schedules.delete(notice.remind_schedule_name)
        posted = notice.notice_message_id
        lost = nonce(notice_id, notice.posts) if posted is None and notice.post_tried else ""
        await self._delete_posts(notice.notice_channel_id, [posted, *sorted(notice.replaced)], lost, notice.title)
        await self.desk.db.write(notices.delete(guild_id, notice_id))

    async def _remove_members(self, payload: Payload, cursor: str | None) -> Progress:
        guild_id, event_id = str(payload["guild_id"]), str(payload["event_id"])
        page = await self.desk.db.page(design.members_of_event(guild_id, event_id).consistent(), size=_BATCH)
        removed = await self.desk.db.write_many(members.delete(guild_id, event_id, one.user_id) for one in page)
        if page.cursor is not None:
            return Progress(removed, "more")
        rest = await self.desk.db.all(design.replies_of_event(guild_id, event_id).consistent())
        removed += await self.desk.db.write_many(replies.delete(guild_id, event_id, one.user_id) for one in rest)
        return Progress(removed)

    async def _remove_event(self, payload: Payload, cursor: str | None) -> Progress:
        """With what has been posted since it was stopped; whoever posts just now is waited for."""
        guild_id, event_id = str(payload["guild_id"]), str(payload["event_id"])
        try:
            event = await self.settling.take(guild_id, event_id)
        except NoSuchEvent:
            return Progress(1)
        if event is None:
            await asyncio.sleep(BUSY_SECONDS)
            return Progress(0, "more")
        with contextlib.suppress(LeaseLost):
            await self.settling.keep(event, self._remove_row(event))
            self.desk.changed(guild_id)
            return Progress(1)
        return Progress(0, "more")

    async def _remove_row(self, event: Event) -> None:
        posted = event.recruit_message_id
        lost = nonce(event.event_id, event.posts) if posted is None and event.post_tried else ""
        await self._delete_posts(event.recruit_channel_id, [posted, *sorted(event.replaced)], lost, event.title)
        await self.desk.db.write(events.delete(event.guild_id, event.event_id))

    async def _tell_removed(self, payload: Payload, cursor: str | None) -> Progress:
        token = payload.get("token")
        if token:
            words = wording(str(payload.get("locale") or "ja"))
            message = render.private(words("bot.deleted", title=payload.get("title", "")), components=[])
            original = payload.get("original", True)  # not what everybody saw: that is the post, which is gone
            body = {"message": message, "original": original, "token": str(token)}
            to, id = str(payload["interaction"]), f"removed/{uuid_of(payload['event_id'])}"
            await self.desk.outbox.put("eventbot.reply", to, body, id=id)
        return Progress(0)

    # Everything of a guild: an HTTP bot is not told when it is thrown out, so this is asked for by people

    async def _purge_events(self, payload: Payload, cursor: str | None) -> Progress:
        guild_id = str(payload["guild_id"])
        page = await self.desk.db.page(design.events_of_guild(guild_id), size=_BATCH, after=cursor)
        for event in page:
            removal = {"guild_id": guild_id, "event_id": event.event_id, "title": event.title}
            await self.jobs.start(REMOVE, removal, id=f"remove/{uuid_of(event.event_id)}")
        return Progress(len(page.items), page.cursor)

    async def _purge_rest(self, payload: Payload, cursor: str | None) -> Progress:
        guild_id = str(payload["guild_id"])
        found = await self.desk.db.all(design.templates_of_guild(guild_id))
        removed = await self.desk.db.write_many(templates.delete(guild_id, one.template_id) for one in found)
        wanting = await self.desk.db.all(design.direct_reminders(guild_id))
        removed += await self.desk.db.write_many(preferences.delete(guild_id, one.user_id) for one in wanting)
        await self.desk.db.write(guild_settings.delete(guild_id))
        return Progress(removed + 1)
