"""What the bot, its commands and the pages say, in Japanese and English."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.texts import Texts

say = Texts.load("sekkei_systems.eventbot")
t = say.here


@dataclass(frozen=True, slots=True)
class Wording:
    """`words("bot.join")`: one language. A guild chooses it for its posts, a user for private answers."""

    language: str

    def __call__(self, key: str, /, **values: object) -> str:
        return say(self.language, key, **values)


def language(locale: str | None) -> str:
    """Japanese for Japanese (and for who has not said), English for everybody else."""
    return "ja" if locale is None or locale.startswith("ja") else "en"


def wording(locale: str | None) -> Wording:
    return Wording(language(locale))
