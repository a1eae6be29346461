"""Names out of any text: identifiers that nothing else in the design has."""

from __future__ import annotations

import re
from collections.abc import Iterable
from keyword import iskeyword

from sekkei.kit.text import half_width

_MADE = ("Attr", "Capacity", "Design", "Index", "Key", "LocalIndex", "attr", "model", "part")
TAKEN = frozenset({*_MADE, "Any", "Decimal", "annotations", "design", "self"})
TAKEN |= {"str", "bytes", "bool", "list", "dict", "frozenset"}
"""What the written module itself means by these."""
LONGEST = 60


def identifier(text: str) -> str:
    """`GSI1 (PK)` is gsi1_pk."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", half_width(text))
    lower = half_width(snake.lower())
    clean = re.sub(
        "_+", "_", "".join(one if re.match(r"\w", one) and f"a{one}".isidentifier() else "_" for one in lower)
    ).strip("_")[:LONGEST]
    clean = clean.rstrip("_")
    if iskeyword(clean):
        return f"{clean}_"
    return clean if clean.isidentifier() else f"x_{clean}".rstrip("_")


def class_name(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_")) or "Item"


def unique(name: str, taken: Iterable[str]) -> str:
    known, number, found = set(taken), 2, name
    while found in known:
        found = f"{name}_{number}"
        number += 1
    return found
