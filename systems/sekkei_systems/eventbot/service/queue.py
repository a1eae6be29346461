"""The queue of an event: who waits for a place, in which order, and how they get it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from sekkei.design import Transaction, TransactionFailed
from sekkei_systems.eventbot import design
from sekkei_systems.eventbot.design import Answer, Event, Member, Reply
from sekkei_systems.eventbot.refusals import NoSuchEvent
from sekkei_systems.eventbot.rules.identifiers import uuid_of
from sekkei_systems.eventbot.rules.markdown import escaped
from sekkei_systems.eventbot.rules.mentions import mention
from sekkei_systems.eventbot.rules.views import has_started
from sekkei_systems.eventbot.service.desk import Desk

PROMOTIONS_FAILED_MAX = 50
"""Others may give the same places away at the same time; beyond that something else is wrong."""

log = logging.getLogger("sekkei_systems.eventbot.service.queue")


class Queue:
    """First come, first served; where there are options, the first who waits for one that has a place."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def waiting(self, guild_id: str, event_id: str) -> list[Reply]:
        """The queue, first come first."""
        found = await self._desk.db.all(design.replies_of_event(guild_id, event_id).consistent())
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
        desk = self._desk
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
