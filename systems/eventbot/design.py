"""The event bot's tables: events, who takes part, notices, and who has confirmed them.

Names of tables, keys, indexes and attributes are those of the original document, to the letter. What it lacks and the
bot needs is marked `added=True`.
"""

from __future__ import annotations

from datetime import datetime
from enum import Enum

from sekkei.design import (
    Attr,
    Delete,
    Design,
    Index,
    Key,
    Put,
    Query,
    Ref,
    Transaction,
    Update,
    attr,
    iso,
    model,
    template,
    version,
)


class Status(Enum):
    OPEN = "OPEN"
    CLOSED = "CLOSED"


JST_SECONDS = iso("+09:00", digits=0)  # one width everywhere: created_at stands inside a sort key

design = Design(
    "eventbot", ja="イベント募集・参加者・連絡・確認を管理する Discord Bot", en="Discord event-recruiting bot"
)

events_table = design.table("Events", "guild_id", "event_id", ja="イベント本体", en="The events themselves")
members_table = design.table("EventMembers", "guild_id", "member_key", ja="イベント参加者", en="Who takes part")
notices_table = design.table(
    "Notices",
    "guild_id",
    "notice_id",
    indexes=[
        Index("gsi_event", "guild_id", "event_sk", ja="イベント単位の連絡一覧取得", en="notices of one event"),
    ],
    ja="イベント内の「連絡」投稿（確認ボタン付き）",
    en="Notices within an event, with a confirm button",
)
acks_table = design.table("NoticeAcks", "guild_id", "ack_key", ja="連絡の確認済み（Ack）管理", en="Who has confirmed")
settings_table = design.table("GuildSettings", "guild_id", ja="ギルドごとの設定", en="Settings of a guild", added=True)


@model
class Event:
    guild_id: Attr[str] = attr(ja="ギルド ID", en="guild")
    event_id: Attr[str] = attr(form="EVT#{}", ja="イベント ID（EVT#<uuid>）", en="EVT# and a UUIDv7")
    title: Attr[str] = attr(ja="タイトル", en="title")
    status: Attr[Status] = attr(default=Status.OPEN, ja="募集状態（OPEN/CLOSED）", en="open or closed for joining")
    created_by: Attr[str] = attr(ja="作成者のユーザー ID", en="who made it")
    created_by_name: Attr[str] = attr(ja="作成者の表示名", en="that user's name at the time")
    created_at: Attr[datetime] = attr(stored_as=JST_SECONDS, ja="作成日時（JST）", en="when it was made")
    recruit_channel_id: Attr[str | None] = attr(
        default=None, ja="募集投稿のチャンネル", en="channel of the recruiting post"
    )
    recruit_message_id: Attr[str | None] = attr(
        default=None, ja="募集投稿のメッセージ（編集更新に使用）", en="the recruiting post, edited after every change"
    )
    notice_channel_id: Attr[str | None] = attr(default=None, ja="連絡投稿先", en="channel for notices")
    event_start_at: Attr[datetime | None] = attr(default=None, stored_as=JST_SECONDS, ja="開催日時（JST）", en="start")
    event_remind_at: Attr[datetime | None] = attr(
        default=None, stored_as=JST_SECONDS, ja="リマインド日時（JST）", en="when to remind"
    )
    event_remind_schedule_name: Attr[str | None] = attr(default=None, ja="Scheduler 名", en="name of the schedule")
    description: Attr[str | None] = attr(default=None, ja="説明", en="description", added=True)
    location: Attr[str | None] = attr(default=None, ja="場所", en="place", added=True)
    event_end_at: Attr[datetime | None] = attr(default=None, stored_as=JST_SECONDS, ja="終了日時", en="end", added=True)
    deadline_at: Attr[datetime | None] = attr(
        default=None, stored_as=JST_SECONDS, ja="募集締切", en="last moment to join", added=True
    )
    capacity: Attr[int | None] = attr(default=None, ja="定員", en="how many may join", added=True)
    member_count: Attr[int] = attr(default=0, ja="参加者数", en="how many have joined", added=True)
    open_notice_id: Attr[str | None] = attr(default=None, ja="OPEN 中の連絡", en="the notice that is open", added=True)
    reminded_at: Attr[datetime | None] = attr(
        default=None, stored_as=JST_SECONDS, ja="リマインド済み日時", en="when it was reminded of", added=True
    )
    cancelled_at: Attr[datetime | None] = attr(
        default=None, stored_as=JST_SECONDS, ja="中止日時", en="when it was called off", added=True
    )
    delivery_error: Attr[str | None] = attr(default=None, ja="投稿エラー", en="why the post failed", added=True)
    version: Attr[int] = version(added=True)


@model
class Member:
    guild_id: Attr[str] = attr(ja="ギルド ID", en="guild")
    event_id: Attr[str] = attr(form="EVT#{}", ja="イベント ID", en="the event")
    user_id: Attr[str] = attr(ja="ユーザー ID", en="the user")
    username: Attr[str] = attr(ja="ユーザー名", en="the user's name at the time")
    joined_at: Attr[datetime] = attr(stored_as=JST_SECONDS, ja="参加日時", en="when they joined")
    waitlisted: Attr[bool] = attr(default=False, ja="補欠か", en="waiting for a place", added=True)


@model
class Notice:
    guild_id: Attr[str] = attr(ja="ギルド ID", en="guild")
    notice_id: Attr[str] = attr(form="NTC#{}", ja="連絡 ID（NTC#<uuid>）", en="NTC# and a UUIDv7")
    event_id: Attr[str] = attr(form="EVT#{}", ja="イベント ID", en="the event")
    status: Attr[Status] = attr(default=Status.OPEN, ja="状態（OPEN/CLOSED）", en="open or closed for confirming")
    is_hidden: Attr[bool] = attr(default=False, ja="一覧の表示/非表示", en="hidden in the list")
    notice_channel_id: Attr[str | None] = attr(default=None, ja="投稿先チャンネル", en="where it was posted")
    notice_message_id: Attr[str | None] = attr(default=None, ja="投稿メッセージ", en="the post")
    title: Attr[str] = attr(ja="タイトル", en="title")
    body: Attr[str] = attr(ja="本文", en="text")
    created_by: Attr[str] = attr(ja="作成者のユーザー ID", en="who made it")
    created_by_name: Attr[str] = attr(ja="作成者の表示名", en="that user's name at the time")
    created_at: Attr[datetime] = attr(stored_as=JST_SECONDS, ja="作成日時", en="when it was made")
    remind_at: Attr[datetime | None] = attr(
        default=None, stored_as=JST_SECONDS, ja="リマインド日時（JST, 任意）", en="when to remind, if at all"
    )
    remind_schedule_name: Attr[str | None] = attr(default=None, ja="Scheduler 名（任意）", en="name of the schedule")
    event_sk: Attr[str] = template(
        "{event_id}#{created_at}#{notice_id}", ja="イベント単位の一覧キー", en="orders an event's notices by time"
    )
    reminded_at: Attr[datetime | None] = attr(
        default=None, stored_as=JST_SECONDS, ja="リマインド済み日時", en="when it was reminded of", added=True
    )
    delivery_error: Attr[str | None] = attr(default=None, ja="投稿エラー", en="why the post failed", added=True)


@model
class Ack:
    guild_id: Attr[str] = attr(ja="ギルド ID", en="guild")
    notice_id: Attr[str] = attr(form="NTC#{}", ja="連絡 ID", en="the notice")
    event_id: Attr[str] = attr(form="EVT#{}", ja="イベント ID", en="the event")
    user_id: Attr[str] = attr(ja="ユーザー ID", en="the user")
    username: Attr[str] = attr(ja="ユーザー名", en="the user's name at the time")
    acked_at: Attr[datetime] = attr(stored_as=JST_SECONDS, ja="確認日時", en="when they confirmed")


@model
class GuildSettings:
    guild_id: Attr[str] = attr(ja="ギルド ID", en="guild")
    recruit_channel_id: Attr[str | None] = attr(
        default=None, ja="既定の募集チャンネル", en="default recruiting channel"
    )
    notice_channel_id: Attr[str | None] = attr(default=None, ja="既定の連絡チャンネル", en="default notice channel")
    organiser_role_id: Attr[str | None] = attr(default=None, ja="主催者ロール", en="role that may organise")
    remind_minutes_before: Attr[int] = attr(default=60, ja="開催何分前に通知するか", en="reminder before the start")
    one_open_notice: Attr[bool] = attr(default=True, ja="連絡は同時に一件", en="one open notice per event")
    locale: Attr[str] = attr(default="ja", ja="言語", en="language")


@events_table.entity(Event, ja="イベント", en="event")
def events(guild_id: str, event_id: str) -> Key:
    return Key(guild_id, event_id)


@members_table.entity(Member, ja="参加者", en="member")
def members(guild_id: str, event_id: str, user_id: str) -> Key:
    return Key(guild_id, f"{event_id}#USER#{user_id}")


@notices_table.entity(Notice, ja="連絡", en="notice")
def notices(guild_id: str, notice_id: str) -> Key:
    return Key(guild_id, notice_id)


@acks_table.entity(Ack, ja="確認", en="confirmation")
def acks(guild_id: str, notice_id: str, user_id: str) -> Key:
    return Key(guild_id, f"{notice_id}#USER#{user_id}")


@settings_table.entity(GuildSettings, ja="ギルド設定", en="guild settings", added=True)
def guild_settings(guild_id: str) -> Key:
    return Key(guild_id)


notices_by_event = notices.index("gsi_event")

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


@design.pattern(ja="参加（定員と募集状態を同時に確認）", added=True)
def join(member: Member) -> Transaction:
    """Take part, if the event is open, not full, and the user is not in it yet."""
    room = Event.capacity.absent() | (Event.member_count < Event.capacity)
    return Transaction(
        events.update(member.guild_id, member.event_id)
        .add(Event.member_count, 1)
        .keeping_version()
        .when(Event.status == Status.OPEN, room),
        add_member(member),
    )


@design.pattern(ja="参加取消（人数も減らす）", added=True)
def leave(guild_id: str, event_id: str, user_id: str) -> Transaction:
    """Give the place back."""
    return Transaction(
        remove_member(guild_id, event_id, user_id),
        events.update(guild_id, event_id).add(Event.member_count, -1).keeping_version().when(Event.member_count > 0),
    )


@design.pattern(ja="連絡を投稿する（OPEN は一件だけ）", added=True)
def post_notice(notice: Notice) -> Transaction:
    """A new notice, if the event has no other that is open."""
    return Transaction(
        notices.create(notice),
        events.update(notice.guild_id, notice.event_id)
        .set(Event.open_notice_id, notice.notice_id)
        .when(Event.open_notice_id.absent()),
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


_EVENT = events.example(
    Event(
        guild_id="112233445566778899",
        event_id="EVT#0198c6a0-7c1e-7b54-9d5c-0a4f1d2e3b4c",
        title="もくもく会",
        created_by="998877665544332211",
        created_by_name="はなこ",
        created_at=datetime.fromisoformat("2025-08-20T12:00:00+09:00"),
        recruit_channel_id="111",
        recruit_message_id="222",
        event_start_at=datetime.fromisoformat("2025-08-30T20:00:00+09:00"),
        event_remind_at=datetime.fromisoformat("2025-08-30T19:00:00+09:00"),
        event_remind_schedule_name="evt-0198c6a0-7c1e-7b54-9d5c-0a4f1d2e3b4c-r",
        member_count=1,
    )
)
members.example(
    Member(
        guild_id=_EVENT.guild_id,
        event_id=_EVENT.event_id,
        user_id="445566778899001122",
        username="taro",
        joined_at=datetime.fromisoformat("2025-08-20T12:34:56+09:00"),
    )
)
_NOTICE = notices.example(
    Notice(
        guild_id=_EVENT.guild_id,
        notice_id="NTC#0198c6b1-11aa-7c3d-8e21-5f6a7b8c9d0e",
        event_id=_EVENT.event_id,
        title="持ち物",
        body="ノート PC と電源を忘れずに",
        created_by=_EVENT.created_by,
        created_by_name=_EVENT.created_by_name,
        created_at=datetime.fromisoformat("2025-08-21T09:00:00+09:00"),
    )
)
acks.example(
    Ack(
        guild_id=_EVENT.guild_id,
        notice_id=_NOTICE.notice_id,
        event_id=_EVENT.event_id,
        user_id="445566778899001122",
        username="taro",
        acked_at=datetime.fromisoformat("2025-08-21T09:05:00+09:00"),
    )
)
