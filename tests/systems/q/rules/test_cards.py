"""The card of an answer."""

from __future__ import annotations

from datetime import UTC, date, datetime
from xml.etree import ElementTree

from sekkei_systems.q.design.models import (
    Answer,
)
from sekkei_systems.q.rules import cards

SVG = "{http://www.w3.org/2000/svg}"


def test_a_long_answer_is_broken_into_lines_and_no_character_torn() -> None:
    family = "👨‍👩‍👧‍👦"
    now = datetime(2025, 11, 6, tzinfo=UTC)
    answer = Answer(
        day=date(2025, 11, 6), user_id="a", question_id="q", text=family * 80, is_on_time=True, created_at=now
    )
    drawn = ElementTree.fromstring(cards.card("問", answer, "名"))
    lines = [one.text or "" for one in drawn.iter(f"{SVG}text") if family in (one.text or "")]
    assert len(lines) == 8
    assert all(line.replace("…", "").replace(family, "") == "" for line in lines)
