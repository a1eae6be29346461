"""Forbidden words in all their spellings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei_systems.q.rules.ng_words import Filter, normalised

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
