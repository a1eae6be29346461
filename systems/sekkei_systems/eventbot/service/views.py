"""Reading what is shown together."""

from __future__ import annotations

from sekkei.design import Database
from sekkei_systems.eventbot.design import (
    Answer,
    Event,
    Member,
    Notice,
    Reply,
    acks_of_notice,
    members_of_event,
    replies_of_event,
)
from sekkei_systems.eventbot.rules.views import EventView, NoticeView


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
