"""A second opinion on conditions and updates: slow, plain, and written on Python's own values."""

from __future__ import annotations

import base64
import copy
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

MISSING = object()


def native(value: Any) -> tuple[str, Any]:
    """A wire value as (type, something Python compares by itself)."""
    kind, content = next(iter(value.items()))
    if kind == "N":
        return kind, Decimal(content)
    if kind == "B":
        return kind, base64.b64decode(content)
    if kind in ("SS", "NS", "BS"):
        return kind, frozenset(native({kind[0]: member}) for member in content)
    if kind == "L":
        return kind, tuple(native(member) for member in content)
    if kind == "M":
        return kind, frozenset((name, native(member)) for name, member in content.items())
    return kind, content


@dataclass
class Operand:
    """A path, a value or the size of one of them, with the text that stands for it."""

    text: str
    path: tuple[str | int, ...] = ()
    value: Any = None
    is_size: bool = False

    def on(self, item: Any) -> Any:
        found = self.value if self.value is not None else lookup(item, self.path)
        if found is MISSING or not self.is_size:
            return found
        kind, content = next(iter(found.items()))
        if kind in ("N", "BOOL", "NULL"):
            return MISSING
        if kind == "S":
            return {"N": str(len(content) + sum(ord(character) > 0xFFFF for character in content))}
        return {"N": str(len(base64.b64decode(content) if kind == "B" else content))}


def lookup(item: Any, path: tuple[str | int, ...]) -> Any:
    value = {"M": item}
    for step in path:
        try:
            value = value["L" if isinstance(step, int) else "M"][step]
        except (KeyError, IndexError):
            return MISSING
    return value


def compare(operator: str, operands: list[Any]) -> bool:
    """One condition on operands that may be MISSING."""
    found = [None if operand is MISSING else native(operand) for operand in operands]
    first = found[0]
    if operator == "<>":
        return first is None or found[1] is None or first != found[1]
    if operator == "IN":
        return first is not None and first in found[1:]
    if first is None or None in found:
        return False
    kinds = {kind for kind, _ in found}  # type: ignore[misc]
    contents = [content for _, content in found]  # type: ignore[misc]
    if operator == "=":
        return bool(first == found[1])
    if operator == "contains":
        return _contains(found[0], found[1])
    if operator == "begins_with":
        return len(kinds) == 1 and kinds <= {"S", "B"} and contents[0].startswith(contents[1])
    if len(kinds) > 1 or not kinds <= {"S", "N", "B"}:
        return False
    if kinds == {"S"}:
        contents = [content.encode() for content in contents]
    a, b = contents[:2]
    if operator == "BETWEEN":
        return bool(b <= a <= contents[2])
    return bool({"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator])


def _contains(container: Any, element: Any) -> bool:
    kind, content = container
    if kind in ("S", "B"):
        return element[0] == kind and element[1] in content
    if kind in ("SS", "NS", "BS", "L"):
        return element in content
    return False


class Hole:
    """Where a list element was removed, until the whole update is done."""


def update(item: Any, actions: list[tuple[str, tuple[str | int, ...], Any]]) -> Any:
    """The item after SET, REMOVE, ADD and DELETE, or None where a path leads nowhere or a type is wrong."""
    new = copy.deepcopy(item)
    appended: list[tuple[list[Any], int, Any]] = []
    for section, path, value in actions:
        parent = lookup(item, path[:-1])
        last = path[-1]
        kind = "L" if isinstance(last, int) else "M"
        if parent is MISSING or kind not in parent:
            return None
        old = lookup(item, path)
        result = _result(section, old, value)
        if result is None:
            return None
        place = lookup(new, path[:-1])[kind]
        if isinstance(last, int) and last >= len(parent["L"]):
            if result is not MISSING:
                appended.append((place, last, result))
        elif result is not MISSING:
            place[last] = copy.deepcopy(result)
        elif isinstance(last, int):
            place[last] = Hole()
        else:
            place.pop(last, None)
    for place, _, value in sorted(appended, key=lambda entry: entry[1]):
        place.append(copy.deepcopy(value))
    return _without_holes(new)


def _result(section: str, old: Any, value: Any) -> Any:
    """What stands at the path afterwards: MISSING for nothing, None for an error."""
    if section == "SET":
        return value
    if section == "REMOVE":
        return MISSING
    kind, content = next(iter(value.items()))
    if old is MISSING:
        return value if section == "ADD" else MISSING
    if kind not in old:
        return None
    if kind == "N":
        return {"N": str(int(old["N"]) + int(content))}
    if section == "ADD":
        union = old[kind] + [member for member in content if member not in old[kind]]
        return {kind: sorted(union) if kind == "SS" else union}
    left = [member for member in old[kind] if member not in content]
    return {kind: left} if left else MISSING


def _without_holes(document: Any) -> Any:
    if isinstance(document, dict):
        return {name: _without_holes(value) for name, value in document.items()}
    if isinstance(document, list):
        return [_without_holes(value) for value in document if not isinstance(value, Hole)]
    return document
