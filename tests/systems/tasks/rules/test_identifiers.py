"""Ids sort by when they were made."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sekkei.clock import ManualClock
from sekkei_systems.tasks.rules.identifiers import (
    DIGITS,
    RANK_MAX,
    REFERENCE,
    BadKey,
    between,
    checked_key,
    key_of,
    number_in,
    reference,
    short,
)


def test_ids_are_short_unlike_and_in_the_order_of_time() -> None:
    clock = ManualClock(1_762_398_000.0)
    made = []
    for _ in range(50):
        clock.advance(0.001)
        made.append(short(clock))
    assert made == sorted(made)
    assert len(set(made)) == 50
    assert {len(one) for one in made} == {24}


# Numbers of tasks as people write them.


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
    assert number_in(word, {"DEV", "OLD"}) == number


def test_references_in_a_text() -> None:
    text = "DEV-1, see (DEV-22) and DEV-333. Not x-DEV-4, DEV-5x, DEV-6-7, a/DEV-8"
    assert [found[0] for found in REFERENCE.finditer(text)] == ["DEV-1", "DEV-22", "DEV-333"]
    assert (reference("DEV", 12), reference("DEV", None)) == ("DEV-12", "")


# There is always room between two cards.


def test_digits_are_in_the_order_of_their_bytes() -> None:
    assert list(DIGITS) == sorted(DIGITS)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=150))
def test_whatever_is_put_anywhere_stays_there(places: list[int]) -> None:
    clock = ManualClock(1_762_398_000.0)
    keys = sorted(short(clock) for _ in range(4))
    for place in places:
        at = place % (len(keys) + 1)
        low, high = keys[at - 1] if at else "", keys[at] if at < len(keys) else None
        made = between(low, high)
        assert low < made
        assert high is None or made < high
        keys.insert(at, made)
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("side", ["low", "high", "either"])
def test_a_thousand_in_one_gap_are_no_trouble(side: str) -> None:
    low, high, chance = "a", "b", random.Random(7)
    for _ in range(1_000):
        made = between(low, high)
        assert low < made < high
        if side == "low" or (side == "either" and chance.random() < 0.5):
            low = made
        else:
            high = made
    assert len(made) < RANK_MAX


def test_what_is_not_in_order_is_refused() -> None:
    for low, high in (("b", "a"), ("a", "a")):
        with pytest.raises(ValueError, match="no room"):
            between(low, high)
