"""What follows from an event, its members and the time of day."""

from __future__ import annotations

from datetime import timedelta

from sekkei_systems.eventbot.design import Ack, Status
from sekkei_systems.eventbot.rules.views import NoticeView, has_started, is_joinable
from tests.systems.eventbot.samples import GUILD, ID, NOW, event, notice, view


def test_joinable_while_open_before_start_and_deadline() -> None:
    assert is_joinable(event(), NOW)
    assert not is_joinable(event(status=Status.CLOSED), NOW)
    assert not is_joinable(event(deadline_at=NOW), NOW)
    assert not is_joinable(event(deadline_at=None, event_start_at=NOW), NOW)
    assert is_joinable(event(deadline_at=None, event_start_at=None), NOW + timedelta(days=900))
    assert not has_started(event(event_start_at=None), NOW)


def test_full_is_as_many_members_as_places() -> None:
    assert view(3, capacity=3).full
    assert not view(2, capacity=3).full
    assert not view(500, capacity=None).full


def test_confirmations_of_people_who_left_do_not_count() -> None:
    seen = view(2)
    stayed, gone = seen.members[0].user_id, "7" * 19
    acks = tuple(
        Ack(guild_id=GUILD, notice_id=f"NTC#{ID}", event_id=f"EVT#{ID}", user_id=user, username="名", acked_at=NOW)
        for user in (gone, stayed)
    )
    shown = NoticeView(notice(), seen.event, seen.members, acks)
    assert [ack.user_id for ack in shown.confirmed] == [stayed]
    assert [member.user_id for member in shown.unconfirmed] == [seen.members[1].user_id]
