"""The fixed words of a design document."""

from __future__ import annotations

from typing import Literal

from sekkei.design import Marking
from sekkei.texts import Texts

Language = Literal["ja", "en"]

say = Texts.load("sekkei.publish")


class Words:
    """One language's words: `words("tables")`, `words("items", count=3)`; `marking` are the design's own."""

    def __init__(self, language: Language, marking: Marking | None = None) -> None:
        self.language, self.marking = language, marking

    def mark(self, added: bool) -> str:
        """What stands behind something that is declared added."""
        return f" ({self.marking.word})" if added and self.marking is not None else ""

    def __call__(self, key: str, **values: object) -> str:
        return say(self.language, key, **values)

    def of(self, thing: object) -> str:
        """What a table, entity, attribute, index or pattern says of itself in this language, or else in the other."""
        ja, en = getattr(thing, "ja", ""), getattr(thing, "en", "")
        return str((ja or en) if self.language == "ja" else (en or ja))
