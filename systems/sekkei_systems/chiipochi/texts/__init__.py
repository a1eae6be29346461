"""What the bot and the pages say, in Japanese and English."""

from __future__ import annotations

from typing import Literal

from sekkei.texts import Texts

Language = Literal["ja", "en"]
LANGUAGES: tuple[Language, ...] = ("ja", "en")

say = Texts.load("sekkei_systems.chiipochi")
t = say.here


def yen(amount: int, language: Language) -> str:
    return f"{amount:,}円" if language == "ja" else f"¥{amount:,}"
