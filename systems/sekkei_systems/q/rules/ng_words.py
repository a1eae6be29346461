"""Forbidden words: one form for all spellings of a word, and one automaton for all words.

`Filter` reads a text once, however many words there are. Harmless words around a forbidden one are known too, so that
what stands wholly inside such a word does not count.
"""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Iterable

from sekkei.kit.text import half_width, is_seen

WORD_MAX = 100
_KATAKANA = range(0x30A1, 0x30F7)
_TO_HIRAGANA = {code: code - 0x60 for code in _KATAKANA}
_KEPT = ("L", "N")
_VOICED = "\u3099\u309a"


def normalised(text: str) -> str:
    """Half width, full width, capitals, katakana, accents, spaces, dots and what cannot be seen: all the same."""
    # What stands between a kana and its voicing mark goes first: together they are another letter.
    bare = "".join(character for character in half_width(text) if _counts(character))
    folded = unicodedata.normalize("NFC", bare).casefold().translate(_TO_HIRAGANA)
    plain = "".join(_without_accent(character) for character in folded)
    return "".join(character for character in plain if unicodedata.category(character)[0] in _KEPT)


def _counts(character: str) -> bool:
    return character in _VOICED or (is_seen(character) and unicodedata.category(character)[0] in _KEPT)


def _without_accent(character: str) -> str:
    if character > "\u2fff":  # kana and kanji
        return character
    return unicodedata.normalize("NFKD", character)[0]


class Filter:
    """An Aho–Corasick automaton over normalised words."""

    def __init__(self, forbidden: Iterable[str], allowed: Iterable[str] = ()) -> None:
        self._next: list[dict[str, int]] = [{}]
        self._fall: list[int] = [0]
        self._ends: list[tuple[tuple[int, bool], ...]] = [()]
        words = {word: True for word in map(normalised, forbidden) if word}
        words.update({word: False for word in map(normalised, allowed) if word})
        for word, is_forbidden in words.items():
            self._add(word, is_forbidden)
        self._link()
        self.size = len(words)

    def _add(self, word: str, is_forbidden: bool) -> None:
        state = 0
        for character in word:
            following = self._next[state].get(character)
            if following is None:
                following = len(self._next)
                self._next[state][character] = following
                self._next.append({})
                self._fall.append(0)
                self._ends.append(())
            state = following
        self._ends[state] = ((len(word), is_forbidden),)

    def _link(self) -> None:
        """Where to go on when a word breaks off: the longest ending of it that begins another word."""
        waiting = deque(self._next[0].values())
        while waiting:
            state = waiting.popleft()
            for character, following in self._next[state].items():
                waiting.append(following)
                self._fall[following] = self._step(self._fall[state], character)
                self._ends[following] += self._ends[self._fall[following]]

    def _step(self, state: int, character: str) -> int:
        while state and character not in self._next[state]:
            state = self._fall[state]
        return self._next[state].get(character, 0)

    def finds(self, text: str) -> str | None:
        """The first forbidden word in a text that no harmless word covers."""
        clean = normalised(text)
        found: list[tuple[int, int]] = []
        harmless: list[tuple[int, int]] = []
        state = 0
        for position, character in enumerate(clean, 1):
            state = self._step(state, character)
            for length, is_forbidden in self._ends[state]:
                (found if is_forbidden else harmless).append((position - length, position))
        for start, end in found:
            if not any(first <= start and end <= last for first, last in harmless):
                return clean[start:end]
        return None
