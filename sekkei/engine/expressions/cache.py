"""Expressions are read once: programs send the same few texts again and again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import Generic, Protocol, TypeVar

TEXTS_MAX = 512
RESOLVED_MAX = 1024
NAMES_LENGTH_MAX = 8192
"""Names longer than this together are not kept: they would fill memory."""

NO_NAMES: Mapping[str, str] = {}


class Template(Hashable, Protocol):
    """An expression whose syntax is known to be good and whose #placeholders are still open."""

    @property
    def placeholders(self) -> tuple[str, ...]: ...


T = TypeVar("T", bound=Template)
R = TypeVar("R")


class Cache(Generic[T, R]):
    """Templates by text, and what they become by the names their placeholders stand for."""

    def __init__(self, read: Callable[[str, str], T], resolve: Callable[[T, Mapping[str, str]], R]) -> None:
        def resolved(template: T, names: tuple[str | None, ...]) -> R:
            return resolve(
                template, {p: name for p, name in zip(template.placeholders, names, strict=True) if name is not None}
            )

        self._read = lru_cache(TEXTS_MAX)(read)
        self._resolve = resolved
        self._resolved = lru_cache(RESOLVED_MAX)(resolved)

    def get(self, parameter: str, text: str, names: Mapping[str, str] | None) -> R:
        template = self._read(parameter, text)
        placeholders = template.placeholders
        if not placeholders:
            return self._resolved(template, ())
        given = names or NO_NAMES
        used = tuple([given.get(placeholder) for placeholder in placeholders])
        if None in used or sum(map(len, used)) > NAMES_LENGTH_MAX:  # type: ignore[arg-type]
            return self._resolve(template, used)
        return self._resolved(template, used)
