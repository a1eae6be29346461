"""What was found of a table, and of its entities where the source names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sekkei.publish.importing.given import Given, NotUnderstood

Item = Mapping[str, Mapping[str, Any]]
_KEY_TYPES = ("S", "N", "B")
VALUES: dict[str, type] = {"S": str, "N": str, "B": str, "BOOL": bool, "NULL": bool, "L": list, "M": dict}
VALUES |= {"SS": list, "NS": list, "BS": list}
_NUMBER = re.compile(r"[-+]?([0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})([eE][-+]?[0-9]{1,3})?\Z")
_BASE64 = re.compile(r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\Z")
_FORMS = {"N": _NUMBER, "NS": _NUMBER, "B": _BASE64, "BS": _BASE64}
SAMPLE_MAX = 1_000
"""Rows of one table from a file; more of them tell no more of the keys' forms."""


@dataclass
class Entity:
    name: str
    keys: tuple[str, ...]
    """A template for each half of the key."""
    parts: list[str]
    kind: str | None
    attributes: dict[str, str]


@dataclass
class Found:
    """One table, as far as it is known."""

    name: str
    keys: tuple[str, ...]
    types: dict[str, str]
    indexes: list[dict[str, Any]] = field(default_factory=list)
    ttl: str | None = None
    stream: str | None = None
    pitr: bool = False
    protected: bool = False
    capacity: tuple[int, int] | None = None
    warm: tuple[int, int] | None = None
    tags: dict[str, str] = field(default_factory=dict)
    insights: bool = False
    items: list[Item] = field(default_factory=list)
    discriminator: str | None = None
    given: list[Entity] = field(default_factory=list)
    """Entities that the source names itself, so that none has to be guessed."""
    notes: list[str] = field(default_factory=list)
    """What whoever reads the design should know."""


def ours(tag: str) -> bool:
    """Tags that AWS and publish put there by themselves are no part of a design."""
    return not tag.startswith(("aws:", "sekkei:"))


def projection(kind: Given, others: Given) -> str | tuple[str, ...]:
    """ALL, KEYS_ONLY, or what is kept beside the keys."""
    said = kind.text("ALL")
    if said == "INCLUDE":
        return tuple(dict.fromkeys(one.text() for one in others.each()))
    if said not in ("ALL", "KEYS_ONLY"):
        raise kind.wrong("ALL, KEYS_ONLY or INCLUDE")
    return said


def attribute_types(pairs: Iterable[tuple[Given, Given]]) -> dict[str, str]:
    """By name; only what a key may be."""
    found: dict[str, str] = {}
    for name, kind in pairs:
        if kind.text() not in _KEY_TYPES:
            raise kind.wrong("S, N or B")
        found[name.text()] = kind.text()
    return found


def add_rows(found: Found, rows: list[Given]) -> None:
    """Sample items, as DynamoDB writes them; each has the table's key."""
    filled = [row for row in rows if row.content]
    if len(filled) > SAMPLE_MAX:
        found.notes.append(f"Entities are proposed from the first {SAMPLE_MAX:,} of {len(filled):,} rows.")
    for row in filled[:SAMPLE_MAX]:
        for name, value in row.entries():
            _check_value(name, value)
        for key in found.keys:
            if next(iter(row.at(key).content or {"": ""})) != found.types.get(key, "S"):
                raise NotUnderstood(f"{row.place} has no {key} of the type {found.types.get(key, 'S')}, the key.")
        found.items.append(row.content)


def _check_value(name: str, value: Given) -> None:
    content = value.content
    if not name:
        raise NotUnderstood(f"{value.place} is an attribute without a name.")
    if not isinstance(content, Mapping) or len(content) != 1:
        raise value.wrong('a value such as {"S": "text"}')
    ((kind, inside),) = content.items()
    if not isinstance(inside, VALUES.get(kind, ())):
        raise value.wrong('a value such as {"S": "text"}')
    if kind == "L":
        for one in value.at("L").each():
            _check_value("in a list", one)
    elif kind == "M":
        for inner, one in value.at("M").entries():
            _check_value(inner or "in a map", one)
    elif kind in _FORMS or kind == "SS":
        for one in value.at(kind).each() if isinstance(inside, list) else [value.at(kind)]:
            if not isinstance(one.content, str) or not _FORMS.get(kind, re.compile("")).match(one.content):
                raise one.wrong("a number, as text" if "N" in kind else "Base64" if "B" in kind else "a text")
