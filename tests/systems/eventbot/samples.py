"""Events, members and notices with the longest texts that the bot takes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sekkei_systems.days import JST
from sekkei_systems.eventbot.design import Answer, Event, Member, Notice, Repeat, Reply
from sekkei_systems.eventbot.rules.views import EventView

NOW = datetime(2026, 1, 14, 15, 30, tzinfo=JST)


GUILD, ID = "9" * 19, "0198c6a0-7c1e-7b54-9d5c-0a4f1d2e3b4c"


def event(**changes: Any) -> Event:
    given: dict[str, Any] = {
        "guild_id": GUILD,
        "event_id": f"EVT#{ID}",
        "title": "長" * 100,
        "created_by": "1" * 19,
        "created_by_name": "名" * 100,
        "created_at": NOW,
        "recruit_channel_id": "2" * 19,
        "recruit_message_id": "3" * 19,
        "event_start_at": NOW + timedelta(days=3),
        "event_end_at": NOW + timedelta(days=3, hours=2),
        "event_remind_at": NOW + timedelta(days=2),
        "deadline_at": NOW + timedelta(days=1),
        "description": "説" * 1500,
        "location": "場" * 100,
        "capacity": 10_000,
        "repeat": Repeat.FORTNIGHTLY,
        "delivery_error": "x" * 200,
        "thread_id": "4" * 19,
    }
    return Event(**{**given, **changes})


def view(people: int, **changes: Any) -> EventView:
    users = [f"{number:019d}" for number in range(people)]
    ways: list[str | None] = [*changes.get("options", {}), None]
    members = tuple(
        Member(
            guild_id=GUILD,
            event_id=f"EVT#{ID}",
            user_id=user,
            username="名" * 100,
            joined_at=NOW,
            option_id=ways[int(user) % len(ways)],
            late=True,
        )
        for user in users
    )

    def replies(answer: Answer) -> tuple[Reply, ...]:
        return tuple(
            Reply(
                guild_id=GUILD,
                event_id=f"EVT#{ID}",
                user_id=user,
                username="名",
                answer=answer,
                asked_at=NOW,
                option_id=ways[int(user) % len(ways)],
            )
            for user in users
        )

    return EventView(event(**changes), members, replies(Answer.WAITING), replies(Answer.MAYBE), replies(Answer.NO))


def notice(number: int = 0, **changes: Any) -> Notice:
    given: dict[str, Any] = {
        "guild_id": GUILD,
        "notice_id": f"NTC#{ID[:-2]}{number:02d}",
        "event_id": f"EVT#{ID}",
        "title": "題" * 100,
        "body": "本" * 1800,
        "created_by": "1" * 19,
        "created_by_name": "名" * 100,
        "created_at": NOW,
        "notice_channel_id": "2" * 19,
        "notice_message_id": "3" * 19,
        "delivery_error": "x" * 200,
    }
    return Notice(**{**given, **changes})
