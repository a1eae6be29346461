"""Entities of a table, proposed from the forms of keys in its items: `USER#17` and `USER#23` are `USER#{user_id}`."""

from __future__ import annotations

import re

from sekkei.publish.importing.found import Entity, Found, Item
from sekkei.publish.importing.names import TAKEN, identifier, unique

_DISCRIMINATORS = ("type", "entityType", "entity_type", "__edb_e__", "_type", "kind", "EntityType", "Type")
_MIXED = "mixed"
"""The type of an attribute that is not the same in all items."""
_PREFIX = re.compile(r"[A-Za-z_]+(?=#)")
Form = tuple[str, ...]
"""The type, and the form of each half of the key."""


def discriminator_of(table: Found) -> str | None:
    """The one that is named; or an attribute by a usual name that items have as a text, and that is no key."""
    if table.discriminator is not None:
        return table.discriminator
    keys = {*table.keys, *(name for index in table.indexes for name in (*index["pk"], *index["sk"]))}
    usual = [name for name in _DISCRIMINATORS if name not in keys]
    for tells in (_every_item_has, _most_items_need):
        for name in usual:
            if table.items and tells(table, name):
                return name
    return None


def typed(table: Found, discriminator: str | None) -> list[Item]:
    """Items that say of which type they are; all of them where nothing says so."""
    return [item for item in table.items if discriminator is None or _type(item, discriminator)]


def _type(item: Item, discriminator: str) -> str:
    return str(item.get(discriminator, {}).get("S", ""))


def _every_item_has(table: Found, name: str) -> bool:
    return len(typed(table, name)) == len(table.items)


def _most_items_need(table: Found, name: str) -> bool:
    """Keys do not tell types apart, and items without one are exceptions among their like, no kind of their own."""
    if len(typed(table, name)) * 2 <= len(table.items):
        return False
    kinds = [{_type(item, name) for item in items} for items in _groups(table, None).values()]
    return all(each - {""} for each in kinds) and any(len(each - {""}) > 1 for each in kinds)


def entities(table: Found, discriminator: str | None) -> list[Entity]:
    """Items of one form of key (and one type) are one entity; without items, one for the table."""
    if table.given:
        return _completed(table, table.given, discriminator)
    names: set[str] = set()
    found = [_entity(table, form, items, discriminator, names) for form, items in _groups(table, discriminator).items()]
    return _completed(table, found, discriminator)


def _groups(table: Found, discriminator: str | None) -> dict[Form, list[Item]]:
    waiting: dict[Form, list[Item]] = {}
    composed = {name for name in table.keys if any("#" in item.get(name, {}).get("S", "") for item in table.items)}
    for item in typed(table, discriminator):
        kind = _type(item, discriminator or "")
        forms = (_form(item, name, name in composed, table.types.get(name, "S")) for name in table.keys)
        waiting.setdefault((kind, *forms), []).append(item)
    groups: dict[Form, list[Item]] = {}
    while waiting:
        form = next(iter(waiting))
        items = waiting.pop(form)
        other = next((each for each in groups if _alike(each, form)), None)
        if other is None:
            groups[form] = items
        else:  # and what both are together may be like a third
            items = groups.pop(other) + items
            waiting = {_both(other, form): items + waiting.pop(_both(other, form), []), **waiting}
    return groups or {("", *("{}" for _ in table.keys)): []}


def _completed(table: Found, found: list[Entity], discriminator: str | None) -> list[Entity]:
    """Every attribute that the table speaks of belongs to some entity."""
    seen = {stored for entity in found for stored in entity.attributes} | {*table.keys, discriminator}
    for stored in _needed(table):
        if stored not in seen:
            found[0].attributes[stored] = "N" if stored == table.ttl else table.types.get(stored, "S")
    return found


def _needed(table: Found) -> list[str]:
    """What indexes and the time to live speak of, whether or not an item has it."""
    named = [name for index in table.indexes for name in (*index["pk"], *index["sk"])]
    for index in table.indexes:
        named += index["projection"] if isinstance(index["projection"], tuple) else ()
    return list(dict.fromkeys([*named, *([table.ttl] if table.ttl else [])]))


def _alike(one: Form, other: Form) -> bool:
    """Could an item be read as either? `COUNTER#{}` and `COUNTER#ALL` of one type are alike, and `{}` is like all."""
    return one[0] == other[0] and all(map(_halves_alike, one[1:], other[1:]))


def _halves_alike(one: str, other: str) -> bool:
    if "{}" in (one, other):
        return True
    pieces, others = one.split("#"), other.split("#")
    return len(pieces) == len(others) and all(map(_pieces_alike, pieces, others))


def _pieces_alike(one: str, other: str) -> bool:
    """A part is never empty, so nothing between two # is only like nothing."""
    return one == other or ("{}" in (one, other) and "" not in (one, other))


def _both(one: Form, other: Form) -> Form:
    """The form that has a part wherever the two differ."""
    return (one[0], *map(_half_of_both, one[1:], other[1:]))


def _half_of_both(one: str, other: str) -> str:
    pieces, others = one.split("#"), other.split("#")
    if len(pieces) != len(others):
        return "{}"
    return "#".join(a if a == b else "{}" for a, b in zip(pieces, others, strict=True))


def _form(item: Item, name: str, composed: bool, kind: str) -> str:
    """`TEAM#1#TASK#2` is `TEAM#{}#TASK#{}`; a key that is no text is one part."""
    text = item.get(name, {}).get("S")
    if text is None or kind != "S":
        return "{}"
    literal = r"[A-Z][A-Z_]*|" if composed else ""
    pieces = [piece if composed and re.fullmatch(literal, piece) else "{}" for piece in text.split("#")]
    return "#".join(pieces)


def _entity(table: Found, form: Form, items: list[Item], discriminator: str | None, names: set[str]) -> Entity:
    kind, *forms = form
    keys, parts = [], list[str]()
    for key, half in zip(table.keys, forms, strict=True):
        keys.append(_template(key, half, parts))
    guess = kind or next((word for half in reversed(forms) for word in reversed(_PREFIX.findall(half))), table.name)
    name = unique(identifier(guess.replace("{env}-", "")), names)
    names.add(name)
    return Entity(name, tuple(keys), parts, kind or None, _attributes(table, items, discriminator))


def _template(key: str, half: str, parts: list[str]) -> str:
    """One half of a key with its parts named, which are added to `parts`."""
    text, last = "", ""
    for piece in re.split(r"(\{\})", half):
        if piece == "{}":
            part = unique(identifier(last or key), (*TAKEN, *parts))
            parts.append(part)
            text += f"{{{part}}}"
        else:
            text += piece
            words = _PREFIX.findall(piece)
            last = f"{words[-1]}_id" if words else last
    return text


def _attributes(table: Found, items: list[Item], discriminator: str | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in items:
        for stored, value in item.items():
            if stored not in table.keys and stored != discriminator:
                kind = next(iter(value))
                found[stored] = kind if found.get(stored, kind) == kind else _MIXED
    return found
