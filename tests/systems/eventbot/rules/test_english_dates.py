"""Dates in English become the words that `dates` reads."""

from __future__ import annotations

import pytest

from sekkei_systems.eventbot.rules.english_dates import in_japanese


@pytest.mark.parametrize(
    ("english", "japanese"),
    [
        ("the day after tomorrow noon", "明後日 noon"),
        ("tmrw 8pm", "明日 8pm"),
        ("next fri 8pm", "来週金曜 8pm"),
        ("wednesday next week", "来週水曜"),
        ("thurs. 8pm", "木曜 8pm"),
        ("this weekend", "今週末"),
        ("in an hour", "1時間後"),
        ("2 weeks before", "2週間前"),
        ("20 nov 8 pm", "11月20日 8 pm"),
        ("20:00 nov 20", "20:00 11月20日"),
        ("november 20th, 2026", "2026年11月20日"),
        ("20.11.2026", "2026/11/20"),
        ("satay at noon", "satay at noon"),
    ],
)
def test_in_japanese(english: str, japanese: str) -> None:
    assert in_japanese(english) == japanese
