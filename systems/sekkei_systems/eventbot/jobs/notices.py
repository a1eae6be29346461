"""Bringing a notice's post in line with what is stored: posted, edited, scheduled. Doing it again is always fine."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import timedelta

from sekkei.design import ConditionFailed, Update
from sekkei.runtime.leases import LeaseLost, Leases
from sekkei.runtime.system import Payload
from sekkei_systems.eventbot.design import Notice, Status, notices
from sekkei_systems.eventbot.jobs.events import LEASE, OLD_EDITS_PAUSE, is_lost, without_fail
from sekkei_systems.eventbot.ports.discord.rest import Code, RateLimited, Refused, Rest
from sekkei_systems.eventbot.refusals import NoSuchEvent, NoSuchNotice
from sekkei_systems.eventbot.rules import render
from sekkei_systems.eventbot.rules.identifiers import nonce, schedule_name
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.service.members import view_of_notice


@dataclass
class NoticeSettling:
    """What the rows call."""

    desk: Desk
    rest: Rest

    def __post_init__(self) -> None:
        self._leases = Leases(self.desk.db, self.desk.clock, Notice.editing_until, Notice.editing_by, LEASE)

    async def settle_notice(self, payload: Payload) -> None:
        guild_id, notice_id = str(payload["guild_id"]), str(payload["notice_id"])
        try:
            notice = await self.take(guild_id, notice_id)
        except NoSuchNotice:
            return
        if notice is None:
            await self._again(guild_id, notice_id, timedelta(seconds=1))
            return
        try:
            await self.keep(notice, self._settle(notice))
        except NoSuchEvent:
            return
        except LeaseLost:
            await self._again(guild_id, notice_id, timedelta(seconds=1))
        except RateLimited as limited:
            await self._again(guild_id, notice_id, timedelta(seconds=limited.retry_after))
        except Refused as refused:
            await self._refused(notice, refused)
        self.desk.changed(guild_id)

    async def _settle(self, notice: Notice) -> None:
        await self._schedule(notice)
        await self._show(notice)

    async def _again(self, guild_id: str, notice_id: str, delay: timedelta) -> None:
        delay = max(delay, timedelta(milliseconds=10))
        await self.desk.transact(self.desk.settle_notice(guild_id, notice_id, delay))

    async def take(self, guild_id: str, notice_id: str) -> Notice | None:
        """The notice as it is once nobody else settles it; None while somebody does."""
        token = await self._leases.take(notices.update(guild_id, notice_id), "settling")
        notice = await self.desk.notice(guild_id, notice_id)
        return notice if token is not None and notice.editing_by == token else None

    async def keep(self, notice: Notice, work: Awaitable[None]) -> None:
        """Do what was taken for, and put it down. Raises LeaseLost, and stops, when another worker has it."""
        await self._leases.hold(_row(notice), str(notice.editing_by), work)

    async def _schedule(self, notice: Notice) -> None:
        wanted = notice.remind_at is not None and notice.reminded_at is None and notice.status is Status.OPEN
        if not wanted or notice.remind_schedule_name is not None or notice.remind_at is None:
            return
        name = schedule_name(notice.notice_id, "r")
        payload = {"guild_id": notice.guild_id, "notice_id": notice.notice_id, "at": notice.remind_at.isoformat()}
        await self.desk.schedules.put(name, "remind-notice", payload, at=notice.remind_at)
        await self._write(_row(notice).set(Notice.remind_schedule_name, name))

    async def _show(self, notice: Notice) -> None:
        if not notice.notice_channel_id or is_lost(notice.delivery_error):
            return
        event = await self.desk.event(notice.guild_id, notice.event_id)
        view = await view_of_notice(self.desk.db, notice, event)
        message = render.notice_message(view, await self.desk.words(notice.guild_id))
        if notice.notice_message_id is not None:
            await self._clear(notice, notice.notice_channel_id)
            await self.rest.edit(notice.notice_channel_id, notice.notice_message_id, message)
            if notice.delivery_error is not None:
                await self._write(_row(notice).remove(Notice.delivery_error))
            return
        await self._post(notice, notice.notice_channel_id, message)

    async def _post(self, notice: Notice, channel_id: str, message: render.Payload) -> None:
        """Discord remembers the nonce for some minutes: a post whose answer was lost is not posted twice. But then it
        gives back the older message, so it is drawn once more. Whoever deletes the notice has to know that it may be
        there."""
        if not notice.post_tried and not await self._write(_row(notice).set(Notice.post_tried, True)):
            return
        message |= {"nonce": nonce(notice.notice_id, notice.posts), "enforce_nonce": True}
        posted = await self.rest.post(channel_id, message)
        update = _row(notice).remove(Notice.delivery_error).set(Notice.notice_message_id, posted)
        if await self._write(update):
            await self._again(notice.guild_id, notice.notice_id, timedelta(seconds=1))
        else:
            await self.rest.delete(channel_id, posted)  # nobody else knows of the post

    async def _clear(self, notice: Notice, channel_id: str) -> None:
        """What was posted before goes when there is another post."""
        for id in sorted(notice.replaced):
            await without_fail(self.rest.delete(channel_id, id))
            await self._write(_row(notice).discard(Notice.replaced, {id}))

    async def _refused(self, notice: Notice, refused: Refused) -> None:
        if refused.code == Code.TOO_MANY_OLD_EDITS:
            await self._again(notice.guild_id, notice.notice_id, OLD_EDITS_PAUSE)
            return
        id = notice.notice_message_id
        same = Notice.notice_message_id.absent() if id is None else Notice.notice_message_id == id
        await self._write(_row(notice).set(Notice.delivery_error, str(refused)[:200]).when(same))

    async def _write(self, update: Update[Notice]) -> bool:
        """False where it was deleted meanwhile, or is not as the update wants it."""
        try:
            await self.desk.db.write(update)
        except ConditionFailed:
            return False
        return True


def _row(notice: Notice) -> Update[Notice]:
    return notices.update(notice.guild_id, notice.notice_id)
