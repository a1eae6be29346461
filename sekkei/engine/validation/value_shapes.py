"""The shape of DynamoDB's own type: values whose lists and maps hold further values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekkei.engine.validation.shapes import (
    DYNAMODB_CLASS,
    STRUCTURE_NOT_EXPECTED,
    Blob,
    Boolean,
    List,
    Map,
    Shape,
    String,
    encodable,
)
from sekkei.errors import SerializationException

# The reader stops looking this deep; the rule about nesting levels then speaks.
DEPTH_MAX = 33

_BOOLEAN = Boolean()
_STRING = String()
_BLOB = Blob()


class _Set(List):
    """A set keeps a null that it is given, for the rules on values to refuse it."""

    def read(self, value: Any, *, element: bool = False) -> list[Any]:
        if not isinstance(value, list | tuple):
            return super().read(value)
        return [None if member is None else self.member.read(member, element=True) for member in value]


_SCALARS: dict[str, Shape] = {
    "S": _STRING,
    "N": _STRING,
    "B": _BLOB,
    "BOOL": _BOOLEAN,
    "NULL": _BOOLEAN,
    "SS": _Set(_STRING),
    "NS": _Set(_STRING),
    "BS": _Set(_BLOB),
}
_SCALAR_FINE = {kind: shape.fine for kind, shape in _SCALARS.items()}


def _value_fine(value: Any, depth: int = 1) -> bool:
    if type(value) is not dict or len(value) != 1:
        return False
    for kind, content in value.items():
        predicate = _SCALAR_FINE.get(kind)
        if predicate is not None:
            return predicate(content)
        if depth == DEPTH_MAX:
            return False
        if kind == "M":
            return type(content) is dict and all(
                type(name) is str and encodable(name) and _value_fine(child, depth + 1)
                for name, child in content.items()
            )
        if kind == "L":
            return type(content) is list and all(_value_fine(child, depth + 1) for child in content)
    return False


def _item_fine(entries: Any) -> bool:
    """A map of values, the most frequent kind of value checked on the spot."""
    if type(entries) is not dict:
        return False
    for name, value in entries.items():
        if type(value) is not dict or len(value) != 1 or type(name) is not str:
            return False
        if not name.isascii() and not encodable(name):
            return False
        text = value.get("S")
        if type(text) is str:
            if not text.isascii() and not encodable(text):
                return False
        elif not _value_fine(value):
            return False
    return True


class AttributeValue(Shape):
    """DynamoDB's own type: a structure whose L and M hold further ones."""

    java = DYNAMODB_CLASS + "AttributeValue"
    may_be_null = True

    def __init__(self) -> None:
        self.fine = _value_fine

    def read(self, value: Any, *, element: bool = False) -> dict[str, Any]:
        return self._read(value, element, 1)

    def absent(self) -> dict[str, Any]:
        return {}

    def _read(self, value: Any, element: bool, depth: int) -> dict[str, Any]:
        if isinstance(value, list | tuple):
            raise SerializationException(f"Unrecognized collection type class {self.java}")
        if not isinstance(value, Mapping):
            raise SerializationException("Unexpected value type in payload" if element else "Unexpected field type")
        return {
            kind: self._read_content(kind, content, depth)
            for kind, content in value.items()
            if content is not None and (kind in _SCALARS or kind in ("L", "M"))
        }

    def _read_content(self, kind: str, content: Any, depth: int) -> Any:
        if kind in _SCALARS:
            return _SCALARS[kind].read(content)
        if kind == "L":
            if isinstance(content, Mapping):
                raise SerializationException(STRUCTURE_NOT_EXPECTED)
            if not isinstance(content, list | tuple):
                raise SerializationException("Unexpected field type")
            if depth == DEPTH_MAX:
                return [{}] if content else []
            return [{} if child is None else self._read(child, True, depth + 1) for child in content]
        if isinstance(content, list | tuple):
            raise SerializationException(f"Unrecognized collection type java.util.Map<java.lang.String, {self.java}>")
        if not isinstance(content, Mapping):
            raise SerializationException("Unexpected field type")
        if depth == DEPTH_MAX:
            return {"": {}} if content else {}
        return {
            _STRING.read(name): {} if child is None else self._read(child, True, depth + 1)
            for name, child in content.items()
        }

    def shown(self, value: dict[str, Any]) -> str:
        kinds = {"S": "s", "N": "n", "B": "b", "SS": "sS", "NS": "nS", "BS": "bS", "M": "m", "L": "l"}
        kinds |= {"NULL": "nULL", "BOOL": "bOOL"}
        return "AttributeValue(" + ", ".join(f"{kinds[k]}={value.get(k, 'null')}" for k in kinds) + ")"


class Item(Map):
    """Values by attribute: an item, a key, ExpressionAttributeValues."""

    def __init__(self) -> None:
        super().__init__(AttributeValue())
        self.fine = _item_fine
