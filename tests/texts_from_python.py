"""Writes a package's `texts/` out of the Python that held its texts before. Goes when every system has moved.

`python -m tests.texts_from_python sekkei_systems.tasks sekkei_systems.tasks.texts:TEXTS`

Further arguments are tables `module:NAME` (key to {"ja", "en"} or to a pair) with an optional section to put before
their keys, `module:NAME=bot`. The words of every refusal in the package go to `[refusal]`. It writes `texts_new/`;
rename it when `texts.py` is gone.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sekkei.runtime.refusals import Refusal
from sekkei.texts import LANGUAGES, kebab

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_INIT = '''"""The texts of this system."""

from __future__ import annotations

from sekkei.texts import Texts
from {package}.texts.keys import Key

say: Texts[Key] = Texts.load("{package}")
t = say.here
'''


def main(package: str, *tables: str) -> None:
    found: dict[str, Mapping[str, Any]] = {}
    for each in tables:
        place, _, section = each.partition("=")
        module, _, name = place.partition(":")
        for key, entry in getattr(importlib.import_module(module), name).items():
            both = entry if isinstance(entry, Mapping) else dict(zip(LANGUAGES, entry, strict=True))
            found[f"{section}.{key}" if section else key] = both
    found |= {f"refusal.{kebab(kind.__name__)}": kind.__dict__["words"] for kind in _refusals(package)}
    folder = Path(importlib.import_module(package).__file__ or "").parent / "texts_new"
    folder.mkdir(exist_ok=True)
    for language in LANGUAGES:
        (folder / f"{language}.toml").write_text(document({key: found[key][language] for key in found}), "utf-8")
    (folder / "__init__.py").write_text(_INIT.format(package=package), "utf-8")


def _refusals(package: str) -> Iterator[type[Refusal]]:
    module = importlib.import_module(package)
    for info in pkgutil.walk_packages(module.__path__, f"{package}."):
        importlib.import_module(info.name)
    waiting = [Refusal]
    seen: set[type[Refusal]] = set()
    while waiting:
        kind = waiting.pop(0)
        if kind in seen:
            continue
        seen.add(kind)
        waiting += kind.__subclasses__()
        if kind.__module__.startswith(f"{package}.") and "words" in kind.__dict__:
            yield kind


def document(texts: Mapping[str, Any]) -> str:
    sections: dict[str, list[str]] = {}
    for key, text in texts.items():
        section, dot, rest = key.partition(".")
        name = rest if dot else key
        sections.setdefault(section if dot else "", []).append(f"{_name(name)} = {_value(text)}")
    plain = "\n".join(sections.pop("", []))
    blocks = [f"[{_name(name)}]\n" + "\n".join(lines) for name, lines in sections.items()]
    return "\n\n".join([*([plain] if plain else []), *blocks]) + "\n"


def _name(name: str) -> str:
    return name if _BARE.fullmatch(name) else f'"{name}"'


def _value(text: Any) -> str:
    if not isinstance(text, str):
        return "{ " + ", ".join(f"{form} = {_value(one)}" for form, one in text.items()) + " }"
    escaped = text.replace("\\", "\\\\")
    if "\n" in text:
        return '"""\n' + escaped.replace('"""', '\\"""') + '"""'
    return '"' + escaped.replace('"', '\\"') + '"'


if __name__ == "__main__":
    main(*sys.argv[1:])
