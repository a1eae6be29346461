"""The test that the texts of a package are whole: `assert missing_texts("sekkei_systems.tasks") == []`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sekkei.texts import DEFAULT, LANGUAGES, Table, Text, folder_of, kebab, read

_CLIENT = "client."
"""The section that a script gets whole."""
_REFUSAL = "refusal."
_CALLS = frozenset({"t", "say", "here", "flash", "words"})
_KEY = re.compile(r"(?!.*\.(?:csv|example|html|js|json|txt)$)([a-z-]+)(?:\.[a-z0-9-]+)+")
"""A string of this form, but a name of a file or host, is a key if it begins with a section of the package."""
_USED = re.compile(r"""\bt\(\s*["']([^"'\s]+)["']""")
_SECTION = re.compile(r"""\bchoice\(\s*["']([^"'\s]+)["']""")
_QUOTED = re.compile(r"""["'`]([\w./-]+)["'`$]""")
_PLACE = re.compile(r"\{(\w+)[^}]*\}")
SHELL = ("sekkei.web", "sekkei.runtime")
"""Whose texts every system may use too."""


def missing_texts(package: str, *, further: Sequence[str] = SHELL, users: Sequence[str] = ()) -> list[str]:
    """A sentence for each fault: a language without the text, values that differ, a key that is unknown or unused.

    `further` packages have texts that this one may use as well; those of this one are also for its `users`.
    """
    folder = folder_of(package)
    tables = {language: read(folder / f"{language}.toml") for language in LANGUAGES}
    keys = list(dict.fromkeys(key for table in tables.values() for key in table))
    sources = _Sources(folder.parent)
    readers = [sources, *(_Sources(folder_of(user).parent) for user in users)]
    known = {*keys, *(key for each in further for key in read(folder_of(each) / f"{DEFAULT}.toml"))}
    return [
        *(line for key in keys for line in _differences(key, tables)),
        *(f"{key}: used in {file} but not defined" for file, key in sources.used(keys) if not _is_known(key, known)),
        *(f"{key}: nothing uses it; delete it from texts/*.toml" for key in keys if not _is_needed(key, readers)),
    ]


def _differences(key: str, tables: Mapping[str, Table]) -> Iterator[str]:
    yield from (f"{key}: no text in {language}" for language, table in tables.items() if not table.get(key))
    places = {language: _places(table[key]) for language, table in tables.items() if table.get(key)}
    if len(set(map(frozenset, places.values()))) > 1:
        said = "; ".join(f"{language} {sorted(names) or 'none'}" for language, names in places.items())
        yield f"{key}: the languages fill in different values: {said}"


def _places(text: Text) -> set[str]:
    return set(_PLACE.findall(text if isinstance(text, str) else " ".join(text.values())))


def _is_known(key: str, known: Iterable[str]) -> bool:
    """A key that is put together, such as "state." ~ value, must have at least one that begins so."""
    return any(one == key or (key.endswith((".", "-")) and one.startswith(key)) for one in known)


def _is_needed(key: str, readers: Iterable[_Sources]) -> bool:
    return any(reader.needs(key) for reader in readers)


class _Sources:
    """What the code, templates and scripts of a package say."""

    def __init__(self, folder: Path) -> None:
        self._calls: list[tuple[str, str]] = []
        self._shaped: list[tuple[str, str]] = []
        self._strings: set[str] = set()
        self._sections: set[str] = set()
        self._classes: set[str] = set()
        for file in sorted(folder.rglob("*.html")) + sorted(folder.rglob("*.js")):
            text = file.read_text("utf-8")
            prefix = _CLIENT if file.suffix == ".js" else ""  # a script has its section without the name
            self._calls += [(file.name, prefix + key) for key in _USED.findall(text)]
            self._sections.update(_SECTION.findall(text))
            self._strings.update(_QUOTED.findall(text))
        for file in sorted(folder.rglob("*.py")):
            self._read(file)
        self._beginnings = tuple(one for one in self._strings if one.endswith((".", "-")) and len(one) > 1)

    def used(self, keys: Iterable[str]) -> list[tuple[str, str]]:
        """Return what calls name, and every other string that has the form of a key in one of these keys' sections."""
        sections = {key.partition(".")[0] for key in keys}
        shaped = (one for one in self._shaped if one[1].partition(".")[0] in sections)
        return list(dict.fromkeys((*self._calls, *shaped)))

    def needs(self, key: str) -> bool:
        section, _, rest = key.partition(".")
        return (
            key in self._strings
            or key.startswith((_CLIENT, *self._beginnings))
            or section in self._sections
            or (key.startswith(_REFUSAL) and rest in self._classes)
        )

    def _read(self, file: Path) -> None:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                self._strings.add(node.value)
                if _KEY.fullmatch(node.value) and "design" not in file.parts:  # a design has events, but no texts
                    self._shaped.append((file.name, node.value))
            elif isinstance(node, ast.ClassDef):
                self._classes.add(kebab(node.name))
            elif isinstance(node, ast.Call):
                self._call(file.name, node)

    def _call(self, file: str, call: ast.Call) -> None:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name == "choice":
            self._sections.update(_constants(call.args[:2]))
        elif name == "load":
            self._sections.update(keyword.arg for keyword in call.keywords if keyword.arg)
        elif name in _CALLS and (name != "say" or isinstance(call.func, ast.Name)):
            count = 1 if name == "flash" and isinstance(call.func, ast.Attribute) else 2  # then its level
            keys = _constants(call.args[:count])
            self._calls += [(file, key) for key in keys if key not in LANGUAGES and not key.startswith("/")]


def _constants(nodes: Iterable[ast.expr]) -> Iterator[str]:
    """Yield the strings that are written out, also those of `words("team.on" if wanted else "team.off")`."""
    for node in nodes:
        if isinstance(node, ast.IfExp):
            yield from _constants((node.body, node.orelse))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
