"""AttributeValues in their wire form: checked, normalised, measured, compared.

An AttributeValue is a dict with one entry, its type: `{"S": "text"}`, `{"N": "12.5"}`, `{"SS": ["a", "b"]}`. It stays
in this form from the wire to the file, so that an item can be stored as the very bytes a read returns.
"""

from __future__ import annotations

import base64
import binascii
from decimal import Decimal
from typing import Any

from sekkei.engine.items import numbers
from sekkei.errors import ValidationException

AttributeValue = dict[str, Any]
Item = dict[str, AttributeValue]

ITEM_BYTES_MAX = 400 * 1024
DEPTH_MAX = 32
_NAME_BYTES_MAX = 65_535
TYPES = frozenset({"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"})

_INVALID = "One or more parameter values were invalid: "
_EMPTY_SET = {
    "SS": "An string set  may not be empty",
    "NS": "An number set  may not be empty",
    "BS": "Binary sets should not be empty",
}
_NULL_IN_SET = {
    "SS": "An string set may not have a null string as a member",
    "NS": "An number set may not have a null string as a member",
    "BS": "Binary sets may not contain null values",
}


def type_of(value: AttributeValue) -> str:
    return next(iter(value))


def normalised_item(item: dict[str, Any]) -> Item:
    """Every value checked and normalised, in a new dict."""
    for name, value in item.items():
        if len(value) != 1 or type(value.get("S")) is not str or not 0 < len(name) < 16_384:
            return measured_item(item)[0]
    # Texts alone, as most keys are: they are normal as they came.
    return item.copy()


def measured_item(item: dict[str, Any]) -> tuple[Item, int]:
    """Every value checked and normalised, in a new dict, and the bytes that DynamoDB counts for it."""
    result = item.copy()
    total = 0
    for name, value in item.items():
        if not 0 < len(name) < 16_384:
            check_name(name)
        total += len(name) if name.isascii() else _text_bytes(name)
        text = value.get("S")
        # The commonest value by far takes the short way.
        if type(text) is str and len(value) == 1:
            total += len(text) if text.isascii() else _text_bytes(text)
            continue
        number = value.get("N")
        if type(number) is str and len(value) == 1:
            normal_number = numbers.normalise(number)
            total += numbers.size(normal_number)
            if normal_number != number:
                result[name] = {"N": normal_number}
        else:
            result[name] = normal = normalised(value, 1)
            total += size(normal)
    return result, total


def check_name(name: str) -> None:
    """A name has from 1 to 65,535 bytes."""
    if not name:
        raise ValidationException("Empty attribute name")
    if _text_bytes(name) > _NAME_BYTES_MAX:
        raise ValidationException(f"Attribute name is too large, must be less than {_NAME_BYTES_MAX + 1} bytes")


def normalised(value: dict[str, Any], depth: int = 1) -> AttributeValue:
    """One value checked and normalised: itself when it is so already. The input stays as it was."""
    kind, content = next(iter(value.items()), ("", None))
    if len(value) != 1 or content is None or kind not in TYPES:
        kind, content = _only_entry(value, depth)
        value = {kind: content}
    if kind == "S":
        return value
    if kind == "N":
        number = numbers.normalise(content)
        return value if number == content else {"N": number}
    if kind == "M":
        _check_depth(depth, content)
        return {"M": {name: normalised(child, depth + 1) for name, child in content.items()}}
    if kind == "L":
        _check_depth(depth, content)
        return {"L": [normalised(child, depth + 1) for child in content]}
    if kind == "BOOL":
        return value
    if kind == "NULL":
        if content is not True:
            raise ValidationException(_INVALID + "Null attribute value types must have the value of true")
        return value
    if kind == "B":
        return {"B": _checked_base64(content)}
    return {kind: _normalised_set(kind, content)}


def _only_entry(value: dict[str, Any], depth: int) -> tuple[str, Any]:
    present = [(kind, content) for kind, content in value.items() if content is not None and kind in TYPES]
    if not present:
        raise ValidationException(
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
        )
    if len(present) > 1:
        # What is wrong inside one of them is said before that they are several.
        for kind, content in present:
            normalised({kind: content}, depth)
        raise ValidationException(
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes"
        )
    return present[0]


def _check_depth(depth: int, children: object) -> None:
    if depth >= DEPTH_MAX and children:
        raise ValidationException(
            "Nesting Levels have exceeded supported limits: "
            "Attributes in the item have nested levels beyond supported limit"
        )


def _normalised_set(kind: str, content: list[str]) -> list[str]:
    if not content:
        raise ValidationException(_INVALID + _EMPTY_SET[kind])
    if None in content:
        raise ValidationException(_INVALID + _NULL_IN_SET[kind])
    if kind == "NS":
        members = [numbers.normalise(member) for member in content]
    elif kind == "BS":
        members = [_checked_base64(member) for member in content]
    else:
        members = list(content)
    if len(set(members)) != len(members):
        if kind == "NS":
            raise ValidationException("Input collection contains duplicates")
        shown = ", ".join(content)
        raise ValidationException(
            _INVALID + f"Input collection [{shown}]{'of type BS ' if kind == 'BS' else ' '}contains duplicates."
        )
    return in_order(kind, members)


def in_order(kind: str, members: list[str]) -> list[str]:
    """The members of a set as DynamoDB gives them back: strings in order, the others as they came."""
    if kind == "SS":
        members.sort()
    return members


def _checked_base64(text: str) -> str:
    try:
        decoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ValidationException("Invalid base64 content in a Binary value") from None
    return base64.b64encode(decoded).decode() if len(text) % 4 else text


def binary(text: str) -> bytes:
    """The bytes of a checked B value."""
    return binascii.a2b_base64(text)


def _text_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _base64_bytes(text: str) -> int:
    return len(text) // 4 * 3 - text.endswith("=") - text.endswith("==")


def size(value: AttributeValue) -> int:
    """The bytes DynamoDB counts for a value, its name excluded."""
    ((kind, content),) = value.items()
    if kind == "S":
        return len(content) if content.isascii() else _text_bytes(content)
    if kind == "N":
        return numbers.size(content)
    if kind == "B":
        return _base64_bytes(content)
    if kind in ("BOOL", "NULL"):
        return 1
    if kind == "M":
        return 3 + len(content) + sum(_text_bytes(name) + size(child) for name, child in content.items())
    if kind == "L":
        return 3 + len(content) + sum(map(size, content))
    member_kind = kind[0]
    return sum(size({member_kind: member}) for member in content)


def item_size(item: Item) -> int:
    """The bytes DynamoDB counts for an item: names and values. Counting ends beyond the most that an item may have."""
    total = 0
    for name, value in item.items():
        total += (len(name) if name.isascii() else _text_bytes(name)) + size(value)
        if total > ITEM_BYTES_MAX:
            break
    return total


def equal(left: AttributeValue, right: AttributeValue) -> bool:
    """Deep equality of two normalised values; sets have no order."""
    if left == right:
        return True
    kind, content = next(iter(left.items()))
    if kind not in right:
        return False
    other = right[kind]
    if kind in ("SS", "NS", "BS"):
        return len(content) == len(other) and set(content) == set(other)
    if kind == "L":
        return len(content) == len(other) and all(map(equal, content, other))
    if kind == "M":
        return content.keys() == other.keys() and all(equal(child, other[name]) for name, child in content.items())
    return False


def equal_items(left: Item | None, right: Item | None) -> bool:
    if left is None or right is None:
        return left is right
    return equal({"M": left}, {"M": right})


def compare(left: AttributeValue, right: AttributeValue) -> int | None:
    """-1, 0 or 1; None when the types differ or have no order."""
    kind, content = next(iter(left.items()))
    other = right.get(kind)
    if other is None:
        return None
    a: Any
    b: Any
    if kind == "S":
        # UTF-8 order: by code point, which is how Python compares str.
        a, b = content, other
    elif kind == "N":
        a, b = Decimal(content), Decimal(other)
    elif kind == "B":
        a, b = binary(content), binary(other)
    else:
        return None
    return int(a > b) - int(a < b)
