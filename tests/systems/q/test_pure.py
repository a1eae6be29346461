"""Characters, forbidden words, minutes, pictures: what needs no store."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei_systems.q import times, writing
from sekkei_systems.q.models import ReactionType
from sekkei_systems.q.ng_words import Filter, normalised
from sekkei_systems.q.refusals import BadAppId, BadCharacters, BadReaction, BadText, BadUsername
from sekkei_systems.q.service.reactions import reaction_of


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


@pytest.mark.parametrize("text", ["a\x00b", "a\nb", "a\u202eb", "a\x7fb", "\ud800x", "a\u2028b"])
def test_control_characters_are_refused(text: str) -> None:
    with pytest.raises(BadCharacters):
        writing.text_of(text, 80, "text")


def test_a_text_is_composed_and_trimmed() -> None:
    assert writing.text_of("  か\u3099  ", 80, "text") == "が"
    assert writing.text_of("a\r\nb", 80, "bio", lines=True) == "a\nb"


@given(st.text(max_size=300))
def test_any_text_is_taken_or_refused_in_words(text: str) -> None:
    try:
        clean = writing.text_of(text, 80, "text")
    except (BadText, BadCharacters):
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


# Forbidden words

FILTER = Filter(["バカ", "spam", "死ね"], ["バカンス", "しねま"])


@pytest.mark.parametrize(
    "text",
    [
        "ばか",
        "ﾊﾞｶ",
        "バ\u200bカ",
        "ば か",
        "ハ\u3099カ",
        "SPAM",
        "ｓｐａｍ",
        "s.p-a_m",
        "Späm",
        "sp\u00adam",
        "死　ね",
        "バ・カ",
        "バカンスのバカ",
        "は゛か",
        "ﾊ\u200bﾞｶ",
        "は\u200b\u3099か",
        "バ\u3164カ",
        "バ\uffa0カ",
        "sp\u115fam",
    ],
)
def test_evasions_are_caught(text: str) -> None:
    assert FILTER.finds(text) is not None


@pytest.mark.parametrize("text", ["バカンス最高", "シネマが好き", "spa m2".replace("m2", "x"), "ハカ", ""])
def test_harmless_texts_pass(text: str) -> None:
    assert FILTER.finds(text) is None


@given(st.lists(st.text(alphabet="abあ", min_size=1, max_size=4), max_size=8), st.text(alphabet="abあ ", max_size=40))
def test_the_automaton_finds_what_a_search_finds(words: list[str], text: str) -> None:
    clean = normalised(text)
    assert (Filter(words).finds(text) is not None) == any(normalised(word) in clean for word in words if word)


# Minutes

OUT = datetime(2025, 11, 6, 3, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "late"), [(0, 0), (1800, 0), (1800.001, 1), (1860, 1), (1861, 2), (3600, 30), (-5, 0)]
)
def test_lateness(seconds: float, late: int) -> None:
    assert times.lateness(OUT, OUT + timedelta(seconds=seconds)) == late


def test_the_publish_time_lies_in_its_window() -> None:
    window = times.window_of("08:00-08:02")
    found = {times.publish_time(window, chance / 100) for chance in range(100)}
    assert found == {time(8, 0), time(8, 1), time(8, 2)}
    with pytest.raises(ValueError):
        times.window_of("22:00-08:00")


def test_a_year_before_a_leap_day() -> None:
    assert times.year_before(date(2028, 2, 29)) == date(2027, 2, 28)
    assert times.year_before(date(2025, 11, 6)) == date(2024, 11, 6)


def test_age_by_the_birthday() -> None:
    assert times.age(date(2012, 11, 7), date(2025, 11, 6)) == 12
    assert times.age(date(2012, 11, 6), date(2025, 11, 6)) == 13


def test_the_heart_is_one_reaction() -> None:
    assert reaction_of("❤") is reaction_of("❤️") is ReactionType.HEART
    with pytest.raises(BadReaction):
        reaction_of("💩")
