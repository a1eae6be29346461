"""The shell's own texts, and the language that somebody is spoken to in.

In a template `{{ t("board.count", n=3) }}` and `{{ choice("status", task.status) }}`: the texts of the system whose
page it is, then the shell's, then the runtime's. A system's own code imports `t` and `say` from its `texts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, tzinfo
from enum import Enum
from typing import Any

from starlette.requests import Request

from sekkei.runtime.texts import say as say_of_runtime
from sekkei.texts import DEFAULT, LANGUAGES, Text, Texts, UnknownText

COOKIE = "sekkei_lang"

say = Texts.load("sekkei.web")
"""Also `say.here`, for what the shell itself says."""
SHELL: tuple[Texts, ...] = (say, say_of_runtime)


@dataclass(frozen=True, slots=True)
class Speech:
    """The language and zone of a request, and whose texts are asked one after the other."""

    language: str
    texts: tuple[Texts, ...] = SHELL
    zone: tzinfo = UTC

    def __call__(self, key: str, /, **values: Any) -> str:
        return self._texts(key)(self.language, key, **values)

    def choice(self, section: str, value: Enum | str) -> str:
        return self._texts(f"{section}.{value.value if isinstance(value, Enum) else value}").choice(
            self.language, section, value
        )

    def section(self, name: str) -> dict[str, Text]:
        """A section of the system's own texts, for a script."""
        return self.texts[0].section(self.language, name)

    def _texts(self, key: str) -> Texts:
        for texts in self.texts:
            if texts.has(key):
                return texts
        raise UnknownText(f"No text has the key {key!r}. Add it to {self.texts[0].place}/{{ja,en}}.toml.")


speech: ContextVar[Speech] = ContextVar("sekkei_speech")
"""Set for every request. A variable of the context, because a template's macros see nothing else of the request."""


def say_here(key: str, /, **values: Any) -> str:
    """`t` in templates."""
    return speech.get()(key, **values)


def choice_here(section: str, value: Enum | str) -> str:
    """`choice` in templates."""
    return speech.get().choice(section, value)


def section_here(name: str) -> dict[str, Text]:
    """`section("client")|tojson` in templates."""
    return speech.get().section(name)


def pick(words: Mapping[str, str]) -> str:
    """`pick(system.title)` in templates: the words in the language of the request."""
    return words.get(speech.get().language) or words[DEFAULT]


def t(request: Request, key: str, /, **values: Any) -> str:
    """A text in the language of the request, whosever it is."""
    found: Speech = request.state.speech
    return found(key, **values)


def language_of(request: Request) -> str:
    """The language that somebody is spoken to in."""
    language: str = request.state.speech.language
    return language


def negotiate(asked: str | None, cookie: str | None, accepted: str | None) -> str:
    """`?lang=`, then the cookie, then what the browser prefers; Japanese when nothing else is known."""
    for choice in (asked, cookie):
        if choice in LANGUAGES:
            return choice
    ranked: list[tuple[float, str]] = []
    for part in (accepted or "")[:500].split(","):
        name, _, quality = part.strip().partition(";q=")
        base = name.partition("-")[0].lower()
        if base in LANGUAGES:
            try:
                ranked.append((-float(quality or 1), base))
            except ValueError:
                continue
    return min(ranked, key=lambda found: found[0])[1] if ranked else DEFAULT
