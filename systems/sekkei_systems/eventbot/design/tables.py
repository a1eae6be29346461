"""Tables, keys and indexes. The first four are those of the original document, to the letter.

EventMembers holds those who take part and nobody else; whoever waits, is unsure or does not come stands in
EventReplies, so that every query of the document keeps its meaning.
"""

from __future__ import annotations

from datetime import datetime

from sekkei.design import Design, Index, Key
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
    Template,
)
from sekkei_systems.original import ADDED

design = Design(
    "eventbot",
    language="ja",
    added=ADDED,
    ja="イベント募集・参加者・連絡・確認を管理する Discord Bot",
    en="Discord event-recruiting bot",
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
replies_table = design.table(
    "EventReplies", "guild_id", "reply_key", ja="補欠・未定・不参加", en="Waiting, maybe, no", added=True
)
templates_table = design.table(
    "EventTemplates", "guild_id", "template_id", ja="イベントのひな型", en="Events to start from", added=True
)
links_table = design.table(
    "OrganiserLinks",
    "account_id",
    "guild_id",
    ttl="expires",
    ja="主催者ページの利用者",
    en="Web organisers",
    added=True,
)
settings_table = design.table("GuildSettings", "guild_id", ja="ギルドごとの設定", en="Settings of a guild", added=True)
roles_table = design.table(
    "EventRoles", "guild_id", "role_key", ja="参加者ロールの付与", en="Who has the attendees' role, and why", added=True
)

preferences_table = design.table(
    "EventPreferences", "guild_id", "user_id", ja="利用者ごとの設定", en="What people want", added=True
)


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


@replies_table.entity(Reply, ja="回答", en="reply", added=True)
def replies(guild_id: str, event_id: str, user_id: str) -> Key:
    return Key(guild_id, f"{event_id}#USER#{user_id}")


@roles_table.entity(RoleHolder, ja="ロールの付与", en="role holder", added=True)
def role_holders(guild_id: str, role_id: str, user_id: str) -> Key:
    return Key(guild_id, f"{role_id}#USER#{user_id}")


@preferences_table.entity(Preference, ja="利用者の設定", en="preference", added=True)
def preferences(guild_id: str, user_id: str) -> Key:
    return Key(guild_id, user_id)


@templates_table.entity(Template, ja="ひな型", en="template", added=True)
def templates(guild_id: str, template_id: str) -> Key:
    return Key(guild_id, template_id)


@links_table.entity(OrganiserLink, ja="主催者", en="organiser", added=True)
def organiser_links(account_id: str, guild_id: str) -> Key:
    return Key(account_id, guild_id)


notices_by_event = notices.index("gsi_event")

design.relate(guild_settings, events, templates, organiser_links)
design.relate(events, members, notices, replies)
design.relate(notices, acks)


# What `sekkei check` says about this design, and why it stays so.


design.accept(
    "R47", "*", "Keeping 35 days of history costs as much as the data; turn it on per table where you run it."
)


# The items that the document shows.


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
replies.example(
    Reply(
        guild_id=_EVENT.guild_id,
        event_id=_EVENT.event_id,
        user_id="556677889900112233",
        username="jiro",
        answer=Answer.MAYBE,
        asked_at=datetime.fromisoformat("2025-08-20T13:00:00.250+09:00"),
    )
)
