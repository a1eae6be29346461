"""The calendar feed, and CSV."""

from __future__ import annotations

import csv
import io

from sekkei_systems.eventbot.design import Member
from sekkei_systems.eventbot.rules import files
from sekkei_systems.eventbot.rules.views import EventView
from tests.systems.eventbot.samples import NOW, event

# The calendar feed.


def test_the_calendar_is_what_rfc_5545_asks_for() -> None:
    found = files.feed(
        "会",
        [event(title="長い題; と, 記号\\" * 5, description="一行目\n二行目\x00" * 40), event(cancelled_at=NOW)],
        NOW,
    ).decode()
    assert "\x00" not in found
    assert found.endswith("END:VCALENDAR\r\n")
    lines = found.split("\r\n")
    assert max(len(line.encode()) for line in lines) <= 75
    unfolded = found.replace("\r\n ", "")
    assert "DTSTART:20260117T063000Z" in unfolded
    assert "一行目\\n二行目" in unfolded
    assert "長い題\\; と\\, 記号\\\\" in unfolded
    assert unfolded.count("BEGIN:VEVENT") == unfolded.count("END:VEVENT") == 2
    assert "STATUS:CANCELLED" in unfolded


# CSV.


def test_names_cannot_become_formulas() -> None:
    member = Member(guild_id="1", event_id=event().event_id, user_id="2", username='=HYPERLINK("x")', joined_at=NOW)
    body = files.members_csv(EventView(event(), (member,), (), (), ()))
    rows = list(csv.reader(io.StringIO(body.decode("utf-8-sig"))))
    assert rows[1][3] == '\'=HYPERLINK("x")'
