"""Taking part: join, leave, wait for a place, move up, and the answers in between."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sekkei.design import Action, ConditionFailed, Put, TransactionFailed, Update
from sekkei.runtime import days
from sekkei.runtime.design import Message
from sekkei_systems.eventbot import design
from sekkei_systems.eventbot.design import Answer, Event, Member, Reply, events, members, replies
from sekkei_systems.eventbot.refusals import (
    AlreadyIn,
    AlreadyMember,
    AlreadyWaiting,
    Busy,
    Cancelled,
    Closed,
    Full,
    NoSuchEvent,
    NoSuchMember,
    NotIn,
    NotInvited,
    Started,
)
from sekkei_systems.eventbot.rules.identifiers import uuid_of
from sekkei_systems.eventbot.rules.markdown import escaped
from sekkei_systems.eventbot.rules.mentions import mention
from sekkei_systems.eventbot.rules.views import has_started, is_joinable
from sekkei_systems.eventbot.service.access import Access, Actor, Host
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.texts import Wording

TRIES_MAX = 5
PROMOTIONS_FAILED_MAX = 50
"""Others may give the same places away at the same time; beyond that something else is wrong."""

log = logging.getLogger("sekkei_systems.eventbot.service.joining")


@dataclass(frozen=True, slots=True)
class Joined:
    """The event as it was just before, and whether there was only a place in the queue."""

    before: Event
    waiting: bool = False


class Joining:
    """Every change of who takes part, with the counters in the same transaction."""

    def __init__(self, desk: Desk, access: Access) -> None:
        self._desk, self._access = desk, access

    async def join(self, actor: Actor, event_id: str) -> Joined:
        """Take part, or queue where all places are taken."""
        desk = self._desk
        for _ in range(TRIES_MAX):
            event = await desk.event(actor.guild_id, event_id)
            await self._must_be_invited(actor, event)
            if event.waiting_list and _is_taken(event) and await self._wait(actor, event_id):
                return Joined(event, waiting=True)  # asked first, because a crowd at a full event would only fail below
            member = Member(
                guild_id=actor.guild_id,
                event_id=event_id,
                user_id=actor.user_id,
                username=actor.name,
                joined_at=desk.now(),
            )
            transaction = design.join(member)
            update, create, _forget = transaction.actions
            try:
                await desk.transact(transaction, desk.settle_event(actor.guild_id, event_id), by=actor)
            except TransactionFailed as failed:
                if failed.failed(create):
                    await self._refresh_name(actor, event_id)
                    raise AlreadyIn() from None
                if not failed.failed(update):
                    raise
            else:
                desk.changed(actor.guild_id)
                return Joined(event)
            # The event says no: find out why, and look again where a queue is possible.
            event = await desk.event(actor.guild_id, event_id)
            self._must_be_joinable(event)
            if not event.waiting_list and _is_taken(event):
                raise Full(capacity=event.capacity)
        raise Busy(1)

    async def _must_be_invited(self, actor: Actor, event: Event) -> None:
        """Where joining is for one role, its holders and organisers come in."""
        if event.member_role_id is None or event.member_role_id in actor.roles:
            return
        if not await self._access.may_organise(actor, event):
            raise NotInvited()

    def _must_be_joinable(self, event: Event) -> None:
        now = self._desk.now()
        if event.cancelled_at is not None:
            raise Cancelled()
        if has_started(event, now):
            raise Started()
        if not is_joinable(event, now):
            raise Closed()

    async def _wait(self, actor: Actor, event_id: str) -> bool:
        """Queue; False when a place has become free meanwhile."""
        desk = self._desk
        reply = self._reply(actor, event_id, Answer.WAITING)
        transaction = design.wait(reply)
        _update, put, absent = transaction.actions
        try:
            await desk.transact(transaction, desk.settle_event(actor.guild_id, event_id), by=actor)
        except TransactionFailed as failed:
            if failed.failed(absent):
                raise AlreadyIn() from None
            if failed.failed(put):
                raise AlreadyWaiting(position=await self._position(actor, event_id)) from None
            return False
        desk.changed(actor.guild_id)
        return True

    async def _position(self, actor: Actor, event_id: str) -> int:
        queue = await self.waiting(actor.guild_id, event_id)
        return next((place for place, one in enumerate(queue, 1) if one.user_id == actor.user_id), len(queue))

    async def waiting(self, guild_id: str, event_id: str) -> list[Reply]:
        """The queue, first come first."""
        found = await self._desk.db.all(design.replies_of_event(guild_id, event_id).consistent())
        queue = [reply for reply in found if reply.answer is Answer.WAITING]
        return sorted(queue, key=lambda reply: (reply.asked_at, reply.user_id))

    def _reply(self, actor: Actor, event_id: str, answer: Answer) -> Reply:
        return Reply(
            guild_id=actor.guild_id,
            event_id=event_id,
            user_id=actor.user_id,
            username=actor.name,
            answer=answer,
            asked_at=days.now_jst(self._desk.clock),
        )

    async def _refresh_name(self, actor: Actor, event_id: str) -> None:
        """A name is a snapshot; it is renewed whenever its owner comes by."""
        update = members.update(actor.guild_id, event_id, actor.user_id).set(Member.username, actor.name)
        try:
            await self._desk.db.write(update.when(Member.username != actor.name))
        except ConditionFailed:
            pass  # it is the same name, or they have just left

    async def joined(self, actor: Actor, listed: Sequence[Event]) -> set[str]:
        """Which of some events somebody takes part in."""
        refs = [members(actor.guild_id, one.event_id, actor.user_id) for one in listed]
        return {one.event_id for one in await self._desk.db.get_many(refs) if one is not None}

    async def leave(self, actor: Actor, event_id: str) -> Event:
        """Give up the place (or the place in the queue, or another answer); possible until the event starts."""
        return await self._say_instead(actor, event_id, None)

    async def answer(self, actor: Actor, event_id: str, answer: Answer) -> Event:
        """Say maybe or no; whoever takes part or waits stops doing so in the same transaction."""
        return await self._say_instead(actor, event_id, answer)

    async def _say_instead(self, actor: Actor, event_id: str, answer: Answer | None) -> Event:
        desk, guild_id = self._desk, actor.guild_id
        for _ in range(TRIES_MAX):
            event = await desk.event(guild_id, event_id)
            if answer is not None:
                self._must_be_joinable(event)
            member, reply = await desk.db.snapshot(
                members(guild_id, event_id, actor.user_id), replies(guild_id, event_id, actor.user_id)
            )
            if answer is None and member is None and reply is None:
                raise NotIn()
            if member is not None and has_started(event, desk.now()):
                raise Started()
            actions = [*self._leaving(event, actor, member, reply), *self._replying(event, actor, reply, answer)]
            if member is not None and not is_joinable(event, desk.now()) and event.cancelled_at is None:
                actions.append(self._tell_organiser(actor, event, await desk.words(guild_id)))
            try:
                await desk.transact(*actions, desk.settle_event(guild_id, event_id), by=actor)
            except TransactionFailed:
                continue  # they pressed twice, moved up, or the event was closed: look again
            if member is not None:
                await self.move_up(guild_id, event_id)
            desk.changed(guild_id)
            return await desk.event(guild_id, event_id)
        raise Busy(1)

    def _leaving(
        self, event: Event, actor: Actor, member: Member | None, reply: Reply | None
    ) -> list[Action[Any, Any]]:
        """Out of the members, or out of the queue."""
        if member is not None:
            return [*design.leave(event.guild_id, event.event_id, actor.user_id, self._desk.now()).actions]
        stays_out = members.must_not_exist(event.guild_id, event.event_id, actor.user_id)
        if reply is None or reply.answer is not Answer.WAITING:
            return [stays_out]
        return [stays_out, design.shorten_queue(event.guild_id, event.event_id)]

    def _replying(
        self, event: Event, actor: Actor, before: Reply | None, answer: Answer | None
    ) -> list[Action[Any, Any]]:
        """What was said before goes, or something else is said in its place."""
        as_read = Reply.answer.absent() if before is None else Reply.answer == before.answer
        if answer is not None:
            return [replies.put(self._reply(actor, event.event_id, answer)).when(as_read)]
        return [] if before is None else [replies.delete(event.guild_id, event.event_id, actor.user_id).when(as_read)]

    def _tell_organiser(self, actor: Actor, event: Event, words: Wording) -> Put[Message]:
        """Whoever leaves after the closing leaves a gap that the organiser counted on."""
        channel = event.notice_channel_id or event.recruit_channel_id or ""
        text = words(
            "bot.left-late", mention=mention(event.created_by), name=escaped(actor.name), title=escaped(event.title)
        )
        body = {"content": text[:2000], "allowed_mentions": {"users": [event.created_by]}}
        reason = f"left/{uuid_of(event.event_id)}/{actor.user_id}/{self._desk.clock.uuid()}"
        return self._desk.outbox.message("discord", channel, body, id=reason)

    # By the organiser's hand

    async def seat(self, host: Host, user_id: str, name: str) -> None:
        """Somebody gets a place, out of the queue or from nowhere, even where all places are taken."""
        desk, event = self._desk, host.event
        if event.cancelled_at is not None:
            raise Cancelled()
        for _ in range(TRIES_MAX):
            member, reply = await desk.db.snapshot(
                members(event.guild_id, event.event_id, user_id), replies(event.guild_id, event.event_id, user_id)
            )
            if member is not None:
                raise AlreadyMember(name=member.username)
            waited = reply is not None and reply.answer is Answer.WAITING
            seated = Member(
                guild_id=event.guild_id,
                event_id=event.event_id,
                user_id=user_id,
                username=reply.username if reply else name,
                joined_at=desk.now(),
            )
            try:
                settle = desk.settle_event(event.guild_id, event.event_id)
                await desk.transact(design.seat(seated, waited), settle, by=host.actor)
            except TransactionFailed:
                continue  # they pressed a button meanwhile: look again
            desk.changed(event.guild_id)
            return
        raise Busy(1)

    async def unseat(self, host: Host, user_id: str) -> None:
        """Somebody loses their place, also after the start; whoever waits moves up."""
        desk, event = self._desk, host.event
        settle = desk.settle_event(event.guild_id, event.event_id)
        try:
            await desk.transact(design.unseat(event.guild_id, event.event_id, user_id), settle, by=host.actor)
        except TransactionFailed:
            raise NoSuchMember() from None
        await self.move_up(event.guild_id, event.event_id)
        desk.changed(event.guild_id)

    async def move_up(self, guild_id: str, event_id: str) -> list[str]:
        """Give free places to those who wait, first come first; returns who moved up. Safe to repeat."""
        desk = self._desk
        moved: list[str] = []
        failed = 0
        while failed < PROMOTIONS_FAILED_MAX:
            try:
                event = await desk.event(guild_id, event_id)
            except NoSuchEvent:
                return moved
            room = event.capacity is None or event.member_count < event.capacity
            if not (room and event.waiting_count) or event.cancelled_at or has_started(event, desk.now()):
                return moved
            queue = await self.waiting(guild_id, event_id)
            if not queue:
                await self._mend_queue(event)
                return moved
            if await self._promote(event, queue[0]):
                moved.append(queue[0].user_id)
            else:
                failed += 1
        log.error("a place cannot be given to whoever waits", extra={"guild": guild_id, "event": event_id})
        return moved

    async def _promote(self, event: Event, first: Reply) -> bool:
        desk = self._desk
        member = Member(
            guild_id=event.guild_id,
            event_id=event.event_id,
            user_id=first.user_id,
            username=first.username,
            joined_at=desk.now(),
        )
        words = await desk.words(event.guild_id)
        text = words("bot.moved-up", mention=mention(first.user_id), title=escaped(event.title))
        body = {"content": text[:2000], "allowed_mentions": {"users": [first.user_id]}}
        reason = f"moved-up/{uuid_of(event.event_id)}/{first.user_id}/{int(first.asked_at.timestamp() * 1000)}"
        note = desk.outbox.message("discord", event.recruit_channel_id or "", body, id=reason)
        try:
            await desk.transact(design.promote(member), desk.settle_event(event.guild_id, event.event_id), note)
        except TransactionFailed:
            return False  # somebody else gave the place away; look again
        desk.changed(event.guild_id)
        return True

    async def _mend_queue(self, event: Event) -> None:
        """The counter says that somebody waits, but nobody does: a count that hinders joining is put right."""
        update: Update[Event] = events.update(event.guild_id, event.event_id).keeping_version()
        update = update.set(Event.waiting_count, 0).when(Event.waiting_count == event.waiting_count)
        try:
            await self._desk.db.write(update)
        except ConditionFailed:
            pass


def _is_taken(event: Event) -> bool:
    """No place is free, or somebody waits for it."""
    return event.capacity is not None and (event.member_count >= event.capacity or event.waiting_count > 0)
