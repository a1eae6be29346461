"""Texts by key, in Japanese and English.

A system keeps its texts in `texts.py` beside its `templates/`:

    TEXTS = {
        "board.title": {"ja": "ボード", "en": "Board"},
        "board.count": {"ja": "{n} 件", "en": {"one": "{n} task", "other": "{n} tasks"}},
    }

In a template `{{ t("board.count", n=3) }}`, in code `t(request, "board.count", n=3)`. A key that the system lacks is
looked up in the shell's own texts; one that nobody has is an error, so that a test finds it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.requests import Request

LANGUAGES = ("ja", "en")
DEFAULT = "ja"
COOKIE = "sekkei_lang"

Text = str | Mapping[str, str]
"""A text, or one for `{"one": …, "other": …}` by the value `n`."""
TextTable = Mapping[str, Mapping[str, Text]]


class UnknownText(LookupError):
    """No text has this key."""


class Texts:
    """All texts: those of the shell and those of every system."""

    def __init__(self, shell: TextTable, systems: Mapping[str, TextTable]) -> None:
        self._shell = shell
        self._systems = systems

    def find(self, system: str, language: str, key: str, values: Mapping[str, Any]) -> str:
        entry = self._systems.get(system, {}).get(key) or self._shell.get(key)
        if entry is None:
            raise UnknownText(f"no text has the key {key!r}; add it to systems/{system or '…'}/texts.py")
        text = entry[language]
        if not isinstance(text, str):
            text = text["one" if values.get("n") == 1 and "one" in text else "other"]
        return text.format_map(values) if values else text

    def has(self, system: str, key: str) -> bool:
        return key in self._systems.get(system, {}) or key in self._shell


@dataclass(frozen=True, slots=True)
class Speech:
    """The language and the system that texts are looked up for at this moment."""

    texts: Texts
    language: str
    system: str

    def __call__(self, key: str, /, **values: Any) -> str:
        return self.texts.find(self.system, self.language, key, values)


speech: ContextVar[Speech] = ContextVar("sekkei_speech")
"""Set for every request. A variable of the context, because a template's macros see nothing else of the request."""


def say_here(key: str, /, **values: Any) -> str:
    """`t` in templates."""
    return speech.get()(key, **values)


def pick(words: Mapping[str, str]) -> str:
    """`pick(system.title)` in templates: the words in the language of the request."""
    return words.get(speech.get().language) or words[DEFAULT]


def t(request: Request, key: str, /, **values: Any) -> str:
    """A text in the language of the request."""
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


# For tests of a system: `assert not missing_texts(TEXTS, Path(sekkei_systems.tasks.__file__).parent)`

_USED = re.compile(r"""\bt\(\s*["']([a-z0-9_.-]+)["']""")
_PLACE = re.compile(r"\{(\w+)[^}]*\}")


def missing_texts(table: TextTable, folder: Path | None = None) -> list[str]:
    """What is wrong with a table of texts: a language lacks, places differ, a key is used but not there."""
    from sekkei.web.words import TEXTS as SHELL

    found = []
    for key, entry in table.items():
        found += [f"{key}: no text in {language}" for language in LANGUAGES if not entry.get(language)]
        places = {language: _places(entry[language]) for language in LANGUAGES if entry.get(language)}
        if len(set(map(frozenset, places.values()))) > 1:
            found.append(f"{key}: the languages fill in different values: {places}")
    for file, key in _used_keys(folder) if folder else ():
        known = (*table, *SHELL)
        # A key that is put together, such as "state." ~ value, must have at least one that begins so.
        if not any(one == key or (key.endswith(".") and one.startswith(key)) for one in known):
            found.append(f"{key}: used in {file} but not defined")
    return found


def _places(text: Text) -> set[str]:
    whole = text if isinstance(text, str) else " ".join(text.values())
    return set(_PLACE.findall(whole))


def _used_keys(folder: Path) -> Iterable[tuple[str, str]]:
    for file in sorted(folder.rglob("*.html")):
        for key in _USED.findall(file.read_text("utf-8")):
            yield file.name, key
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "t":
                for argument in node.args[:2]:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        yield file.name, argument.value
