"""Numbers of tasks as people write them."""

from __future__ import annotations

import pytest

from sekkei_systems.tasks.rules.numbers import REFERENCE, BadKey, checked_key, key_of, meant, reference


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Mobile", "MOBI"),
        ("mobile app team", "MAT"),
        ("開発チーム", "TASK"),
        ("Ｗｅｂ開発", "WEB"),
        ("3D prints", "DP"),
        ("a b c d e f g h i j", "ABCDEFGH"),
    ],
)
def test_a_team_gets_a_key_out_of_its_name(name: str, key: str) -> None:
    assert key_of(name) == key
    assert checked_key(key) == key


def test_a_key_is_letters_and_digits() -> None:
    assert checked_key(" ｄev2 ") == "DEV2"
    for wrong in ("", "2D", "DE V", "ABCDEFGHI", "開発", "A-B"):
        with pytest.raises(BadKey):
            checked_key(wrong)


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("DEV-12", 12),
        ("dev-12", 12),
        ("old-3", 3),
        ("#12", 12),
        ("12", 12),
        ("ＤＥＶ－１２", 12),
        ("OTHER-12", None),
        ("DEV-0", None),
        ("DEV-012", None),
        ("DEV-12a", None),
        ("仕事", None),
        ("123456789", None),
    ],
)
def test_what_a_word_means(word: str, number: int | None) -> None:
    assert meant(word, {"DEV", "OLD"}) == number


def test_references_in_a_text() -> None:
    text = "DEV-1, see (DEV-22) and DEV-333. Not x-DEV-4, DEV-5x, DEV-6-7, a/DEV-8"
    assert [found[0] for found in REFERENCE.finditer(text)] == ["DEV-1", "DEV-22", "DEV-333"]
    assert (reference("DEV", 12), reference("DEV", None)) == ("DEV-12", "")
