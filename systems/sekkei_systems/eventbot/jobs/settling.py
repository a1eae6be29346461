"""Bringing Discord in line with what is stored: post, edit, schedule. Doing it again is always fine.

Every change leaves a row that says "settle this", in its own transaction, so a crash between storing and posting loses
nothing. One worker at a time edits a message (a lease on the item), and it reads the item after taking the lease, so a
stale picture can never be the last one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from sekkei.design import ConditionFailed, Put, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.design import Schedule
from sekkei.runtime.system import Payload
from sekkei_systems.eventbot.design import Event, Notice, Status, events, notices
from sekkei_systems.eventbot.ports.discord.errors import (
    FORBIDDEN,
    LOST,
    TOO_MANY_OLD_EDITS,
    UNKNOWN_MEMBER,
    RateLimited,
    Refused,
)
from sekkei_systems.eventbot.ports.discord.rest import Rest
from sekkei_systems.eventbot.refusals import NoSuchEvent, NoSuchNotice
from sekkei_systems.eventbot.rules import render
from sekkei_systems.eventbot.rules.identifiers import nonce, schedule_name
from sekkei_systems.eventbot.rules.views import EventView, has_started
from sekkei_systems.eventbot.service import Service
from sekkei_systems.eventbot.service.views import view_of_event, view_of_notice

log = logging.getLogger("sekkei_systems.eventbot.jobs.settling")

LEASE = timedelta(seconds=30)
OLD_EDITS_PAUSE = timedelta(seconds=60)
ROLES_PER_ROUND = 10
Row = Callable[[str, str, timedelta], Put[Schedule]]


class Settling:
    """What the rows call."""

    def __init__(self, service: Service, rest: Rest) -> None:
        self._service, self._desk, self._rest = service, service.desk, rest

    # Events

    async def settle_event(self, payload: Payload) -> None:
        guild_id, event_id = str(payload["guild_id"]), str(payload["event_id"])
        try:
            await self._service.joining.move_up(guild_id, event_id)
            event = await self._take_event(guild_id, event_id)
        except NoSuchEvent:
            return
        if event is None:
            await self._again(self._desk.settle_event, guild_id, event_id, timedelta(seconds=1))
            return
        try:
            await self._schedule(event)
            view = await view_of_event(self._desk.db, event)
            await self._show_event(view)
            if not await self._surround(view):
                await self._again(self._desk.settle_event, guild_id, event_id, timedelta(seconds=1))
        except RateLimited as limited:
            await self._again(self._desk.settle_event, guild_id, event_id, timedelta(seconds=limited.retry_after))
        except Refused as refused:
            await self._event_refused(event, refused)
        finally:
            await self._release_event(event)
        self._desk.changed(guild_id)

    async def _again(self, row: Row, guild_id: str, id: str, delay: timedelta) -> None:
        await self._desk.transact(row(guild_id, id, max(delay, timedelta(milliseconds=10))))

    async def _take_event(self, guild_id: str, event_id: str) -> Event | None:
        """The event as it is once nobody else edits its message; None while somebody does."""
        now = days.now_jst(self._desk.clock)
        free = Event.editing_until.absent() | (Event.editing_until < now)
        update = events.update(guild_id, event_id).set(Event.editing_until, now + LEASE).keeping_version().when(free)
        try:
            # A transaction has a token, so an answer that was lost does not lock us out of our own lease.
            await self._desk.transact(update)
        except TransactionFailed:
            await self._desk.event(guild_id, event_id)
            return None
        return await self._desk.event(guild_id, event_id)

    async def _release_event(self, event: Event) -> None:
        update = events.update(event.guild_id, event.event_id).remove(Event.editing_until).keeping_version()
        try:
            await self._desk.db.write(update.when(Event.editing_until == event.editing_until))
        except ConditionFailed:
            pass  # it took so long that somebody else has it now

    async def _show_event(self, view: EventView) -> None:
        event = view.event
        if not event.recruit_channel_id or _is_lost(event.delivery_error):
            return
        message = render.event_message(view, self._desk.now(), await self._desk.words(event.guild_id))
        update = events.update(event.guild_id, event.event_id).remove(Event.delivery_error).keeping_version()
        if event.recruit_message_id is not None:
            await self._rest.edit(event.recruit_channel_id, event.recruit_message_id, message)
            if event.delivery_error is not None:
                await self._desk.db.write(update)
            return
        # Discord remembers the nonce for some minutes: a post whose answer was lost is not posted twice.
        message |= {"nonce": nonce(event.event_id, event.version), "enforce_nonce": True}
        posted = await self._rest.post(event.recruit_channel_id, message)
        try:
            await self._desk.db.write(update.set(Event.recruit_message_id, posted))
        except ConditionFailed:
            return  # deleted meanwhile

    async def _event_refused(self, event: Event, refused: Refused) -> None:
        """What only people can mend is written down where they see it; the rest is tried again."""
        if refused.code == TOO_MANY_OLD_EDITS:
            await self._again(self._desk.settle_event, event.guild_id, event.event_id, OLD_EDITS_PAUSE)
            return
        if refused.code not in FORBIDDEN | LOST:
            raise refused
        log.warning("an event cannot be posted", extra={"event_id": event.event_id, "reason": str(refused)})
        update = events.update(event.guild_id, event.event_id).set(Event.delivery_error, str(refused)[:200])
        try:
            await self._desk.db.write(update.keeping_version())
        except ConditionFailed:
            pass

    # Schedules: those that are set are remembered with their time, so that only what changed is touched

    async def _schedule(self, event: Event) -> None:
        wanted = self._wanted(event)
        for name in event.scheduled.keys() - wanted.keys():
            await self._desk.schedules.delete(name)
        for name, at in wanted.items():
            if event.scheduled.get(name) != at:
                payload = {"guild_id": event.guild_id, "event_id": event.event_id, "at": at}
                job = {"r": "remind-event", "s": "begin-event", "d": "close-event"}[name[-1]]
                await self._desk.schedules.put(name, job, payload, at=datetime.fromisoformat(at))
        if wanted != event.scheduled:
            await self._service.events.scheduled(event, wanted)

    def _wanted(self, event: Event) -> dict[str, str]:
        if event.cancelled_at is not None:
            return {}
        now = self._desk.now()
        times = {"d": event.deadline_at if event.status is Status.OPEN else None}
        times["r"] = event.event_remind_at if event.reminded_at is None else None
        started = has_started(event, now)
        pending = event.status is Status.OPEN or event.open_notice_id or (event.repeat and not event.next_event_id)
        times["s"] = event.event_start_at if not started or pending else None
        return {schedule_name(event.event_id, kind): at.isoformat() for kind, at in times.items() if at is not None}

    # What surrounds an event: thread, Discord's own event, role

    async def _surround(self, view: EventView) -> bool:
        """False when there is more to do than fits into one round."""
        event = await self._desk.event(view.event.guild_id, view.event.event_id)
        changes = events.update(event.guild_id, event.event_id).keeping_version()
        done = True
        if event.thread_wanted and event.thread_id is None and event.recruit_message_id and event.recruit_channel_id:
            id = await self._rest.start_thread(event.recruit_channel_id, event.recruit_message_id, event.title)
            await self._desk.db.write(changes.set(Event.thread_id, id))
            done = False  # the message is to show it
        if event.mirror_wanted and event.event_start_at is not None:
            await self._mirror(event)
        return (await self._give_roles(event, view) if event.attendee_role_id else True) and done

    async def _mirror(self, event: Event) -> None:
        changes = events.update(event.guild_id, event.event_id).keeping_version()
        if event.cancelled_at is not None:
            if event.scheduled_event_id is not None:
                await self._rest.delete_scheduled_event(event.guild_id, event.scheduled_event_id)
                await self._desk.db.write(changes.remove(Event.scheduled_event_id))
            return
        if has_started(event, self._desk.now()):
            return  # Discord takes events of the future only
        content = render.scheduled_event(event)
        if event.scheduled_event_id is None:
            id = await self._rest.make_scheduled_event(event.guild_id, content)
            await self._desk.db.write(changes.set(Event.scheduled_event_id, id))
        else:
            await self._rest.edit_scheduled_event(event.guild_id, event.scheduled_event_id, content)

    async def _give_roles(self, event: Event, view: EventView) -> bool:
        assert event.attendee_role_id is not None
        wanted, held = {member.user_id for member in view.members}, set(event.role_holders)
        todo = sorted(wanted ^ held)
        for user_id in todo[:ROLES_PER_ROUND]:
            change = self._rest.give_role if user_id in wanted else self._rest.take_role
            try:
                await change(event.guild_id, user_id, event.attendee_role_id)
            except Refused as refused:
                if refused.code != UNKNOWN_MEMBER:  # whoever has left the guild needs no role
                    raise
            held ^= {user_id}
        if todo:
            update = events.update(event.guild_id, event.event_id).set(Event.role_holders, sorted(held))
            await self._desk.db.write(update.keeping_version())
        return len(todo) <= ROLES_PER_ROUND

    # Notices

    async def settle_notice(self, payload: Payload) -> None:
        guild_id, notice_id = str(payload["guild_id"]), str(payload["notice_id"])
        try:
            notice = await self._take_notice(guild_id, notice_id)
        except NoSuchNotice:
            return
        if notice is None:
            await self._again(self._desk.settle_notice, guild_id, notice_id, timedelta(seconds=1))
            return
        try:
            await self._schedule_notice(notice)
            await self._show_notice(notice)
        except NoSuchEvent:
            return
        except RateLimited as limited:
            await self._again(self._desk.settle_notice, guild_id, notice_id, timedelta(seconds=limited.retry_after))
        except Refused as refused:
            await self._notice_refused(notice, refused)
        finally:
            await self._release_notice(notice)
        self._desk.changed(guild_id)

    async def _take_notice(self, guild_id: str, notice_id: str) -> Notice | None:
        now = days.now_jst(self._desk.clock)
        free = Notice.editing_until.absent() | (Notice.editing_until < now)
        update = notices.update(guild_id, notice_id).set(Notice.editing_until, now + LEASE).when(free)
        try:
            await self._desk.transact(update)
        except TransactionFailed:
            await self._desk.notice(guild_id, notice_id)
            return None
        return await self._desk.notice(guild_id, notice_id)

    async def _release_notice(self, notice: Notice) -> None:
        update = notices.update(notice.guild_id, notice.notice_id).remove(Notice.editing_until)
        try:
            await self._desk.db.write(update.when(Notice.editing_until == notice.editing_until))
        except ConditionFailed:
            pass

    async def _schedule_notice(self, notice: Notice) -> None:
        wanted = notice.remind_at is not None and notice.reminded_at is None and notice.status is Status.OPEN
        if not wanted or notice.remind_schedule_name is not None or notice.remind_at is None:
            return
        name = schedule_name(notice.notice_id, "r")
        payload = {"guild_id": notice.guild_id, "notice_id": notice.notice_id, "at": notice.remind_at.isoformat()}
        await self._desk.schedules.put(name, "remind-notice", payload, at=notice.remind_at)
        update = notices.update(notice.guild_id, notice.notice_id).set(Notice.remind_schedule_name, name)
        await self._desk.db.write(update)

    async def _show_notice(self, notice: Notice) -> None:
        if not notice.notice_channel_id or _is_lost(notice.delivery_error):
            return
        event = await self._desk.event(notice.guild_id, notice.event_id)
        view = await view_of_notice(self._desk.db, notice, event)
        message = render.notice_message(view, await self._desk.words(notice.guild_id))
        update = notices.update(notice.guild_id, notice.notice_id).remove(Notice.delivery_error)
        if notice.notice_message_id is not None:
            await self._rest.edit(notice.notice_channel_id, notice.notice_message_id, message)
            if notice.delivery_error is not None:
                await self._desk.db.write(update)
            return
        message |= {"nonce": nonce(notice.notice_id), "enforce_nonce": True}
        posted = await self._rest.post(notice.notice_channel_id, message)
        await self._desk.db.write(update.set(Notice.notice_message_id, posted))

    async def _notice_refused(self, notice: Notice, refused: Refused) -> None:
        if refused.code == TOO_MANY_OLD_EDITS:
            await self._again(self._desk.settle_notice, notice.guild_id, notice.notice_id, OLD_EDITS_PAUSE)
            return
        if refused.code not in FORBIDDEN | LOST:
            raise refused
        update = notices.update(notice.guild_id, notice.notice_id).set(Notice.delivery_error, str(refused)[:200])
        await self._desk.db.write(update)


def _is_lost(error: str | None) -> bool:
    """What somebody deleted is not posted again unasked; what was merely forbidden is tried at each change."""
    return error is not None and any(f"({code})" in error for code in LOST)
