"""The items that the document shows."""

from __future__ import annotations

from datetime import datetime

from sekkei_systems.eventbot.design.models import Ack, Answer, Event, Member, Notice, Reply
from sekkei_systems.eventbot.design.tables import acks, events, members, notices, replies

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
