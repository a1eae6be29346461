"""The parameters of a statement: all are read before the statement is, whether it uses them or not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sekkei.engine.items import numbers, values
from sekkei.engine.items.values import AttributeValue
from sekkei.errors import ValidationException

_INTEGER_MAX = 2**31 - 1
_EXPONENT = re.compile(r"[eE][+-]?0*([0-9]*)$")
_WRITTEN = re.compile(r"[+-]?(?=\.?[0-9])([0-9]*)\.?([0-9]*)[eE]([+-]?)0*([0-9]+)")


def normalised(parameters: Sequence[dict[str, Any]]) -> list[AttributeValue]:
    """Every parameter checked, in the order in which they are written."""
    for parameter in parameters:
        _check_numbers(parameter, 0)
    return [values.normalised(parameter) for parameter in parameters]


def check_count(needed: int, parameters: Sequence[AttributeValue]) -> None:
    if needed != len(parameters):
        raise ValidationException("Number of parameters in request and statement don't match.")


def _check_numbers(value: dict[str, Any], depth: int) -> None:
    """What differs from any other value of a request: the exponent and the magnitude of a number are read as 32 bits.

    Numbers and nesting are looked at in one walk, since DynamoDB names whichever fault it meets first.
    """
    if depth >= values.DEPTH_MAX:
        raise ValidationException(
            "Nesting Levels have exceeded supported limits: "
            "Attributes in the item have nested levels beyond supported limit"
        )
    if "N" in value:
        _check_number(value["N"])
    for member in value.get("NS") or ():
        _check_number(member)
    for child in value.get("L") or ():
        _check_numbers(child, depth + 1)
    for child in (value.get("M") or {}).values():
        _check_numbers(child, depth + 1)


def _check_number(text: Any) -> None:
    if not isinstance(text, str):
        return
    exponent = _EXPONENT.search(text)
    if exponent is not None and (len(exponent[1]) > 10 or int(exponent[1] or "0") > _INTEGER_MAX):
        raise ValidationException(f"The parameter cannot be converted to a numeric value: {text}")
    written = _WRITTEN.fullmatch(text)
    if written is not None:
        whole, fraction, sign, power = written.groups()
        digits = len((whole + fraction).lstrip("0")) or 1
        if digits - len(fraction) + int(sign + power) > _INTEGER_MAX:
            # The sum wraps around, and what is far too large counts as far too small.
            raise numbers.underflow()
    values.normalised({"N": text})
