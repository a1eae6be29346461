"""Texts are data: a package keeps them in `texts/ja.toml` and `texts/en.toml`.

    # sekkei_systems/tasks/texts/en.toml
    [team]
    open = { one = "{n} open task", other = "{n} open tasks" }     # by the value `n`
    "delete.sure" = "Delete “{name}” and everything in it?"        # the key "team.delete.sure"

    [status]                                                       # a section for an enum: its values are the keys
    todo = "To do"

    [refusal]                                                      # the words of `class LastAdmin(Conflict)`
    last-admin = "The team would have no admin left. Make somebody else an admin first."

    # sekkei_systems/tasks/texts/__init__.py
    say = Texts.load("sekkei_systems.tasks", status=Status)
    t = say.here

    say("en", "team.open", n=3)                 # bots, mails, jobs: the language is an argument
    say.choice("en", "status", Status.TODO)
    t("team.open", n=3)                         # during a request: the language of whoever asks
    say.section("en", "client")                 # a whole section, for a script

`missing_texts` in `sekkei.texts.checks` is the test that the languages, the code and the templates agree: it names
every key that no text has. Two languages and two plural rules do not pay for gettext or Fluent; `tomllib` is in the
standard library and translators can edit the files.
"""

from __future__ import annotations

import functools
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from enum import Enum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

LANGUAGES = ("ja", "en")
DEFAULT = "ja"
FOREIGN = "en"
"""For whoever asks in a language that we do not speak."""
PLURALS: dict[str, Callable[[object], str]] = {"ja": lambda n: "other", "en": lambda n: "one" if n == 1 else "other"}
"""Which of a text's forms goes with `n`. A third language brings a third rule."""

Text = str | Mapping[str, str]
"""A text, or its forms `{"one": …, "other": …}`."""
Table = Mapping[str, Text]
"""The texts of one language, by key."""
_WORD = re.compile(r"(?<!^)(?=[A-Z])")

spoken: ContextVar[str] = ContextVar("sekkei_language", default=DEFAULT)
"""The language of the request that is being answered."""


class UnknownText(LookupError):
    """No text has this key."""


class Texts:
    """The texts of one package in its languages: `say("en", "team.open", n=3)`."""

    def __init__(self, tables: Mapping[str, Table], place: str = "texts") -> None:
        self.tables = tables
        self.place = place

    @classmethod
    def load(cls, package: str, **choices: type[Enum]) -> Texts:
        """Both languages of a package. `status=Status` makes sure that `[status]` has a text for every value."""
        texts = _load(package)
        for section, enum in choices.items():
            keys = [f"{section}.{_plain(one)}" for one in enum]
            lacking = [f"{key} ({one})" for key in keys for one in LANGUAGES if key not in texts.tables[one]]
            if lacking:
                raise UnknownText(f"{enum.__name__} has values without a text in {texts.place}: {', '.join(lacking)}")
        return texts

    def __call__(self, language: str, key: str, /, **values: object) -> str:
        """Return the text in this language, or in English if the language is unknown, with its values filled in."""
        language = language if language in self.tables else FOREIGN
        text = self.tables[language].get(key)
        if text is None:
            raise UnknownText(f"No text has the key {key!r} in {language}. Add it to {self.place}/{language}.toml.")
        return filled(text, language, values)

    def here(self, key: str, /, **values: object) -> str:
        """Return the text in the language of the request."""
        return self(spoken.get(), key, **values)

    def choice(self, language: str, section: str, value: Enum | str) -> str:
        """The text of one of several values: `say.choice("en", "status", Status.DOING)`."""
        return self(language, f"{section}.{_plain(value)}")

    def section(self, language: str, name: str) -> dict[str, Text]:
        """All texts of a section without its name, ready to become JSON."""
        table = self.tables[language]
        return {key[len(name) + 1 :]: table[key] for key in table if key.startswith(f"{name}.")}

    def has(self, key: str) -> bool:
        return key in self.tables[DEFAULT]


def filled(text: Text, language: str, values: Mapping[str, object]) -> str:
    """The form that fits `n`, with the values in their places."""
    if not isinstance(text, str):
        text = text.get(PLURALS[language](values.get("n"))) or text["other"]
    return text.format_map(values) if values else text


def texts_near(module: str) -> Texts | None:
    """The texts of the package that a module belongs to: those of `sekkei_systems.tasks` for a service of it."""
    package = _package_with_texts(module)
    return _load(package) if package else None


def kebab(name: str) -> str:
    """`LastAdmin` as it stands in APIs and in `[refusal]`: last-admin."""
    return _WORD.sub("-", name).lower()


def read(file: Path) -> Table:
    """One language out of its file."""
    return dict(_flat(tomllib.loads(file.read_text("utf-8"))))


def folder_of(package: str) -> Path:
    """Where a package keeps its texts."""
    spec = find_spec(package)  # found, not imported: it may be about to load these very texts
    if spec is None or spec.origin is None:
        raise UnknownText(f"{package} is not a package with files.")
    return Path(spec.origin).parent / "texts"


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Text]]:
    for name, value in table.items():
        key = prefix + name
        if isinstance(value, str) or (prefix and isinstance(value, dict) and _are_forms(value)):
            yield key, value
        elif isinstance(value, dict):
            yield from _flat(value, f"{key}.")
        else:
            raise TypeError(f"{key}: a text is a string, or a table of the forms one and other.")


def _are_forms(table: Mapping[str, Any]) -> bool:
    return "other" in table and table.keys() <= {"one", "other"}


def _plain(value: Enum | str) -> str:
    return str(value.value) if isinstance(value, Enum) else value


@functools.cache
def _load(package: str) -> Texts:
    folder = folder_of(package)
    return Texts({language: read(folder / f"{language}.toml") for language in LANGUAGES}, f"{package}/texts")


@functools.cache
def _package_with_texts(module: str) -> str | None:
    while module:
        file = getattr(sys.modules.get(module), "__file__", None)
        if file and Path(file).name == "__init__.py" and (Path(file).parent / "texts" / f"{DEFAULT}.toml").exists():
            return module
        module = module.rpartition(".")[0]
    return None
