"""Content that somebody else wrote, asked for by place: what is missing there, or something else, is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DEPTH_MAX = 100
PARTS_MAX = 1_000_000
"""Of what a file holds, whatever it is. References in YAML count each time."""
_KINDS = {str: "text", bool: "true or false", int: "number", float: "number", list: "list", dict: "object"}


class NotUnderstood(ValueError):
    """The file has no table that could be read; the text says what was looked for."""


@dataclass(frozen=True, slots=True)
class Given:
    """A part of the content, and where it stands."""

    content: Any
    place: str = ""

    @property
    def known(self) -> bool:
        return self.content is not None

    def has(self, name: str) -> bool:
        """Is it an object with this? Never raises, so that kinds of files can be told apart."""
        return isinstance(self.content, Mapping) and self.content.get(name) is not None

    def at(self, *names: str) -> Given:
        """What stands there; unknown when it does not."""
        found = self
        for name in names:
            found = Given(found._mapping().get(name), f"{found.place}.{name}".lstrip("."))
        return found

    def entries(self) -> list[tuple[str, Given]]:
        return [(str(name), Given(one, f"{self.place}.{name}".lstrip("."))) for name, one in self._mapping().items()]

    def each(self) -> list[Given]:
        """The members of a list; none when there is no list."""
        if self.content is None:
            return []
        if not isinstance(self.content, list):
            raise self.wrong("a list")
        return [Given(one, f"{self.place}[{number}]") for number, one in enumerate(self.content)]

    def blocks(self) -> list[Given]:
        """One object, or a list of them."""
        return [self] if isinstance(self.content, Mapping) else self.each()

    def text(self, default: str | None = None) -> str:
        if self.content in (None, "") and default is not None:
            return default
        if not isinstance(self.content, str) or not self.content:
            raise self.wrong("a text")
        return self.content

    def number(self) -> int:
        content = self.content
        if isinstance(content, str) and content.isascii() and content.isdigit() and len(content) < 19:
            content = int(content)
        if isinstance(content, bool) or not isinstance(content, int):
            raise self.wrong("a whole number")
        return content

    def flag(self, default: bool = False) -> bool:
        content = self.content
        if content is None:
            return default
        if isinstance(content, str) and content.lower() in ("true", "false"):
            return content.lower() == "true"
        if not isinstance(content, bool):
            raise self.wrong("true or false")
        return content

    def wrong(self, wanted: str) -> NotUnderstood:
        kind = _KINDS.get(type(self.content))
        found = "nothing is there" if self.content is None else f"it is {'an' if kind == 'object' else 'a'} {kind}"
        if kind == "true or false" or kind is None:
            found = found if self.content is None else f"it is {self.content!r:.40}"
        if self.content == "":
            found = "it is empty"
        return NotUnderstood(f"{self.place or 'The file'} should be {wanted}, but {found}.")

    def _mapping(self) -> Mapping[Any, Any]:
        if self.content is None:
            return {}
        if not isinstance(self.content, Mapping):
            raise self.wrong("an object")
        return self.content


def check_extent(content: Any) -> None:
    """Refuse what is nested without end or too large, and text that cannot be written."""
    waiting, seen = [(content, 0)], 0
    while waiting:
        part, depth = waiting.pop()
        seen += 1
        if depth > DEPTH_MAX:
            raise NotUnderstood(f"It is nested more than {DEPTH_MAX} deep, which no description of tables is.")
        if seen > PARTS_MAX:
            raise NotUnderstood(f"It has more than {PARTS_MAX:,} parts; give a file with the tables alone.")
        if isinstance(part, Mapping):
            waiting += [(one, depth + 1) for pair in part.items() for one in pair]
        elif isinstance(part, list | tuple):
            waiting += [(one, depth + 1) for one in part]
        elif isinstance(part, str) and not _writable(part):
            raise NotUnderstood(f"It has a text that is no Unicode: {part!r:.60}.")


def _writable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
