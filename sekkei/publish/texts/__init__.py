"""The fixed words of a design document."""

from __future__ import annotations

from typing import Literal

from sekkei.publish.texts.keys import Key
from sekkei.texts import Texts

Language = Literal["ja", "en"]

say: Texts[Key] = Texts.load("sekkei.publish")


class Words:
    """One language's words: `words("tables")`, `words("items", count=3)`."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def __call__(self, key: Key, **values: object) -> str:
        return say(self.language, key, **values)

    def of(self, thing: object) -> str:
        """What a table, entity, attribute, index or pattern says of itself in this language, or else in the other."""
        ja, en = getattr(thing, "ja", ""), getattr(thing, "en", "")
        return str((ja or en) if self.language == "ja" else (en or ja))
