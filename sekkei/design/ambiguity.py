"""Can two entities be told apart? By their type, or by key attributes whose templates no one text fits both of.

A template is a chain of sets of characters, some of which repeat: `USER#{id}` is `U S E R #` and then anything but `#`,
once or more. Two chains meet when both can be walked to their ends at the same time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

from .codecs import Text
from .errors import DesignError
from .templates import Component, Template

if TYPE_CHECKING:
    from .entity import Entity
    from .table import Table
    from .views import View

_ATOM = r"(?s)(\\d|\[\^\\?.\]|\\.|.)(\{\d+\}|\+|\?)?"


class _Atom(NamedTuple):
    """One set of characters: a single one, the digits, everything but one, or everything."""

    kind: str  # "one", "digit", "not" or "any"
    character: str = ""
    repeats: bool = False
    optional: bool = False

    def meets(self, other: _Atom) -> bool:
        if self.kind == "one":
            return other.holds(self.character)
        if other.kind == "one":
            return self.holds(other.character)
        return True  # every set of more than one character holds digits

    def holds(self, character: str) -> bool:
        if self.kind == "digit":
            return character.isdigit()
        return self.kind == "any" or (character == self.character) is (self.kind == "one")


_Chain = tuple[_Atom, ...]


def _chain(pattern: str) -> _Chain:
    """The chain of a regular expression of the simple sort that codecs use."""
    found: list[_Atom] = []
    for text, count in re.findall(_ATOM, pattern):
        if text == r"\d":
            atom = _Atom("digit")
        elif text.startswith("[^"):
            atom = _Atom("not", text[-2])
        else:
            atom = _Atom("one", text[-1])
        times = int(count[1:-1]) if count.startswith("{") else 1
        found += [atom._replace(repeats=count == "+", optional=count == "?")] * times
    return tuple(found)


def _alternatives(piece: str | Component, whole: bool) -> list[_Chain]:
    if isinstance(piece, str):
        return [tuple(_Atom("one", character) for character in piece)]
    if whole and type(piece.codec) is Text and piece.field.form is None:
        return [(_Atom("any", repeats=True),)]
    return [_chain(pattern) for pattern in re.split(r"(?<!\\)\|", piece.pattern)]


def _chains(template: Template) -> Iterator[_Chain]:
    for choice in product(*(_alternatives(piece, template.whole) for piece in template.pieces)):
        yield tuple(atom for chain in choice for atom in chain)


def overlap(first: Template, second: Template) -> bool:
    """Is there a stored key attribute that fits both?"""
    if first.kind != second.kind:
        return False
    if first.kind != "S":
        return True
    return any(_meet(one, other) for one in _chains(first) for other in _chains(second))


def _meet(one: _Chain, other: _Chain) -> bool:
    waiting, seen = [(0, 0)], {(0, 0)}
    while waiting:
        i, j = waiting.pop()
        if i == len(one) and j == len(other):
            return True
        for place in _next(one, other, i, j):
            if place not in seen:
                seen.add(place)
                waiting.append(place)
    return False


def _next(one: _Chain, other: _Chain, i: int, j: int) -> Iterator[tuple[int, int]]:
    if i < len(one) and one[i].optional:
        yield i + 1, j
    if j < len(other) and other[j].optional:
        yield i, j + 1
    if i == len(one) or j == len(other) or not one[i].meets(other[j]):
        return
    yield i + 1, j + 1
    if one[i].repeats:
        yield i, j + 1
    if other[j].repeats:
        yield i + 1, j


def _are_apart(first: Entity[..., Any], second: Entity[..., Any], names: Iterable[str]) -> bool:
    """Is one of these key attributes never the same for both? One that an entity lacks keeps it out of the index."""
    return any(
        not any(overlap(one, other) for one in first.templates_for(name) for other in second.templates_for(name))
        for name in names
    )


def mingles(entity: Entity[..., Any]) -> bool:
    """May an item of another type have a key of this entity's? Then writes ask for the type as well."""
    return any(
        other.type != entity.type and not _are_apart(entity, other, entity.table.key_attributes)
        for other in entity.table.entities
    )


def check_table(table: Table) -> None:
    """Entities of one type (or of a table without types) need keys of different forms."""
    for first, second in combinations(table.entities, 2):
        if first.type == second.type and not _are_apart(first, second, table.key_attributes):
            what = "have one type" if first.type is not None else "have no type"
            raise DesignError(
                "SK150",
                f"{first.name} and {second.name} of table {table.name} {what} and keys that may look alike, so an item "
                f"could be read as either. Begin their keys with different constants, or give the table a "
                "discriminator and each entity its own type=...",
            )


def check_view(view: View[Any]) -> None:
    """An index that does not hold the discriminator must tell entities apart by its keys, or say that one is alone."""
    table, index = view.table, view.index
    if index is None or view.alone or view.typed:
        return
    names = tuple(dict.fromkeys((*table.key_attributes, *index.attributes)))
    for other in table.entities:
        if other is not view.entity and not _are_apart(view.entity, other, names):
            first, second = sorted((view.entity, other), key=table.entities.index)
            raise DesignError(
                "SK151",
                f"index {index.name} of table {table.name} does not hold {table.discriminator!r}, and the keys of "
                f"{first.name} and {second.name} may look alike there, so an item could be read as either. Project "
                f"{table.discriminator!r}, give the keys different forms, or say why there are no others: "
                f"{view.entity.name}.index({index.name!r}, ..., alone='...').",
            )


def check_stream(table: Table) -> None:
    """A stream of keys carries no type."""
    if table.stream != "KEYS_ONLY":
        return
    for first, second in combinations(table.entities, 2):
        if not _are_apart(first, second, table.key_attributes):
            raise DesignError(
                "SK151",
                f"the stream of table {table.name} carries keys only, and those of {first.name} and {second.name} may "
                "look alike, so a change could be read as either's. Give the stream an image, or the keys different "
                "forms.",
            )
