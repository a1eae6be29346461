"""Texts are there in both languages."""

from __future__ import annotations

from pathlib import Path

from sekkei.web import missing_texts
from sekkei_systems import chiipochi
from sekkei_systems.chiipochi.texts import TEXTS
from sekkei_systems.chiipochi.texts.sayings import LANGUAGES, SAYINGS


def _places(words: str) -> list[str]:
    from string import Formatter

    return [name for _, name, _, _ in Formatter().parse(words) if name]


def test_every_saying_is_there_in_both_languages_with_the_same_places() -> None:
    for key, said in SAYINGS.items():
        assert set(said) == set(LANGUAGES), key
        places = [sorted(part for part in _places(words)) for words in said.values()]
        assert places[0] == places[1], key


def test_every_text_is_there_in_both_languages() -> None:
    assert missing_texts(TEXTS, Path(chiipochi.__file__).parent) == []
