"""Which attributes hold a person's data or a secret, told by their names, in the table or in the design."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from sekkei.design import Table

COVER = "••••••"
_PERSONAL = """
    email mail phone telephone tel mobile fax address addresses street postal postcode zip zipcode birth birthday
    birthdate dob gender password passwd secret token tokens credential hash digest salt signature ssn passport
    licence license card iban ip kana realname fullname firstname lastname surname
"""
PERSONAL = frozenset(_PERSONAL.split())
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def is_personal(name: str) -> bool:
    """Does an attribute's name speak of a person's data or of a secret?"""
    words = [word.lower() for word in _WORDS.findall(name)]
    return not PERSONAL.isdisjoint((*words, "".join(words), *map("".join, pairwise(words))))


def covered_names(names: Iterable[str], table: Table | None) -> frozenset[str]:
    """The stored names that are covered. Keys are not: without them nothing could be found."""
    found = {name for name in names if is_personal(name)}
    if table is not None:
        keys = {*table.key_attributes, *(name for index in table.indexes.values() for name in index.attributes)}
        fields = (field for entity in table.entities for field in entity.model.by_stored.values())
        found |= {field.stored for field in fields if is_personal(field.name)}
        found -= keys
    return frozenset(found)


def covered(item: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """The item with the values of these attributes covered, and what is personal inside of others."""
    return {name: {"S": COVER} if name in names else covered_within(value) for name, value in item.items()}


def covered_within(value: Mapping[str, Any]) -> dict[str, Any]:
    """A stored value in which the personal entries of maps are covered, however deep they lie."""
    ((kind, inside),) = value.items()
    if kind == "M":
        return {"M": {name: {"S": COVER} if is_personal(name) else covered_within(one) for name, one in inside.items()}}
    return {"L": [covered_within(one) for one in inside]} if kind == "L" else dict(value)


def holders(item: Mapping[str, Any]) -> frozenset[str]:
    """The attributes that hold something personal inside."""
    return frozenset(name for name, value in item.items() if covered_within(value) != value)
