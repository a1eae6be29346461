"""DynamoDB's Number: 38 significant digits, magnitudes from 1E-130 to 9.99…E+125, kept as text.

A number travels as text and stays text; `normalise` gives the one spelling DynamoDB answers with, and `sort_bytes`
the bytes whose order is the numbers' order.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal

from sekkei.errors import ValidationException

_DIGITS_MAX = 38
_EXPONENT_MAX = 125
_EXPONENT_MIN = -130

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE]([+-]?)0*(\d+))?", re.ASCII)
# No text of a request is long enough for its digits to make up for an exponent of this many digits.
_EXPONENT_DIGITS_MAX = 12
_INT64_MAX = 2**63 - 1
_INT64_DIGITS = 20
# A longer text is cut down before it becomes a Decimal, of which every digit costs a Python object.
_TEXT_LENGTH_MAX = 200
# Wide enough that no sum or difference of two legal numbers is rounded before it is judged.
_EXACT = Context(prec=_DIGITS_MAX + _EXPONENT_MAX - _EXPONENT_MIN + 2, Emax=999_999, Emin=-999_999)


def normalise(text: str) -> str:
    """The spelling DynamoDB returns: no exponent, no superfluous zero, no plus sign."""
    if is_plainly_whole(text):
        return text
    return from_decimal(_to_decimal(text))


def is_plainly_whole(text: str) -> bool:
    """Whether it is a number without sign, point or exponent, spelled as DynamoDB returns it."""
    return text.isdigit() and (text[0] != "0" or text == "0") and len(text) <= _DIGITS_MAX and text.isascii()


def _to_decimal(text: str) -> Decimal:
    match = _NUMBER.fullmatch(text)
    if not match:
        raise _no_number(text)
    if match[5]:
        exponent = int(match[4] + match[5]) if len(match[5]) < _INT64_DIGITS else _INT64_MAX + 1
        if abs(exponent) > _INT64_MAX:
            raise _no_number(text)
        if len(match[5]) > _EXPONENT_DIGITS_MAX or _is_zero(match[1]):
            # Decimal may not hold such an exponent, and zero is judged by the one it is written with.
            return _by_exponent(exponent - len(match[1].partition(".")[2]), _is_zero(match[1]))
    return Decimal(text) if len(text) <= _TEXT_LENGTH_MAX else _cut_down(match)


def _no_number(text: str) -> ValidationException:
    return ValidationException("The parameter cannot be converted to a numeric value" + (f": {text}" if text else ""))


def _is_zero(mantissa: str) -> bool:
    return not mantissa.strip("0.")


def _by_exponent(exponent: int, zero: bool) -> Decimal:
    """Zero, or a number that is as far out of range as this exponent."""
    if exponent > _EXPONENT_MAX:
        return Decimal("1E+1000")
    if exponent < _EXPONENT_MIN:
        return Decimal("1E-1000")
    assert zero, "an exponent within the range is short"
    return Decimal(0)


def _cut_down(match: re.Match[str]) -> Decimal:
    """The same number when it has 38 digits; when it has more, one of the same magnitude that has too many as well."""
    whole, _, fraction = match[1].partition(".")
    digits = (whole + fraction).lstrip("0")
    kept = digits.rstrip("0")
    if len(kept) > _DIGITS_MAX:
        kept = kept[:_DIGITS_MAX] + "1"
    exponent = int((match[4] or "") + (match[5] or "0")) - len(fraction) + len(digits) - len(kept)
    sign = "-" if match[0].startswith("-") else ""
    return Decimal(f"{sign}{kept or 0}E{exponent}")


def from_decimal(number: Decimal) -> str:
    """`number` as normalised text; raises where DynamoDB could not hold it."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int), "to_decimal admits finite numbers only"
    text = "".join(map(str, digits)).lstrip("0")
    stripped = text.rstrip("0")
    if not stripped:
        return "0"
    exponent += len(text) - len(stripped)
    magnitude = exponent + len(stripped) - 1
    if magnitude > _EXPONENT_MAX:
        raise ValidationException(
            "Number overflow. Attempting to store a number with magnitude larger than supported range"
        )
    if magnitude < _EXPONENT_MIN:
        raise underflow()
    if len(stripped) > _DIGITS_MAX:
        raise ValidationException("Attempting to store more than 38 significant digits in a Number")
    return ("-" if sign else "") + _plain(stripped, exponent)


def underflow() -> ValidationException:
    return ValidationException(
        "Number underflow. Attempting to store a number with magnitude smaller than supported range"
    )


def _plain(digits: str, exponent: int) -> str:
    if exponent >= 0:
        return digits + "0" * exponent
    point = len(digits) + exponent
    if point > 0:
        return digits[:point] + "." + digits[point:]
    return "0." + "0" * -point + digits


def add(left: str, right: str) -> str:
    return from_decimal(_EXACT.add(Decimal(left), Decimal(right)))


def subtract(left: str, right: str) -> str:
    return from_decimal(_EXACT.subtract(Decimal(left), Decimal(right)))


def size(text: str) -> int:
    """Bytes DynamoDB counts for a normalised number: a byte per two digits, one more, and one for a minus sign."""
    if text.isdigit() and text[0] != "0":
        pairs = (len(text) + 1) // 2
        return 1 + (pairs if text[-1] != "0" else pairs - (len(text) - len(text.rstrip("0"))) // 2)
    negative = text.startswith("-")
    whole, _, fraction = text.lstrip("-").partition(".")
    if not fraction and whole == "0":
        return 1
    # Digits pair up around the decimal point, so a pair may hold a zero that is not significant.
    left = whole.lstrip("0")
    if left and not fraction:
        trailing = len(left) - len(left.rstrip("0"))
        pairs = (len(left) + 1) // 2 - trailing // 2
    elif left:
        pairs = (len(left) + 1) // 2 + (len(fraction) + 1) // 2
    else:
        leading = len(fraction) - len(fraction.lstrip("0"))
        pairs = (len(fraction) + 1) // 2 - leading // 2
    return 1 + pairs + negative


def sort_bytes(text: str) -> bytes:
    """Bytes that compare as the numbers do: sign and exponent first, then pairs of digits.

    It is the form in which DynamoDB itself keeps numbers (base 100, each digit plus one; a negative number has all of
    it complemented and a terminator above every digit), so hashing it spreads number keys as DynamoDB does.
    """
    negative = text.startswith("-")
    whole, _, fraction = text.lstrip("-").partition(".")
    whole = whole.lstrip("0")
    if whole:
        digits, exponent = whole + fraction, len(whole)
    else:
        digits = fraction.lstrip("0")
        if not digits:
            return b"\x80"
        exponent = len(digits) - len(fraction)
    if exponent % 2:
        digits = "0" + digits
        exponent += 1
    digits = digits.rstrip("0")
    if len(digits) % 2:
        digits += "0"
    first = (exponent // 2 + 192) % 256
    pairs = [int(digits[at : at + 2]) for at in range(0, len(digits), 2)]
    if not negative:
        return bytes([first, *(pair + 1 for pair in pairs)])
    terminator = [102] if len(pairs) < 20 else []
    return bytes([first ^ 0xFF, *(101 - pair for pair in pairs), *terminator])
