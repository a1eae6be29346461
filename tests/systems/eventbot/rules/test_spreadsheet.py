"""CSV."""

from __future__ import annotations

import csv
import io

from sekkei_systems.eventbot.design import Member
from sekkei_systems.eventbot.rules import spreadsheet
from sekkei_systems.eventbot.rules.views import EventView
from tests.systems.eventbot.samples import NOW, event


def test_names_cannot_become_formulas() -> None:
    member = Member(guild_id="1", event_id=event().event_id, user_id="2", username='=HYPERLINK("x")', joined_at=NOW)
    body = spreadsheet.members_csv(EventView(event(), (member,), (), (), ()))
    rows = list(csv.reader(io.StringIO(body.decode("utf-8-sig"))))
    assert rows[1][3] == '\'=HYPERLINK("x")'
