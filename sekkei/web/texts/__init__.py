"""The shell's own texts, and the language that somebody is spoken to in.

In a template `{{ t("board.count", n=3) }}` and `{{ choice("status", task.status) }}`: the texts of the system whose
page it is, then the shell's, then the runtime's. A system's own code imports `t` and `say` from its `texts`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, overload

from starlette.requests import Request

from sekkei.runtime.texts import say as say_of_runtime
from sekkei.texts import DEFAULT, LANGUAGES, Text, Texts, UnknownText, checks
from sekkei.web.texts.keys import Key

COOKIE = "sekkei_lang"
TextTable = Mapping[str, Mapping[str, Text]]
"""Texts that are still written in Python: key, language, text."""

say: Texts[Key] = Texts.load("sekkei.web")
"""Also `say.here`, for what the shell itself says."""
SHELL: tuple[Texts[Any], ...] = (say, say_of_runtime)


@dataclass(frozen=True, slots=True)
class Speech:
    """The language of a request, and whose texts are asked one after the other."""

    language: str
    texts: tuple[Texts[Any], ...] = SHELL

    def __call__(self, key: str, /, **values: Any) -> str:
        return self._texts(key).find(self.language, key, values)

    def choice(self, section: str, value: Enum | str) -> str:
        return self._texts(f"{section}.{value.value if isinstance(value, Enum) else value}").choice(
            self.language, section, value
        )

    def section(self, name: str) -> dict[str, Text]:
        """A section of the system's own texts, for a script."""
        return self.texts[0].section(self.language, name)

    def _texts(self, key: str) -> Texts[Any]:
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


# Until every system keeps its texts as data.

_USED = re.compile(r"""\bt\(\s*["']([a-z0-9_.-]+)["']""")
_PLACE = re.compile(r"\{(\w+)[^}]*\}")


def of_table(table: TextTable, place: str) -> Texts[Any]:
    return Texts({one: {key: entry[one] for key, entry in table.items()} for one in LANGUAGES}, place)


@overload
def missing_texts(package: str) -> list[str]: ...
@overload
def missing_texts(package: TextTable, folder: Path) -> list[str]: ...
def missing_texts(package: str | TextTable, folder: Path | None = None) -> list[str]:
    """What is wrong with the texts of a package, a sentence for each fault; for the system's test."""
    if isinstance(package, str):
        return checks.missing_texts(package)
    found = []
    for key, entry in package.items():
        found += [f"{key}: no text in {language}" for language in LANGUAGES if not entry.get(language)]
        places = {language: _places(entry[language]) for language in LANGUAGES if entry.get(language)}
        if len(set(map(frozenset, places.values()))) > 1:
            found.append(f"{key}: the languages fill in different values: {places}")
    for file, key in _used_keys(folder) if folder else ():
        known = (*package, *say.tables[DEFAULT])
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
