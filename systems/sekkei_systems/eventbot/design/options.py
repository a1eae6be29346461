"""Places of events with sign-up options: every counter of an event and of its options stands in one item, so one
condition decides and one write counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from functools import reduce
from operator import and_

from sekkei.design import Condition, Delete, Field, Transaction, Update
from sekkei_systems.eventbot.design.models import Answer, Event, Member, Reply, SignUpOption
from sekkei_systems.eventbot.design.patterns import add_member, joinable, remove_member, room
from sekkei_systems.eventbot.design.tables import design, events, members, replies

Place = tuple[bool, str | None] | None
"""Where somebody is counted: whether in the queue, and of which option; None for nowhere."""


def _count(queue: bool, option_id: str | None) -> Field[Event, int]:
    if option_id is None:
        return Event.waiting_count if queue else Event.member_count
    return Event.options.entry(option_id).at(SignUpOption.waiting_count if queue else SignUpOption.member_count)


def _capacity(option_id: str) -> Field[Event, int | None]:
    return Event.options.entry(option_id).at(SignUpOption.capacity)


def counted(guild_id: str, event_id: str, before: Place, after: Place, many: int = 1) -> Update[Event]:
    """Counts somebody, or several, in another place than before, in the event and in the options."""
    change: Counter[tuple[bool, str | None]] = Counter()
    for place, by in ((before, -1), (after, 1)):
        for key in () if place is None else dict.fromkeys(((place[0], None), place)):
            change[key] += by
    update: Update[Event] = events.update(guild_id, event_id).keeping_version()
    for key, by in change.items():
        if by:
            update = update.add(_count(*key), by * many)
        if by < 0:
            update = update.when(_count(*key) >= many)
    if after is not None and after[1] is not None:
        update = update.when(Event.options.entry(after[1]).exists())
    return update


def room_in(option_id: str) -> Condition[Event]:
    """Places are left in the option, and in the whole."""
    places = _capacity(option_id)
    return room() & (places.absent() | (_count(False, option_id) < places))


def unclaimed(option_id: str, others: Iterable[str]) -> Condition[Event]:
    """Nobody who waits could have such a place: in this option, or in others that share places with it."""
    claims = [(_count(True, id) == 0) | (_count(False, id) >= _capacity(id)) for id in others]
    return reduce(and_, claims, _count(True, option_id) == 0)


def unseated(guild_id: str, event_id: str, user_id: str, option_id: str) -> tuple[Update[Event], Delete[Member]]:
    """Out of an option, whenever."""
    left = remove_member(guild_id, event_id, user_id).when(Member.option_id == option_id)
    return counted(guild_id, event_id, (False, option_id), None), left


def not_waiting() -> Condition[Reply]:
    return Reply.answer.absent() | (Reply.answer != Answer.WAITING)


@design.pattern(ja="区分を選んで参加（区分の定員も同時に確認）", added=True)
def join_option(member: Member, option_id: str, others: list[str]) -> Transaction:
    """Take part in one way, if that is open, has a place, and nobody waits who could have it."""
    update = counted(member.guild_id, member.event_id, None, (False, option_id))
    return Transaction(
        update.when(joinable(member.joined_at), room_in(option_id), unclaimed(option_id, others)),
        add_member(member),
        replies.delete(member.guild_id, member.event_id, member.user_id).when(not_waiting()),
    )


@design.pattern(ja="区分の補欠に並ぶ", added=True)
def wait_for_option(reply: Reply, option_id: str) -> Transaction:
    """Queue for a place of one option. Whoever could have had one moves up at once."""
    update = counted(reply.guild_id, reply.event_id, None, (True, option_id))
    return Transaction(
        update.when(joinable(reply.asked_at), Event.waiting_list == True),  # noqa: E712
        replies.put(reply).when(not_waiting()),
        members.must_not_exist(reply.guild_id, reply.event_id, reply.user_id),
    )


def requeued(reply: Reply, before: str | None, after: str) -> Transaction:
    """Also of whoever waited before there were options."""
    update = counted(reply.guild_id, reply.event_id, (True, before), (True, after))
    same = Reply.option_id.absent() if before is None else Reply.option_id == before
    put = replies.put(reply).when(Reply.answer == Answer.WAITING, same)
    return Transaction(update.when(joinable(reply.asked_at)), put)


@design.pattern(ja="別の区分の補欠に並び直す", added=True)
def requeue(reply: Reply, before: str, after: str) -> Transaction:
    """Queue for another option instead, at its end."""
    return requeued(reply, before, after)


@design.pattern(ja="区分の補欠から繰り上げる", added=True)
def promote_in_option(member: Member, option_id: str) -> Transaction:
    """Give a free place of an option to somebody who waits for it."""
    update = counted(member.guild_id, member.event_id, (True, option_id), (False, option_id))
    said = replies.delete(member.guild_id, member.event_id, member.user_id)
    return Transaction(
        update.when(room_in(option_id), Event.cancelled_at.absent()),
        add_member(member),
        said.when(Reply.answer == Answer.WAITING, Reply.option_id == option_id),
    )


@design.pattern(ja="参加区分を変える", added=True)
def change_option(
    guild_id: str, event_id: str, user_id: str, before: str | None, after: str, now: datetime
) -> Transaction:
    """Take part in another way, if that has a place nobody waits for; also of whoever joined before there were any."""
    update = counted(guild_id, event_id, (False, before), (False, after))
    places = _capacity(after)
    free = places.absent() | (_count(False, after) < places)
    chosen = members.update(guild_id, event_id, user_id).set(Member.option_id, after)
    as_read = Member.option_id.absent() if before is None else Member.option_id == before
    return Transaction(update.when(joinable(now), free, _count(True, after) == 0), chosen.when(as_read))


@design.pattern(ja="区分の参加をやめる", added=True)
def leave_option(guild_id: str, event_id: str, user_id: str, option_id: str, now: datetime) -> Transaction:
    """Give the place in an option back, until the event starts."""
    update, left = unseated(guild_id, event_id, user_id, option_id)
    return Transaction(update.when(Event.event_start_at.absent() | (Event.event_start_at > now)), left)
