"""Texts of people, and what they enter about themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei_systems.q.refusals import BadAppId, BadText, BadUsername
from sekkei_systems.q.rules import writing

# What people may write, and how long it is as people count.


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("あいう", 3),
        ("か\u3099", 1),
        ("👨\u200d👩\u200d👧\u200d👦", 1),
        ("🇯🇵🇫🇷", 2),
        ("🇯🇵🇫", 2),
        ("👍🏽👍", 2),
        ("❤️", 1),
        ("한글", 2),
        ("\u1112\u1161\u11ab", 1),
        ("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", 1),
        ("1️⃣", 1),
        ("e\u0301x", 2),
        ("\u0915\u094d\u0937\u093f", 1),  # क्षि
        ("\u0915\u094d \u0937\u093f", 3),
        ("\u0e01\u0e33", 1),  # กำ
        ("ｶﾞﾊﾟ", 2),
        ("葛\U000e0100城", 2),
        ("\r\n", 1),
    ],
)
def test_characters_are_counted_as_people_see_them(text: str, count: int) -> None:
    assert writing.characters(text) == count


def test_eighty_families_are_eighty_characters() -> None:
    family = "👨\u200d👩\u200d👧\u200d👦"
    assert writing.text_of(family * 80, 80, "text") == family * 80
    with pytest.raises(BadText):
        writing.text_of(family * 81, 80, "text")


@pytest.mark.parametrize("text", ["", "   ", "\u200b", "\u3000", "\ufe0f", "\u3164", "\uffa0\u115f\u1160"])
def test_what_shows_nothing_is_no_text(text: str) -> None:
    with pytest.raises(BadText):
        writing.text_of(text, 80, "text")


@pytest.mark.parametrize("text", ["a\x00b", "a\u202eb", "a\x7fb", "\ud800ab", "a\u200bb"])
def test_control_characters_are_removed(text: str) -> None:
    assert writing.text_of(text, 80, "text") == "ab"


def test_a_text_is_composed_and_trimmed() -> None:
    assert writing.text_of("  か\u3099  ", 80, "text") == "が"
    assert writing.text_of("a\nb\u2028c\td", 80, "text") == "a b c d"
    assert writing.text_of("今日は\u3000晴れ", 80, "text") == "今日は\u3000晴れ"
    assert writing.text_of("a\r\nb", 80, "bio", lines=True) == "a\nb"


@given(st.text(max_size=300))
def test_any_text_is_taken_or_refused_in_words(text: str) -> None:
    try:
        clean = writing.text_of(text, 80, "text")
    except BadText:
        return
    assert 1 <= writing.characters(clean) <= 80
    clean.encode()


@pytest.mark.parametrize("text", ["ab", "A_b", "a" * 16, "abc!", "ａｂｃ", "abc\n"])
def test_bad_app_ids(text: str) -> None:
    with pytest.raises(BadAppId):
        writing.app_id_of(text)


def test_user_names() -> None:
    assert writing.username_of("Aoi_2") == "Aoi_2"
    with pytest.raises(BadUsername):
        writing.username_of("葵葵葵")
