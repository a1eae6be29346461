"""Notices within an event: posted, confirmed, closed, hidden, shown, reminded of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sekkei.design import TransactionFailed
from sekkei.kit.text import many_lines, one_line
from sekkei_systems.eventbot import design
from sekkei_systems.eventbot.design import Ack, Event, Member, Notice, Status, events, notices
from sekkei_systems.eventbot.refusals import (
    AlreadyConfirmed,
    AlreadySo,
    Cancelled,
    Missing,
    NoChannel,
    NoSuchEvent,
    NoSuchNotice,
    NoticeClosed,
    NoticeOpen,
    NotMember,
    TooLong,
)
from sekkei_systems.eventbot.rules.drafts import BODY_MAX, TITLE_MAX, NewNotice
from sekkei_systems.eventbot.rules.identifiers import new_notice_id
from sekkei_systems.eventbot.rules.views import NoticeView
from sekkei_systems.eventbot.service.access import Actor, Host
from sekkei_systems.eventbot.service.desk import SOON, Desk
from sekkei_systems.eventbot.service.members import view_of_notice

_PAGE_SIZE = 4
"""A message has five rows: four notices and one to turn the page."""


@dataclass
class Notices:
    """Operations on notices."""

    desk: Desk

    async def post(self, host: Host, new: NewNotice) -> Notice:
        """While one is open no other is posted, unless the guild allows it."""
        title, body = one_line(new.title), many_lines(new.body)
        for field, text, most in (("title", title, TITLE_MAX), ("body", body, BODY_MAX)):
            if not text:
                raise Missing(field=field)
            if len(text) > most:
                raise TooLong(field=field, most=most)
        desk, actor, event = self.desk, host.actor, host.event
        channel = event.notice_channel_id or event.recruit_channel_id
        if not channel:
            raise NoChannel()
        notice = Notice(
            guild_id=actor.guild_id,
            notice_id=new_notice_id(desk.clock),
            event_id=event.event_id,
            notice_channel_id=channel,
            title=title,
            body=body,
            created_by=actor.user_id,
            created_by_name=actor.name,
            created_at=desk.now(),
            remind_at=new.remind_at,
        )
        await self._store(host, notice)
        desk.changed(actor.guild_id)
        return notice

    async def _store(self, host: Host, notice: Notice) -> None:
        desk = self.desk
        settle = desk.settle_notice(notice.guild_id, notice.notice_id, SOON)
        if not (await desk.settings(notice.guild_id)).one_open_notice:
            alive = events.must_exist(notice.guild_id, notice.event_id).when(Event.cancelled_at.absent())
            try:
                await desk.transact(notices.create(notice), alive, settle, by=host.actor)
            except TransactionFailed:
                raise Cancelled() from None
            return
        transaction = design.post_notice(notice)
        try:
            await desk.transact(transaction, settle, by=host.actor)
        except TransactionFailed:
            event = await desk.event(notice.guild_id, notice.event_id)
            if event.cancelled_at is not None or event.open_notice_id is None:
                raise Cancelled() from None
            other = await desk.db.get(design.notice(notice.guild_id, event.open_notice_id))
            raise NoticeOpen(title=other.title if other else "") from None

    async def confirm(self, actor: Actor, notice_id: str) -> NoticeView:
        """Once, as a member, while the notice is open."""
        desk = self.desk
        notice = await desk.notice(actor.guild_id, notice_id)
        ack = Ack(
            guild_id=actor.guild_id,
            notice_id=notice_id,
            event_id=notice.event_id,
            user_id=actor.user_id,
            username=actor.name,
            acked_at=desk.now(),
        )
        transaction = design.confirm(ack)
        is_open, is_member, create = transaction.actions
        try:
            await desk.transact(transaction, desk.settle_notice(actor.guild_id, notice_id), by=actor)
        except TransactionFailed as failed:
            if failed.failed(create):
                raise AlreadyConfirmed() from None
            if failed.failed(is_open):
                raise NoticeClosed() from None
            if failed.failed(is_member):
                raise NotMember() from None
            raise
        desk.changed(actor.guild_id)
        return await self.view(actor.guild_id, notice_id)

    async def view(self, guild_id: str, notice_id: str) -> NoticeView:
        desk = self.desk
        notice = await desk.notice(guild_id, notice_id)
        return await view_of_notice(desk.db, notice, await desk.event(guild_id, notice.event_id))

    async def of_host(self, host: Host, notice_id: str) -> Notice:
        """A notice of the very event that somebody looks after."""
        notice = await self.desk.notice(host.event.guild_id, notice_id)
        if notice.event_id != host.event.event_id:
            raise NoSuchNotice()
        return notice

    async def close(self, host: Host, notice_id: str) -> None:
        notice = await self.of_host(host, notice_id)
        if not await self.shut(notice.guild_id, notice_id, host.actor):
            raise AlreadySo()

    async def shut(self, guild_id: str, notice_id: str, by: Actor | None = None) -> bool:
        """Close it, whoever asks (the clock does at the start of the event); False when it is closed already."""
        desk = self.desk
        notice = await desk.notice(guild_id, notice_id)
        settle = desk.settle_notice(guild_id, notice_id, SOON)
        shutting = design.close_notice(guild_id, notice_id).remove(Notice.remind_schedule_name)
        released = (
            events.update(guild_id, notice.event_id)
            .remove(Event.open_notice_id)
            .keeping_version()
            .when(Event.open_notice_id == notice_id)
        )
        try:
            await desk.transact(shutting, released, settle, by=by)
        except TransactionFailed as failed:
            if failed.failed(shutting):
                return False
            await desk.transact(shutting, settle, by=by)  # another one is the open one
        if notice.remind_schedule_name is not None:
            await desk.schedules.delete(notice.remind_schedule_name)
        desk.changed(guild_id)
        return True

    async def hide(self, host: Host, notice_id: str, hidden: bool) -> None:
        """In the list only; the post stays as it is."""
        notice = await self.of_host(host, notice_id)
        try:
            await self.desk.transact(design.hide_notice(notice.guild_id, notice_id, hidden), by=host.actor)
        except TransactionFailed:
            raise NoSuchNotice() from None
        self.desk.changed(notice.guild_id)

    async def repost(self, host: Host, notice_id: str) -> None:
        """As an event is posted anew."""
        notice = await self.of_host(host, notice_id)
        id, update = notice.notice_message_id, notices.update(notice.guild_id, notice_id).remove(Notice.delivery_error)
        if id is None:
            update = update.when(Notice.notice_message_id.absent())
        else:
            update = update.remove(Notice.notice_message_id).add(Notice.posts, 1).add(Notice.replaced, {id})
            update = update.set(Notice.post_tried, False).when(Notice.notice_message_id == id)
        try:
            await self.desk.transact(update, self.desk.settle_notice(notice.guild_id, notice_id, SOON), by=host.actor)
        except TransactionFailed:
            await self.of_host(host, notice_id)  # deleted meanwhile?
            raise AlreadySo() from None

    async def of_event(self, event: Event, *, hidden: bool) -> list[Notice]:
        """Newest first, with the open one even when the index does not have it yet; `hidden` ones for organisers."""
        db, guild_id = self.desk.db, event.guild_id
        found = {one.notice_id: one for one in await db.all(design.notices_of_event(guild_id, event.event_id))}
        if event.open_notice_id is not None:
            current = await db.get(design.notice(guild_id, event.open_notice_id))
            if current is not None:
                found[current.notice_id] = current
        shown = [one for one in found.values() if hidden or not one.is_hidden]
        return sorted(shown, key=lambda one: (one.created_at, one.notice_id), reverse=True)

    async def open_ones(self, event: Event) -> list[str]:
        """Those that can be confirmed. Where several can be at a time only the index knows them, some moments late."""
        found = [event.open_notice_id] if event.open_notice_id is not None else []
        if not (await self.desk.settings(event.guild_id)).one_open_notice:
            listed = await self.desk.db.all(design.open_notices_of_event(event.guild_id, event.event_id))
            found += [one.notice_id for one in listed if one.notice_id != event.open_notice_id]
        return found

    async def outlasting(self, event: Event) -> list[str]:
        """Those that the start of the event closes: posted before it, and still open."""
        start, found = event.event_start_at, []
        for id in await self.open_ones(event):
            one = await self.desk.db.get(design.notice(event.guild_id, id))
            if one is not None and one.status is Status.OPEN and start is not None and one.created_at < start:
                found.append(id)
        return found

    async def counts(self, members: Sequence[Member], listed: list[Notice]) -> dict[str, int]:
        """How many of the members have confirmed each of some notices."""
        present = {one.user_id for one in members}
        found: dict[str, int] = {}
        for notice in listed:
            done = await self.desk.db.all(design.acks_of_notice(notice.guild_id, notice.notice_id))
            found[notice.notice_id] = sum(ack.user_id in present for ack in done)
        return found

    async def begin_reminder(self, guild_id: str, notice_id: str, planned: str) -> NoticeView | None:
        """Who is to be reminded; None when the notice is closed, done, or its time was moved."""
        try:
            view = await self.view(guild_id, notice_id)
        except (NoSuchNotice, NoSuchEvent):
            return None
        notice = view.notice
        if notice.status is not Status.OPEN or notice.remind_at is None or notice.reminded_at is not None:
            return None
        if notice.remind_at.isoformat() != planned or view.event.cancelled_at is not None:
            return None
        return view
