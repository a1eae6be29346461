"""The organiser's hands: people are added, removed and moved one by one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress

from sekkei.design import Transaction, TransactionFailed, Update
from sekkei.kit.text import many_lines
from sekkei_systems.eventbot import design
from sekkei_systems.eventbot.design import (
    Answer,
    Event,
    Member,
    Place,
    Reply,
    counted,
    events,
    members,
    replies,
    unseated,
)
from sekkei_systems.eventbot.refusals import (
    AlreadyMember,
    Busy,
    Cancelled,
    Missing,
    NobodyThere,
    NoSuchMember,
    NoSuchOption,
    NotStarted,
    TooLong,
)
from sekkei_systems.eventbot.rules.identifiers import uuid_of
from sekkei_systems.eventbot.rules.markdown import escaped
from sekkei_systems.eventbot.rules.mentions import call_messages
from sekkei_systems.eventbot.rules.views import has_started
from sekkei_systems.eventbot.service.access import Host
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.service.queue import Queue
from sekkei_systems.eventbot.service.views import members_in_order

TRIES_MAX = 5
TEXT_MAX = 1500
MARKS_AT_ONCE = 25


class Hands:
    """What a host does with people, full or not, open or not."""

    def __init__(self, desk: Desk, queue: Queue) -> None:
        self._desk, self._queue = desk, queue

    async def seat(self, host: Host, user_id: str, name: str, option_id: str | None = None) -> None:
        """Somebody gets a place, out of the queue or from nowhere; in the option they waited for, if none is said."""
        event = host.event
        if event.cancelled_at is not None:
            raise Cancelled()
        _must_be_there(event, option_id)
        for _ in range(TRIES_MAX):
            member, reply = await self._standing(event, user_id)
            if member is not None:
                raise AlreadyMember(name=member.username)
            waiting = reply if reply is not None and reply.answer is Answer.WAITING else None
            seated = Member(
                guild_id=event.guild_id,
                event_id=event.event_id,
                user_id=user_id,
                username=reply.username if reply else name,
                joined_at=self._desk.now(),
                joined_ms=self._desk.milliseconds(),
                option_id=option_id or (waiting.option_id if waiting else None),
            )
            if await self._done(host, _seating(seated, waiting)):
                return
        raise Busy(1)

    async def unseat(self, host: Host, user_id: str) -> None:
        """Somebody loses their place, also after the start; whoever waits moves up."""
        event = host.event
        for _ in range(TRIES_MAX):
            member, _ = await self._standing(event, user_id)
            if member is None:
                raise NoSuchMember()
            gone = design.unseat(event.guild_id, event.event_id, user_id)
            if member.option_id is not None:
                gone = Transaction(*unseated(event.guild_id, event.event_id, user_id, member.option_id))
            if await self._done(host, gone):
                await self._queue.move_up(event.guild_id, event.event_id)
                return
        raise Busy(1)

    async def move(self, host: Host, user_id: str, option_id: str) -> None:
        """To another option, full or not."""
        event = host.event
        _must_be_there(event, option_id)
        for _ in range(TRIES_MAX):
            member, _ = await self._standing(event, user_id)
            if member is None:
                raise NoSuchMember()
            if member.option_id == option_id:
                return
            if await self._done(host, moving(member, option_id)):
                await self._queue.move_up(event.guild_id, event.event_id)
                return
        raise Busy(1)

    async def tell(self, host: Host, text: str, option_id: str | None = None) -> int:
        """A message that rings those who joined, all or those of one option; how many they are."""
        event, desk, text = host.event, self._desk, many_lines(text)
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
        event, desk = host.event, self._desk
        if not has_started(event, desk.now()):
            raise NotStarted()
        joined = await members_in_order(desk.db, event)
        marks = {
            one.user_id: one.user_id in present if among is None or one.user_id in among else bool(one.attended)
            for one in joined
        }
        changed = [one for one in joined if one.attended is not marks[one.user_id]]
        for at in range(0, len(changed), MARKS_AT_ONCE):
            group = changed[at : at + MARKS_AT_ONCE]
            await self._mark(event, {one.user_id: marks[one.user_id] for one in group})
        count = sum(marks.values())
        update: Update[Event] = events.update(event.guild_id, event.event_id).keeping_version()
        settle = desk.settle_event(event.guild_id, event.event_id)  # it counts again, if others do this too
        await desk.transact(update.set(Event.attended_count, count), settle, by=host.actor)
        desk.changed(event.guild_id)
        return count

    async def _mark(self, event: Event, marks: Mapping[str, bool]) -> None:
        """Together, or one by one where somebody was removed meanwhile. If we die, it is counted later."""
        settle = self._desk.settle_event(event.guild_id, event.event_id)
        updates = [
            members.update(event.guild_id, event.event_id, user_id).set(Member.attended, there)
            for user_id, there in marks.items()
        ]
        try:
            await self._desk.transact(*updates, settle)
        except TransactionFailed:
            for update in updates:
                with suppress(TransactionFailed):
                    await self._desk.transact(update, settle)

    async def _standing(self, event: Event, user_id: str) -> tuple[Member | None, Reply | None]:
        key = (event.guild_id, event.event_id, user_id)
        return await self._desk.db.snapshot(members(*key), replies(*key))

    async def _done(self, host: Host, transaction: Transaction) -> bool:
        """False when they pressed a button meanwhile: look again."""
        event = host.event
        try:
            settle = self._desk.settle_event(event.guild_id, event.event_id)
            await self._desk.transact(transaction, settle, by=host.actor)
        except TransactionFailed:
            return False
        self._desk.changed(event.guild_id)
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


def moving(member: Member, option_id: str) -> Transaction:
    """Also of whoever joined before there were options."""
    update = counted(member.guild_id, member.event_id, (False, member.option_id), (False, option_id))
    chosen = members.update(member.guild_id, member.event_id, member.user_id).set(Member.option_id, option_id)
    as_read = Member.option_id.absent() if member.option_id is None else Member.option_id == member.option_id
    return Transaction(update, chosen.when(as_read))
