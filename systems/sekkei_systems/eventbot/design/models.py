"""What is stored: events, who takes part, notices, and who has confirmed them.

Names of attributes are those of the original document, to the letter; what the bot adds is marked `added=True`.
"""

from __future__ import annotations

from datetime import datetime
from enum import Enum

from sekkei.design import Attr, attr, epoch, iso, model, template, version
from sekkei_systems.days import ZONE


class Status(Enum):
    OPEN = "OPEN"
    CLOSED = "CLOSED"


class Answer(Enum):
    """What somebody who does not take part has said."""

    WAITING = "WAITING"
    MAYBE = "MAYBE"
    NO = "NO"


class Repeat(Enum):
    """How an event comes back."""

    DAILY = "DAILY"
    WEEKLY = "WEEKLY"
    FORTNIGHTLY = "FORTNIGHTLY"
    MONTHLY = "MONTHLY"


JST_SECONDS = iso("+09:00", digits=0)  # one width everywhere: created_at stands inside a sort key
JST_MILLISECONDS = iso("+09:00", digits=3)  # for a queue, where a second is too coarse


@model
class SignUpOption:
    """One way to take part, such as Tank or 初心者, with places and a queue of its own."""

    name: Attr[str] = attr(ja="名前", en="name")
    emoji: Attr[str | None] = attr(default=None, ja="絵文字", en="emoji, as people write it")
    capacity: Attr[int | None] = attr(default=None, ja="定員", en="how many may join")
    position: Attr[int] = attr(default=0, ja="並び順", en="its place in the list")
    member_count: Attr[int] = attr(default=0, ja="参加者数", en="how many have joined")
    waiting_count: Attr[int] = attr(default=0, ja="補欠の人数", en="how many wait for a place")


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
    waiting_count: Attr[int] = attr(default=0, ja="補欠の人数", en="how many wait for a place", added=True)
    waiting_list: Attr[bool] = attr(default=True, ja="満員のとき補欠を受け付ける", en="take a waiting list", added=True)
    open_notice_id: Attr[str | None] = attr(default=None, ja="OPEN 中の連絡", en="the notice that is open", added=True)
    reminded_at: Attr[datetime | None] = attr(
        default=None, stored_as=JST_SECONDS, ja="リマインド済み日時", en="when it was reminded of", added=True
    )
    cancelled_at: Attr[datetime | None] = attr(
        default=None, stored_as=JST_SECONDS, ja="中止日時", en="when it was called off", added=True
    )
    delivery_error: Attr[str | None] = attr(default=None, ja="投稿エラー", en="why the post failed", added=True)
    editing_until: Attr[datetime | None] = attr(
        default=None, stored_as=JST_MILLISECONDS, ja="投稿を編集中", en="somebody edits the post", added=True
    )
    editing_by: Attr[str | None] = attr(default=None, ja="編集しているもの", en="who edits the post", added=True)
    scheduled: Attr[dict[str, str]] = attr(
        default_factory=dict, ja="登録済みの予約（名前と時刻）", en="schedules that are set, by name", added=True
    )
    repeat: Attr[Repeat | None] = attr(default=None, ja="繰り返し", en="how it comes back", added=True)
    next_event_id: Attr[str | None] = attr(default=None, ja="次回のイベント", en="the next one", added=True)
    thread_wanted: Attr[bool] = attr(default=False, ja="スレッドを作る", en="have a thread", added=True)
    thread_id: Attr[str | None] = attr(default=None, ja="スレッド", en="its thread", added=True)
    mirror_wanted: Attr[bool] = attr(default=False, ja="サーバーイベントに載せる", en="mirror it natively", added=True)
    scheduled_event_id: Attr[str | None] = attr(
        default=None, ja="Discord のサーバーイベント", en="Discord's own event", added=True
    )
    attendee_role_id: Attr[str | None] = attr(default=None, ja="参加者ロール", en="role of members", added=True)
    member_role_id: Attr[str | None] = attr(default=None, ja="参加できるロール", en="role that may join", added=True)
    posts: Attr[int] = attr(default=0, ja="投稿し直した回数", en="how often it was posted again", added=True)
    post_tried: Attr[bool] = attr(default=False, ja="投稿を始めた", en="posting has begun", added=True)
    replaced: Attr[frozenset[str]] = attr(
        default=frozenset(), ja="消すべき以前の投稿", en="posts before this one, which are to go", added=True
    )
    repeat_day: Attr[int | None] = attr(
        default=None, ja="毎月の何日に繰り返すか", en="day of the month of a monthly series", added=True
    )
    repeat_time: Attr[str | None] = attr(
        default=None,
        ja="繰り返しの時刻（サーバーの時計）",
        en="time of day of a series, by the guild's clocks",
        added=True,
    )
    mirror_tried: Attr[bool] = attr(
        default=False, ja="サーバーイベントの作成を始めた", en="making Discord's own event has begun", added=True
    )
    mirror_tried_as: Attr[str | None] = attr(
        default=None, ja="作成を始めたときの時刻と名前", en="with which start and name it has begun", added=True
    )
    mirrored: Attr[str | None] = attr(
        default=None, ja="サーバーイベントの内容の印", en="fingerprint of what Discord's own event says", added=True
    )
    troubles: Attr[dict[str, str]] = attr(
        default_factory=dict,
        ja="うまくいかなかったこと（thread・mirror・role）",
        en="what Discord refused, by step: thread, mirror, role",
        added=True,
    )
    options: Attr[dict[str, SignUpOption]] = attr(
        default_factory=dict, ja="参加区分（ID ごと）", en="ways to take part, by their ids", added=True
    )
    reminders: Attr[list[str]] = attr(
        default_factory=list, ja="さらに知らせる日時", en="further times to remind", added=True
    )
    reminded: Attr[frozenset[str]] = attr(
        default=frozenset(), ja="そのうち知らせた日時", en="those of them that are done", added=True
    )
    series: Attr[str | None] = attr(
        default=None,
        ja="今回だけ変えた繰り返しの元の内容（JSON）",
        en="what the series has where only this one was changed, as JSON",
        added=True,
    )
    repeat_paused: Attr[bool] = attr(default=False, ja="繰り返しを休んでいる", en="the series rests", added=True)
    ping: Attr[str | None] = attr(default=None, ja="募集時に呼び出すロール", en="role rung by the post", added=True)
    attended_count: Attr[int | None] = attr(default=None, ja="出席者数", en="how many were there", added=True)
    version: Attr[int] = version(added=True)


@model
class Member:
    guild_id: Attr[str] = attr(ja="ギルド ID", en="guild")
    event_id: Attr[str] = attr(form="EVT#{}", ja="イベント ID", en="the event")
    user_id: Attr[str] = attr(ja="ユーザー ID", en="the user")
    username: Attr[str] = attr(ja="ユーザー名", en="the user's name at the time")
    joined_at: Attr[datetime] = attr(stored_as=JST_SECONDS, ja="参加日時", en="when they joined")
    joined_ms: Attr[int] = attr(
        default=0,
        ja="参加した時刻（ミリ秒、同じ秒の中の順番）",
        en="the same in milliseconds: who was first",
        added=True,
    )
    option_id: Attr[str | None] = attr(default=None, ja="参加区分", en="the option that they chose", added=True)
    late: Attr[bool] = attr(default=False, ja="遅れて参加", en="comes late", added=True)
    attended: Attr[bool | None] = attr(default=None, ja="出席", en="was there", added=True)


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
    editing_until: Attr[datetime | None] = attr(
        default=None, stored_as=JST_MILLISECONDS, ja="投稿を編集中", en="somebody edits the post", added=True
    )
    editing_by: Attr[str | None] = attr(default=None, ja="編集しているもの", en="who edits the post", added=True)
    posts: Attr[int] = attr(default=0, ja="投稿し直した回数", en="how often it was posted again", added=True)
    post_tried: Attr[bool] = attr(default=False, ja="投稿を始めた", en="posting has begun", added=True)
    replaced: Attr[frozenset[str]] = attr(
        default=frozenset(), ja="消すべき以前の投稿", en="posts before this one, which are to go", added=True
    )


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
    time_zone: Attr[str] = attr(default=ZONE, ja="日時を読み書きするタイムゾーン", en="zone of written dates")
    make_thread: Attr[bool] = attr(default=False, ja="イベントごとにスレッドを作る", en="a thread for each event")
    mirror_events: Attr[bool] = attr(
        default=False, ja="サーバーイベントにも載せる", en="mirror as Discord's own events"
    )
    attendee_role_id: Attr[str | None] = attr(default=None, ja="参加者に付けるロール", en="role given to members")
    attendee_role_by: Attr[str | None] = attr(
        default=None, ja="参加者に付けるロールを選んだ人", en="who chose the role given to members"
    )
    attendee_role_position: Attr[int] = attr(
        default=0, ja="選んだときのロールの順位", en="the role's position when it was chosen"
    )
    creator_role_id: Attr[str | None] = attr(default=None, ja="イベントを作れるロール", en="role that may make events")
    member_role_id: Attr[str | None] = attr(default=None, ja="参加できるロール", en="role that may join; all if none")


@model
class RoleHolder:
    """Somebody who has the attendees' role because of some events; the bot takes it back after the last of them."""

    guild_id: Attr[str] = attr(ja="ギルド ID", en="guild")
    role_id: Attr[str] = attr(ja="ロール ID", en="the role")
    user_id: Attr[str] = attr(ja="ユーザー ID", en="the user")
    events: Attr[frozenset[str]] = attr(
        default=frozenset(), ja="理由となるイベント", en="the events that are the reason"
    )
    given: Attr[bool] = attr(default=False, ja="Discord で付与済み", en="Discord has been told")
    taking: Attr[str | None] = attr(default=None, ja="取り上げているイベント", en="the event that is taking it back")
    taking_until: Attr[datetime | None] = attr(
        default=None, ja="取り上げの期限", en="until then no other event takes it back"
    )


@model
class Preference:
    """What somebody wants of the bot in a guild."""

    guild_id: Attr[str] = attr(ja="ギルド ID", en="guild")
    user_id: Attr[str] = attr(ja="ユーザー ID", en="the user")
    direct: Attr[bool] = attr(default=False, ja="リマインドを DM でも受け取る", en="reminders by direct message too")


@model
class Reply:
    """Somebody who does not take part: waiting for a place, unsure, or not coming."""

    guild_id: Attr[str] = attr(ja="ギルド ID", en="guild")
    event_id: Attr[str] = attr(form="EVT#{}", ja="イベント ID", en="the event")
    user_id: Attr[str] = attr(ja="ユーザー ID", en="the user")
    username: Attr[str] = attr(ja="ユーザー名", en="the user's name at the time")
    answer: Attr[Answer] = attr(ja="補欠・未定・不参加", en="waiting, maybe, no")
    asked_at: Attr[datetime] = attr(
        stored_as=JST_MILLISECONDS, ja="回答日時（補欠はこの順）", en="when; the queue's order"
    )
    option_id: Attr[str | None] = attr(default=None, ja="待っている参加区分", en="the option that they wait for")


@model
class Template:
    """An event to start from."""

    guild_id: Attr[str] = attr(ja="ギルド ID", en="guild")
    template_id: Attr[str] = attr(form="TPL#{}", ja="テンプレート ID", en="template")
    name: Attr[str] = attr(ja="テンプレート名", en="name")
    title: Attr[str] = attr(ja="タイトル", en="title")
    description: Attr[str | None] = attr(default=None, ja="説明", en="description")
    location: Attr[str | None] = attr(default=None, ja="場所", en="place")
    capacity: Attr[int | None] = attr(default=None, ja="定員", en="how many may join")
    options: Attr[list[str]] = attr(
        default_factory=list, ja="参加区分（一行に一つ）", en="sign-up options, as they are written"
    )
    created_by: Attr[str] = attr(ja="作成者", en="who made it")
    created_at: Attr[datetime] = attr(stored_as=JST_SECONDS, ja="作成日時", en="when it was made")


@model
class OrganiserLink:
    """An account of the web pages that stands for a Discord user in a guild, for a while."""

    account_id: Attr[str] = attr(ja="アカウント", en="account")
    guild_id: Attr[str] = attr(ja="ギルド ID", en="guild")
    guild_name: Attr[str] = attr(default="", ja="ギルド名", en="the guild's name")
    user_id: Attr[str] = attr(ja="Discord ユーザー ID", en="the Discord user")
    user_name: Attr[str] = attr(ja="ユーザー名", en="the user's name")
    roles: Attr[list[str]] = attr(default_factory=list, ja="ロール", en="roles at the time")
    permissions: Attr[str] = attr(default="0", ja="権限（10 進のビット列）", en="permissions at the time")
    checked_at: Attr[datetime | None] = attr(
        default=None, stored_as=epoch(), ja="ロールを確かめた日時", en="when Discord was last asked for the roles"
    )
    expires: Attr[datetime] = attr(stored_as=epoch(), ja="有効期限", en="until when")
