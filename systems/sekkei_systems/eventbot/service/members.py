"""The people of an event: who takes part and who waits, and what a host does with them, one by one."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sekkei.design import Database, Transaction, TransactionFailed, Update
from sekkei.kit.text import many_lines
from sekkei_systems.eventbot import design
from sekkei_systems.eventbot.design import (
    Answer,
    Event,
    Member,
    Notice,
    Place,
    Reply,
    acks_of_notice,
    counted,
    events,
    members,
    members_of_event,
    replies,
    replies_of_event,
    unseated,
)
from sekkei_systems.eventbot.refusals import (
    AlreadyMember,
    Busy,
    Cancelled,
    Missing,
    NobodyThere,
    NoSuchEvent,
    NoSuchMember,
    NoSuchOption,
    NotStarted,
    TooLong,
)
from sekkei_systems.eventbot.rules.drafts import TEXT_MAX
from sekkei_systems.eventbot.rules.identifiers import uuid_of
from sekkei_systems.eventbot.rules.markdown import call_messages, escaped, mention
from sekkei_systems.eventbot.rules.views import EventView, NoticeView, has_started
from sekkei_systems.eventbot.service.access import Host
from sekkei_systems.eventbot.service.desk import Desk

# The queue of an event: who waits for a place, in which order, and how they get it.


_PROMOTIONS_FAILED_MAX = 50
"""Others may give the same places away at the same time; beyond that something else is wrong."""

log = logging.getLogger("sekkei_systems.eventbot.service.members")


@dataclass
class Queue:
    """First come, first served; where there are options, the first who waits for one that has a place."""

    desk: Desk

    async def waiting(self, guild_id: str, event_id: str) -> list[Reply]:
        """The queue, first come first."""
        found = await self.desk.db.all(design.replies_of_event(guild_id, event_id).consistent())
        queue = [reply for reply in found if reply.answer is Answer.WAITING]
        return sorted(queue, key=lambda reply: (reply.asked_at, reply.user_id))

    async def position(self, guild_id: str, event_id: str, user_id: str) -> int:
        """Somebody's number among those who wait for the same."""
        queue = await self.waiting(guild_id, event_id)
        mine = next((one for one in queue if one.user_id == user_id), None)
        same = [one for one in queue if mine is None or one.option_id == mine.option_id]
        return next((place for place, one in enumerate(same, 1) if one is mine), len(same))

    async def move_up(self, guild_id: str, event_id: str) -> list[str]:
        """Give free places to those who wait; returns who moved up. Safe to repeat."""
        desk = self.desk
        moved: list[str] = []
        failed = 0
        while failed < _PROMOTIONS_FAILED_MAX:
            try:
                event = await desk.event(guild_id, event_id)
            except NoSuchEvent:
                return moved
            room = event.capacity is None or event.member_count < event.capacity
            if not (room and event.waiting_count) or event.cancelled_at or has_started(event, desk.now()):
                return moved
            first = _next(event, await self.waiting(guild_id, event_id))
            if first is None:
                return moved
            if await self._promote(event, first):
                moved.append(first.user_id)
            else:
                failed += 1
        log.error("a place cannot be given to whoever waits", extra={"guild": guild_id, "event": event_id})
        return moved

    async def _promote(self, event: Event, first: Reply) -> bool:
        desk = self.desk
        member = Member(
            guild_id=event.guild_id,
            event_id=event.event_id,
            user_id=first.user_id,
            username=first.username,
            joined_at=desk.now(),
            joined_ms=desk.milliseconds(),
            option_id=first.option_id,
        )
        words = await desk.words(event.guild_id)
        text = words("bot.moved-up", mention=mention(first.user_id), title=escaped(event.title))
        body = {"content": text[:2000], "allowed_mentions": {"users": [first.user_id]}}
        reason = f"moved-up/{uuid_of(event.event_id)}/{first.user_id}/{int(first.asked_at.timestamp() * 1000)}"
        about = {"guild_id": event.guild_id, "event_id": event.event_id}
        note = desk.call(event.recruit_channel_id or "", [body], id=reason, about=about)
        try:
            await desk.transact(_promotion(member), desk.settle_event(event.guild_id, event.event_id), note)
        except TransactionFailed:
            return False  # somebody else gave the place away; look again
        desk.changed(event.guild_id)
        return True


def _promotion(member: Member) -> Transaction:
    if member.option_id is None:
        return design.promote(member)
    return design.promote_in_option(member, member.option_id)


def _next(event: Event, queue: Sequence[Reply]) -> Reply | None:
    """The first for whom there is a place; whoever waits for a full option lets others by."""
    for one in queue:
        option = event.options.get(one.option_id or "")
        if option is None or option.capacity is None or option.member_count < option.capacity:
            return one
    return None


# Reading what is shown together.


async def members_in_order(db: Database, event: Event) -> tuple[Member, ...]:
    """By joining: the sort key orders by user, and people want to know who was first."""
    found = await db.all(members_of_event(event.guild_id, event.event_id).consistent())
    return tuple(sorted(found, key=lambda member: (member.joined_at, member.joined_ms, member.user_id)))


async def view_of_event(db: Database, event: Event) -> EventView:
    members = await members_in_order(db, event)
    replies = await db.all(replies_of_event(event.guild_id, event.event_id).consistent())
    replies.sort(key=lambda reply: (reply.asked_at, reply.user_id))

    def those(answer: Answer) -> tuple[Reply, ...]:
        return tuple(reply for reply in replies if reply.answer is answer)

    return EventView(event, members, those(Answer.WAITING), those(Answer.MAYBE), those(Answer.NO))


async def view_of_notice(db: Database, notice: Notice, event: Event) -> NoticeView:
    acks = await db.all(acks_of_notice(notice.guild_id, notice.notice_id).consistent())
    acks.sort(key=lambda ack: (ack.acked_at, ack.user_id))
    return NoticeView(notice, event, await members_in_order(db, event), tuple(acks))


# The organiser's hands: people are added, removed and moved one by one.


_TRIES_MAX = 5
_MARKS_AT_ONCE = 25


@dataclass
class Hands:
    """What a host does with people, full or not, open or not."""

    desk: Desk
    queue: Queue

    async def seat(self, host: Host, user_id: str, name: str, option_id: str | None = None) -> None:
        """Somebody gets a place, out of the queue or from nowhere; in the option they waited for, if none is said."""
        event = host.event
        if event.cancelled_at is not None:
            raise Cancelled()
        _must_be_there(event, option_id)
        for _ in range(_TRIES_MAX):
            member, reply = await self._standing(event, user_id)
            if member is not None:
                raise AlreadyMember(name=member.username)
            waiting = reply if reply is not None and reply.answer is Answer.WAITING else None
            seated = Member(
                guild_id=event.guild_id,
                event_id=event.event_id,
                user_id=user_id,
                username=reply.username if reply else name,
                joined_at=self.desk.now(),
                joined_ms=self.desk.milliseconds(),
                option_id=option_id or (waiting.option_id if waiting else None),
            )
            if await self._done(host, _seating(seated, waiting)):
                return
        raise Busy(1)

    async def unseat(self, host: Host, user_id: str) -> None:
        """Somebody loses their place, also after the start; whoever waits moves up."""
        event = host.event
        for _ in range(_TRIES_MAX):
            member, _ = await self._standing(event, user_id)
            if member is None:
                raise NoSuchMember()
            gone = design.unseat(event.guild_id, event.event_id, user_id)
            if member.option_id is not None:
                gone = Transaction(*unseated(event.guild_id, event.event_id, user_id, member.option_id))
            if await self._done(host, gone):
                await self.queue.move_up(event.guild_id, event.event_id)
                return
        raise Busy(1)

    async def move(self, host: Host, user_id: str, option_id: str) -> None:
        """To another option, full or not."""
        event = host.event
        _must_be_there(event, option_id)
        for _ in range(_TRIES_MAX):
            member, _ = await self._standing(event, user_id)
            if member is None:
                raise NoSuchMember()
            if member.option_id == option_id:
                return
            if await self._done(host, _moving(member, option_id)):
                await self.queue.move_up(event.guild_id, event.event_id)
                return
        raise Busy(1)

    async def tell(self, host: Host, text: str, option_id: str | None = None) -> int:
        """A message that rings those who joined, all or those of one option; how many they are."""
        event, desk, text = host.event, self.desk, many_lines(text)
        if not text:
            raise Missing(field="body")
        if len(text) > TEXT_MAX:
            raise TooLong(field="body", most=TEXT_MAX)
        joined = await members_in_order(desk.db, event)
        people = [one.user_id for one in joined if option_id is None or one.option_id == option_id]
        if not people:
            raise NobodyThere()
        words = await desk.words(event.guild_id)
        head = words("bot.told", title=escaped(event.title), name=escaped(host.actor.name))
        elsewhere = event.notice_channel_id or event.recruit_channel_id or ""
        calls = call_messages(f"{head}\n{text}", people)
        reason = f"tell/{uuid_of(event.event_id)}/{desk.clock.uuid()}"
        call = desk.call(event.thread_id or elsewhere, calls, id=reason, fallback=elsewhere, event=event)
        await desk.transact(call, by=host.actor)
        return len(people)

    async def attend(self, host: Host, present: Collection[str], among: Collection[str] | None = None) -> int:
        """Who was there, of all members or of some; how many were, in all. Raises NotStarted."""
        event, desk = host.event, self.desk
        if not has_started(event, desk.now()):
            raise NotStarted()
        joined = await members_in_order(desk.db, event)
        marks = {
            one.user_id: one.user_id in present if among is None or one.user_id in among else bool(one.attended)
            for one in joined
        }
        changed = [one for one in joined if one.attended is not marks[one.user_id]]
        for at in range(0, len(changed), _MARKS_AT_ONCE):
            group = changed[at : at + _MARKS_AT_ONCE]
            await self._mark(event, {one.user_id: marks[one.user_id] for one in group})
        count = sum(marks.values())
        update: Update[Event] = events.update(event.guild_id, event.event_id).keeping_version()
        settle = desk.settle_event(event.guild_id, event.event_id)  # it counts again, if others do this too
        await desk.transact(update.set(Event.attended_count, count), settle, by=host.actor)
        desk.changed(event.guild_id)
        return count

    async def _mark(self, event: Event, marks: Mapping[str, bool]) -> None:
        """Together, or one by one where somebody was removed meanwhile. If we die, it is counted later."""
        settle = self.desk.settle_event(event.guild_id, event.event_id)
        updates = [
            members.update(event.guild_id, event.event_id, user_id).set(Member.attended, there)
            for user_id, there in marks.items()
        ]
        try:
            await self.desk.transact(*updates, settle)
        except TransactionFailed:
            for update in updates:
                with suppress(TransactionFailed):
                    await self.desk.transact(update, settle)

    async def _standing(self, event: Event, user_id: str) -> tuple[Member | None, Reply | None]:
        key = (event.guild_id, event.event_id, user_id)
        return await self.desk.db.snapshot(members(*key), replies(*key))

    async def _done(self, host: Host, transaction: Transaction) -> bool:
        """False when they pressed a button meanwhile: look again."""
        event = host.event
        try:
            settle = self.desk.settle_event(event.guild_id, event.event_id)
            await self.desk.transact(transaction, settle, by=host.actor)
        except TransactionFailed:
            return False
        self.desk.changed(event.guild_id)
        return True


def _must_be_there(event: Event, option_id: str | None) -> None:
    if option_id is not None and option_id not in event.options:
        raise NoSuchOption()


def _seating(member: Member, waiting: Reply | None) -> Transaction:
    if member.option_id is None:
        return design.seat(member, waiting is not None)
    before: Place = None if waiting is None else (True, waiting.option_id)
    update = counted(member.guild_id, member.event_id, before, (False, member.option_id))
    said = replies.delete(member.guild_id, member.event_id, member.user_id)
    as_read = Reply.answer.absent() | (Reply.answer != Answer.WAITING)
    if waiting is not None:
        same = Reply.option_id.absent() if waiting.option_id is None else Reply.option_id == waiting.option_id
        as_read = (Reply.answer == Answer.WAITING) & same
    return Transaction(update.when(Event.cancelled_at.absent()), members.create(member), said.when(as_read))


def _moving(member: Member, option_id: str) -> Transaction:
    """Also of whoever joined before there were options."""
    update = counted(member.guild_id, member.event_id, (False, member.option_id), (False, option_id))
    chosen = members.update(member.guild_id, member.event_id, member.user_id).set(Member.option_id, option_id)
    as_read = Member.option_id.absent() if member.option_id is None else Member.option_id == member.option_id
    return Transaction(update, chosen.when(as_read))
