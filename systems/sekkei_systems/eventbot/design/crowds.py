"""Several people at one event in one transaction: its item, which everybody who joins writes to, is written once."""

from __future__ import annotations

from typing import Any

from sekkei.design import Action, Condition, Field, Transaction
from sekkei_systems.eventbot.design.models import Event, Member, Reply, SignUpOption
from sekkei_systems.eventbot.design.options import counted, not_waiting, unclaimed
from sekkei_systems.eventbot.design.patterns import add_member, joinable, no_queue
from sekkei_systems.eventbot.design.tables import design, events, members, replies


def _room(
    places: Field[Event, int | None], taken: Field[Event, int], capacity: int | None, many: int
) -> Condition[Event]:
    """For all of them. DynamoDB does not reckon in conditions, so the capacity is the one that was read."""
    if capacity is None:
        return places.absent()
    return (places == capacity) & (taken <= capacity - many)


def _room_in_all(capacity: int | None, many: int) -> Condition[Event]:
    return _room(Event.capacity, Event.member_count, capacity, many)


@design.pattern(ja="同時に押した人をまとめて参加させる", added=True)
def join_together(people: list[Member], capacity: int | None) -> Transaction:
    """Take part, all of them, if the event is open, has room for all (as read before), and none of them is in it."""
    first, many = people[0], len(people)
    update = events.update(first.guild_id, first.event_id).add(Event.member_count, many).keeping_version()
    actions: list[Action[Any, Any]] = []
    for one in people:
        actions += [add_member(one), replies.delete(one.guild_id, one.event_id, one.user_id)]
    return Transaction(update.when(joinable(first.joined_at), _room_in_all(capacity, many), no_queue()), *actions)


@design.pattern(ja="同時に押した人をまとめて補欠に並べる", added=True)
def wait_together(people: list[Reply]) -> Transaction:
    """Queue, all of them, if there is no place, and none of them is in the queue or a member."""
    first = people[0]
    update = events.update(first.guild_id, first.event_id).add(Event.waiting_count, len(people)).keeping_version()
    taken = (Event.waiting_count > 0) | (Event.member_count >= Event.capacity)
    actions: list[Action[Any, Any]] = []
    for one in people:
        actions.append(replies.put(one).when(not_waiting()))
        actions.append(members.must_not_exist(one.guild_id, one.event_id, one.user_id))
    open_queue = Event.waiting_list == True  # noqa: E712
    return Transaction(update.when(joinable(first.asked_at), open_queue, taken), *actions)


@design.pattern(ja="同じ区分を同時に選んだ人をまとめて参加させる", added=True)
def join_option_together(
    people: list[Member], option_id: str, others: list[str], places: int | None, capacity: int | None
) -> Transaction:
    """Take part in one way, all of them, if that is open, has room for all, and nobody waits who could have it."""
    first, many, option = people[0], len(people), Event.options.entry(option_id)
    room = _room(option.at(SignUpOption.capacity), option.at(SignUpOption.member_count), places, many)
    update = counted(first.guild_id, first.event_id, None, (False, option_id), many)
    update = update.when(joinable(first.joined_at), _room_in_all(capacity, many), room, unclaimed(option_id, others))
    actions: list[Action[Any, Any]] = []
    for one in people:
        said = replies.delete(one.guild_id, one.event_id, one.user_id).when(not_waiting())
        actions += [add_member(one), said]
    return Transaction(update, *actions)


@design.pattern(ja="同じ区分を同時に選んだ人をまとめて補欠に並べる", added=True)
def wait_for_option_together(people: list[Reply], option_id: str) -> Transaction:
    """Queue for a place of one option, all of them. Whoever could have had one moves up at once."""
    first = people[0]
    update = counted(first.guild_id, first.event_id, None, (True, option_id), len(people))
    actions: list[Action[Any, Any]] = []
    for one in people:
        actions.append(replies.put(one).when(not_waiting()))
        actions.append(members.must_not_exist(one.guild_id, one.event_id, one.user_id))
    open_queue = Event.waiting_list == True  # noqa: E712
    return Transaction(update.when(joinable(first.asked_at), open_queue), *actions)
