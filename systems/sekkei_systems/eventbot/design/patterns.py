"""The document's access patterns, by their numbers, and those that the bot adds.

Whatever is decided from a read is read consistently or made a condition of the write; `gsi_event`, which is always a
little behind, is only ever shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from functools import reduce
from operator import and_
from typing import Any

from sekkei.design import Action, Condition, Delete, Field, Put, Query, Ref, Transaction, Update
from sekkei_systems.eventbot.design.models import (
    Ack,
    Answer,
    Event,
    GuildSettings,
    Member,
    Notice,
    OrganiserLink,
    Preference,
    Reply,
    RoleHolder,
    SignUpOption,
    Status,
    Template,
)
from sekkei_systems.eventbot.design.tables import (
    acks,
    design,
    events,
    guild_settings,
    members,
    notices,
    notices_by_event,
    organiser_links,
    preferences,
    replies,
    role_holders,
    templates,
)

# Access patterns of the document


@design.pattern(number="Event-1", ja="イベント詳細を取得する（guild_id + event_id）")
def event(guild_id: str, event_id: str) -> Ref[Event]:
    """One event, as it is now: whatever is decided next rests on it."""
    return events(guild_id, event_id).consistent()


@design.pattern(number="Event-2", ja="イベントの状態（OPEN/CLOSED）や開催日時を参照する")
def event_status(guild_id: str, event_id: str) -> Ref[Event]:
    """Whether an event is open, and when it starts."""
    return events(guild_id, event_id).consistent()


@design.pattern(number="Event-3", ja="募集メッセージの message_id を保持し、編集更新に使う")
def keep_recruit_message(guild_id: str, event_id: str, message_id: str) -> Update[Event]:
    """Remember the recruiting post, so that it can be edited."""
    return events.update(guild_id, event_id).set(Event.recruit_message_id, message_id)


@design.pattern(number="EventMembers-1", ja="イベント参加者一覧を取得する")
def members_of_event(guild_id: str, event_id: str) -> Query[Member]:
    """Everyone who takes part in an event, by user id."""
    return members.where(Member.guild_id == guild_id, Member.event_id == event_id)


@design.pattern(number="EventMembers-2", ja="参加者の追加（重複参加を防止）")
def add_member(member: Member) -> Put[Member]:
    """Join an event once."""
    return members.create(member)


@design.pattern(number="EventMembers-3", ja="参加取消（delete）")
def remove_member(guild_id: str, event_id: str, user_id: str) -> Delete[Member]:
    """Leave an event."""
    return members.delete(guild_id, event_id, user_id).must_exist()


@design.pattern(number="Notices-1", ja="イベントに紐づく連絡一覧を取得する（新しい順）", page=4)
def notices_of_event(guild_id: str, event_id: str) -> Query[Notice]:
    """An event's notices, newest first."""
    return notices_by_event.where(Notice.guild_id == guild_id, Notice.event_id == event_id).backwards()


@design.pattern(number="Notices-2", ja="OPEN中の連絡が存在するか確認する（一覧から探索）")
def open_notices_of_event(guild_id: str, event_id: str) -> Query[Notice]:
    """An event's open notices, searched in the list."""
    return notices_of_event(guild_id, event_id).filter(Notice.status == Status.OPEN)


@design.pattern(number="Notices-3", ja="連絡の状態（OPEN/CLOSED）を管理する")
def close_notice(guild_id: str, notice_id: str) -> Update[Notice]:
    """Close a notice that is open."""
    update = notices.update(guild_id, notice_id).set(Notice.status, Status.CLOSED)
    return update.when(Notice.status == Status.OPEN)


@design.pattern(number="Notices-3", ja="連絡の is_hidden を管理する")
def hide_notice(guild_id: str, notice_id: str, hidden: bool) -> Update[Notice]:
    """Hide a notice in the list, or show it again."""
    return notices.update(guild_id, notice_id).set(Notice.is_hidden, hidden)


@design.pattern(number="NoticeAcks-1", ja="連絡の確認済み数を取得する")
def acks_of_notice(guild_id: str, notice_id: str) -> Query[Ack]:
    """Everyone who has confirmed a notice; `db.count` for the number."""
    return acks.where(Ack.guild_id == guild_id, Ack.notice_id == notice_id)


@design.pattern(number="NoticeAcks-2", ja="連絡未確認者を出す（参加者集合 - ack済み集合）")
def unconfirmed(guild_id: str, event_id: str, notice_id: str) -> tuple[Query[Member], Query[Ack]]:
    """The two sets whose difference has not confirmed yet: members, and confirmations."""
    return members_of_event(guild_id, event_id), acks_of_notice(guild_id, notice_id)


# Added


@design.pattern(ja="ギルドのイベント一覧", added=True)
def events_of_guild(guild_id: str) -> Query[Event]:
    """A guild's events, oldest id first."""
    return events.where(Event.guild_id == guild_id, Event.event_id.begins_with("EVT#"))


@design.pattern(ja="一件の連絡を取得する", added=True)
def notice(guild_id: str, notice_id: str) -> Ref[Notice]:
    """One notice, as it is now."""
    return notices(guild_id, notice_id).consistent()


@design.pattern(ja="イベントの全連絡（削除ジョブ）", added=True)
def stored_notices_of_event(guild_id: str, event_id: str) -> Query[Notice]:
    """An event's notices as they are now, not as the index last saw them; for its removal."""
    every = notices.where(Notice.guild_id == guild_id, Notice.notice_id.begins_with("NTC#"))
    return every.filter(Notice.event_id == event_id).consistent()


@design.pattern(ja="イベントの補欠・未定・不参加", added=True)
def replies_of_event(guild_id: str, event_id: str) -> Query[Reply]:
    """Everyone who answered and does not take part."""
    return replies.where(Reply.guild_id == guild_id, Reply.event_id == event_id)


@design.pattern(ja="参加者ロールを持つ人", added=True)
def holders_of_role(guild_id: str, role_id: str) -> Query[RoleHolder]:
    """Everyone who has a role because of events."""
    return role_holders.where(RoleHolder.guild_id == guild_id, RoleHolder.role_id == role_id)


@design.pattern(ja="DM でも知らせてほしい人", added=True)
def direct_reminders(guild_id: str) -> Query[Preference]:
    """Everyone in a guild who wants reminders by direct message too."""
    return preferences.where(Preference.guild_id == guild_id).filter(Preference.direct == True)  # noqa: E712


@design.pattern(ja="ギルドのひな型", added=True)
def templates_of_guild(guild_id: str) -> Query[Template]:
    """Events to start from."""
    return templates.where(Template.guild_id == guild_id)


@design.pattern(ja="アカウントが管理できるギルド", added=True)
def guilds_of_account(account_id: str) -> Query[OrganiserLink]:
    """The guilds whose events an account may look after."""
    return organiser_links.where(OrganiserLink.account_id == account_id)


def joinable(now: datetime) -> Condition[Event]:
    """Open, and neither started nor past its deadline, whether or not the clock has closed it yet."""
    begun = Event.event_start_at.absent() | (Event.event_start_at > now)
    late = Event.deadline_at.absent() | (Event.deadline_at > now)
    return (Event.status == Status.OPEN) & begun & late


def room() -> Condition[Event]:
    return Event.capacity.absent() | (Event.member_count < Event.capacity)


def no_queue() -> Condition[Event]:
    return Event.waiting_count.absent() | (Event.waiting_count == 0)


@design.pattern(ja="参加（定員と募集状態を同時に確認）", added=True)
def join(member: Member) -> Transaction:
    """Take part, if the event is open, not full, nobody waits for the place, and the user is not in it yet."""
    update = events.update(member.guild_id, member.event_id).add(Event.member_count, 1).keeping_version()
    return Transaction(
        update.when(joinable(member.joined_at), room(), no_queue()),
        add_member(member),
        replies.delete(member.guild_id, member.event_id, member.user_id),
    )


@design.pattern(ja="参加取消（人数も減らす）", added=True)
def leave(guild_id: str, event_id: str, user_id: str, now: datetime) -> Transaction:
    """Give the place back, until the event starts."""
    update = events.update(guild_id, event_id).add(Event.member_count, -1).keeping_version()
    begun = Event.event_start_at.absent() | (Event.event_start_at > now)
    return Transaction(update.when(Event.member_count > 0, begun), remove_member(guild_id, event_id, user_id))


@design.pattern(ja="補欠に並ぶ（満員のときだけ）", added=True)
def wait(reply: Reply) -> Transaction:
    """Queue for a place, if there is none, and the user is neither in the queue nor a member."""
    update = events.update(reply.guild_id, reply.event_id).add(Event.waiting_count, 1).keeping_version()
    taken = (Event.waiting_count > 0) | (Event.member_count >= Event.capacity)
    return Transaction(
        update.when(joinable(reply.asked_at), Event.waiting_list == True, taken),  # noqa: E712
        replies.put(reply).when(Reply.answer.absent() | (Reply.answer != Answer.WAITING)),
        members.must_not_exist(reply.guild_id, reply.event_id, reply.user_id),
    )


@design.pattern(ja="補欠から繰り上げる", added=True)
def promote(member: Member) -> Transaction:
    """Give a free place to somebody who waits."""
    update = events.update(member.guild_id, member.event_id).keeping_version()
    update = update.add(Event.member_count, 1).add(Event.waiting_count, -1)
    return Transaction(
        update.when(room(), Event.waiting_count > 0, Event.cancelled_at.absent()),
        add_member(member),
        replies.delete(member.guild_id, member.event_id, member.user_id).when(Reply.answer == Answer.WAITING),
    )


@design.pattern(ja="主催者が参加者を加える（定員を超えてもよい）", added=True)
def seat(member: Member, waited: bool) -> Transaction:
    """A place by the organiser's hand, full or not; whoever waited stops waiting in the same transaction."""
    update = events.update(member.guild_id, member.event_id).add(Event.member_count, 1).keeping_version()
    said = replies.delete(member.guild_id, member.event_id, member.user_id)
    if waited:
        update = update.add(Event.waiting_count, -1)
        said = said.when(Reply.answer == Answer.WAITING)
    else:
        said = said.when(Reply.answer.absent() | (Reply.answer != Answer.WAITING))
    return Transaction(update.when(Event.cancelled_at.absent()), add_member(member), said)


@design.pattern(ja="主催者が参加者を外す", added=True)
def unseat(guild_id: str, event_id: str, user_id: str) -> Transaction:
    """Give somebody's place back, at any time."""
    update = events.update(guild_id, event_id).add(Event.member_count, -1).keeping_version()
    return Transaction(update.when(Event.member_count > 0), remove_member(guild_id, event_id, user_id))


@design.pattern(ja="補欠から抜ける（人数を減らす）", added=True)
def shorten_queue(guild_id: str, event_id: str) -> Update[Event]:
    """One fewer waits; stands in the transaction that takes back, or changes, what they said."""
    update = events.update(guild_id, event_id).add(Event.waiting_count, -1).keeping_version()
    return update.when(Event.waiting_count > 0)


@design.pattern(ja="連絡を投稿する（OPEN は一件だけ）", added=True)
def post_notice(notice: Notice) -> Transaction:
    """A new notice, if the event has no other that is open."""
    return Transaction(
        notices.create(notice),
        events.update(notice.guild_id, notice.event_id)
        .set(Event.open_notice_id, notice.notice_id)
        .keeping_version()
        .when(Event.open_notice_id.absent(), Event.cancelled_at.absent()),
    )


@design.pattern(ja="連絡を確認する（二重 Ack 防止）", added=True)
def confirm(ack: Ack) -> Transaction:
    """Confirm a notice once, as a member, while it is open."""
    return Transaction(
        notices.must_exist(ack.guild_id, ack.notice_id).when(Notice.status == Status.OPEN),
        members.must_exist(ack.guild_id, ack.event_id, ack.user_id),
        acks.create(ack),
    )


@design.pattern(ja="ギルド設定を取得する", added=True)
def settings_of_guild(guild_id: str) -> Ref[GuildSettings]:
    """A guild's settings."""
    return guild_settings(guild_id)


# Places of events with sign-up options: every counter of an event and of its options stands in one item, so one
# condition decides and one write counts.


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


# Several people at one event in one transaction: its item, which everybody who joins writes to, is written once.


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
