"""Several people at one event in one transaction: its item, which everybody who joins writes to, is written once."""

from __future__ import annotations

from typing import Any

from sekkei.design import Action, Condition, Transaction
from sekkei_systems.eventbot.design.models import Answer, Event, Member, Reply
from sekkei_systems.eventbot.design.patterns import add_member, joinable, no_queue
from sekkei_systems.eventbot.design.tables import design, events, members, replies


def _room(capacity: int | None, many: int) -> Condition[Event]:
    """For all of them. DynamoDB does not reckon in conditions, so the capacity is the one that was read."""
    if capacity is None:
        return Event.capacity.absent()
    return (Event.capacity == capacity) & (Event.member_count <= capacity - many)


@design.pattern(ja="同時に押した人をまとめて参加させる", added=True)
def join_together(people: list[Member], capacity: int | None) -> Transaction:
    """Take part, all of them, if the event is open, has room for all (as read before), and none of them is in it."""
    first, many = people[0], len(people)
    update = events.update(first.guild_id, first.event_id).add(Event.member_count, many).keeping_version()
    actions: list[Action[Any, Any]] = []
    for one in people:
        actions += [add_member(one), replies.delete(one.guild_id, one.event_id, one.user_id)]
    return Transaction(update.when(joinable(first.joined_at), _room(capacity, many), no_queue()), *actions)


@design.pattern(ja="同時に押した人をまとめて補欠に並べる", added=True)
def wait_together(people: list[Reply]) -> Transaction:
    """Queue, all of them, if there is no place, and none of them is in the queue or a member."""
    first = people[0]
    update = events.update(first.guild_id, first.event_id).add(Event.waiting_count, len(people)).keeping_version()
    taken = (Event.waiting_count > 0) | (Event.member_count >= Event.capacity)
    actions: list[Action[Any, Any]] = []
    for one in people:
        actions.append(replies.put(one).when(Reply.answer.absent() | (Reply.answer != Answer.WAITING)))
        actions.append(members.must_not_exist(one.guild_id, one.event_id, one.user_id))
    open_queue = Event.waiting_list == True  # noqa: E712
    return Transaction(update.when(joinable(first.asked_at), open_queue, taken), *actions)
